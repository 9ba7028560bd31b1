//! Tokens that are known by how they begin.
//!
//! The first five are the contract's (`sk-ant-…`, `github_pat_…`, `Bearer …`, `ghp_…`,
//! `ANTHROPIC_API_KEY=…`) and match wherever they stand. The others must begin a word and have a
//! least length, so that names and prose are left alone.

use super::noise::Cursor;

/// How a token goes on after its first characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// At least so many characters of the body.
    Body(usize),
    /// White space, then the body; in prose only what looks like no word.
    Bearer,
    /// Two or three parts with dots between, the second of them begins like the first.
    WebToken,
    /// To the end of the block.
    KeyBlock,
    /// `user:password@`; only the password is taken out.
    Address,
}

/// One known kind of token.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) prefix: &'static [u8],
    form: Form,
    pub(super) is_body: fn(u8) -> bool,
    pub(super) begins_word: bool,
}

/// What a token at some place turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    No,
    /// What follows decides.
    More,
    /// It is one: hidden from the first place to the second; the ranges between are kept.
    Yes(usize, usize, Vec<(usize, usize)>),
}

const fn dashed(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}
const fn worded(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}
const fn plain(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}
const fn dotted(b: u8) -> bool {
    dashed(b) || b == b'.'
}
const fn printed(b: u8) -> bool {
    b > 0x20 && b != 0x7f
}
/// What a value after `NAME=` is made of; quotes and ends of JSON are not part of it.
const fn valued(b: u8) -> bool {
    printed(b) && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b',' | b')' | b'}' | b';')
}

const fn shape(
    kind: &'static str,
    prefix: &'static str,
    least: usize,
    is_body: fn(u8) -> bool,
) -> Shape {
    Shape {
        kind,
        prefix: prefix.as_bytes(),
        form: Form::Body(least),
        is_body,
        begins_word: true,
    }
}

const fn contract(kind: &'static str, prefix: &'static str, is_body: fn(u8) -> bool) -> Shape {
    Shape {
        begins_word: false,
        ..shape(kind, prefix, 1, is_body)
    }
}

/// The start that makes [`Form::Bearer`] step aside: what follows is redacted by itself.
const BEFORE_BEARER: [&[u8]; 2] = [b"sk-ant-", b"github_pat_"];

const KEY_BLOCK_ENDS: &[u8] = b"PRIVATE KEY-----";
/// The longest head of a web token or of a key block that is waited for.
const LONGEST_HEAD: usize = 512;

pub(super) const SHAPES: &[Shape] = &[
    contract("Anthropic key", "sk-ant-", dashed),
    contract("GitHub token", "github_pat_", worded),
    Shape {
        form: Form::Bearer,
        ..contract("bearer token", "Bearer", dotted)
    },
    contract("GitHub token", "ghp_", plain),
    contract("Anthropic key", "ANTHROPIC_API_KEY=", printed),
    shape("GitHub token", "gho_", 20, plain),
    shape("GitHub token", "ghu_", 20, plain),
    shape("GitHub token", "ghs_", 20, plain),
    shape("GitHub token", "ghr_", 20, plain),
    shape("GitLab token", "glpat-", 20, dashed),
    shape("OpenAI key", "sk-proj-", 20, dashed),
    shape("OpenAI key", "sk-svcacct-", 20, dashed),
    shape("OpenRouter key", "sk-or-v1-", 20, plain),
    shape("OpenAI key", "sk-", 32, plain),
    shape("AWS key id", "AKIA", 16, plain),
    shape("AWS key id", "ASIA", 16, plain),
    shape("Google key", "AIza", 35, dashed),
    shape("Google token", "ya29.", 20, dotted),
    shape("Slack token", "xoxb-", 10, dashed),
    shape("Slack token", "xoxp-", 10, dashed),
    shape("Slack token", "xoxa-", 10, dashed),
    shape("Slack token", "xoxr-", 10, dashed),
    shape("Slack token", "xoxs-", 10, dashed),
    shape("Slack token", "xapp-", 10, dashed),
    shape("Stripe key", "sk_live_", 16, plain),
    shape("Stripe key", "rk_live_", 16, plain),
    shape("Stripe key", "sk_test_", 16, plain),
    shape("npm token", "npm_", 36, plain),
    shape("PyPI token", "pypi-", 32, dashed),
    shape("Hugging Face token", "hf_", 30, plain),
    shape("DigitalOcean token", "dop_v1_", 32, plain),
    shape("SendGrid key", "SG.", 40, dotted),
    shape("Shopify token", "shpat_", 20, plain),
    shape("age key", "AGE-SECRET-KEY-1", 40, plain),
    shape("value in the text", "OPENAI_API_KEY=", 8, valued),
    shape("value in the text", "GEMINI_API_KEY=", 8, valued),
    shape("value in the text", "GOOGLE_API_KEY=", 8, valued),
    shape("value in the text", "OPENROUTER_API_KEY=", 8, valued),
    shape("value in the text", "ANTHROPIC_AUTH_TOKEN=", 8, valued),
    shape("value in the text", "CLAUDE_CODE_OAUTH_TOKEN=", 8, valued),
    shape("value in the text", "AWS_SECRET_ACCESS_KEY=", 8, valued),
    shape("value in the text", "AWS_SESSION_TOKEN=", 8, valued),
    shape("value in the text", "GITHUB_TOKEN=", 8, valued),
    shape("value in the text", "GH_TOKEN=", 8, valued),
    shape("value in the text", "GITLAB_TOKEN=", 8, valued),
    shape("value in the text", "NPM_TOKEN=", 8, valued),
    Shape {
        form: Form::WebToken,
        ..shape("web token", "eyJ", 0, dotted)
    },
    Shape {
        form: Form::KeyBlock,
        begins_word: false,
        ..shape("private key", "-----BEGIN ", 0, printed)
    },
    Shape {
        form: Form::Address,
        begins_word: false,
        ..shape("password in an address", "://", 0, printed)
    },
];

impl Shape {
    /// Whether the token is hidden to the end of its block instead of by its characters.
    pub(super) fn is_block(&self) -> bool {
        self.form == Form::KeyBlock
    }

    /// Whether more of the body may follow what was recognised.
    pub(super) fn goes_on(&self) -> bool {
        self.form != Form::Address
    }

    /// Looks whether this kind of token begins at `at`. `loose` takes every word after `Bearer`.
    pub(super) fn look(&self, bytes: &[u8], at: usize, loose: bool) -> Look {
        let mut cursor = Cursor::new(bytes, at, false);
        for expected in self.prefix {
            match cursor.peek() {
                None => return Look::More,
                Some(byte) if byte == *expected => cursor.take(),
                Some(_) => return Look::No,
            }
        }
        match self.form {
            Form::Body(least) => self.body(cursor, at, least),
            Form::Bearer => self.bearer(cursor, at, loose),
            Form::WebToken => head(cursor, at, dotted, |head| {
                head.len() > 12 && head.ends_with(b".eyJ")
            }),
            Form::KeyBlock => head(
                cursor,
                at,
                |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ' || b == b'-',
                |head| head.ends_with(KEY_BLOCK_ENDS),
            ),
            Form::Address => address(cursor),
        }
    }

    fn body(&self, mut cursor: Cursor<'_>, at: usize, least: usize) -> Look {
        for _ in 0..least {
            match cursor.peek() {
                None => return Look::More,
                // What was redacted before is not redacted again.
                Some(byte) if (self.is_body)(byte) && byte != b'[' && byte != b'$' => cursor.take(),
                Some(_) => return Look::No,
            }
        }
        Look::Yes(at, cursor.at, cursor.passed)
    }

    fn bearer(&self, mut cursor: Cursor<'_>, at: usize, loose: bool) -> Look {
        let mut blanks = 0;
        loop {
            match cursor.peek() {
                None => return Look::More,
                Some(byte) if byte.is_ascii_whitespace() && blanks < 64 => cursor.take(),
                Some(_) => break,
            }
            blanks += 1;
        }
        if blanks == 0 {
            return Look::No;
        }
        let start = cursor.at;
        let mut seen = Vec::new();
        let mut waits = false;
        while seen.len() < 16 {
            match cursor.peek() {
                None => {
                    waits = true;
                    break;
                }
                Some(byte) if (self.is_body)(byte) => {
                    seen.push(byte);
                    cursor.take();
                }
                Some(_) => break,
            }
        }
        for other in BEFORE_BEARER {
            if seen.starts_with(other) {
                return Look::No;
            }
            if waits && other.starts_with(&seen) {
                return Look::More;
            }
        }
        let credible = loose || seen.len() == 16 || seen.iter().any(u8::is_ascii_digit);
        match (seen.is_empty(), credible, waits) {
            (false, true, _) => {
                let passed = cursor.passed.into_iter().filter(|(from, _)| *from < start);
                Look::Yes(at, cursor.at, passed.collect())
            }
            (_, _, true) => Look::More,
            (_, _, false) => Look::No,
        }
    }
}

/// Reads characters until `done`, at most so many that waiting for more makes sense.
fn head(
    mut cursor: Cursor<'_>,
    at: usize,
    allowed: fn(u8) -> bool,
    done: fn(&[u8]) -> bool,
) -> Look {
    let mut seen = Vec::new();
    while seen.len() < LONGEST_HEAD {
        match cursor.peek() {
            None => return Look::More,
            Some(byte) if allowed(byte) => {
                seen.push(byte);
                cursor.take();
                if done(&seen) {
                    return Look::Yes(at, cursor.at, cursor.passed);
                }
            }
            Some(_) => return Look::No,
        }
    }
    Look::No
}

fn address(mut cursor: Cursor<'_>) -> Look {
    let part = |b: u8| printed(b) && !matches!(b, b'/' | b'@' | b'"' | b'\'' | b'<' | b'>');
    for _ in 0..64 {
        match cursor.peek() {
            None => return Look::More,
            Some(b':') => {
                cursor.take();
                return password(cursor, part);
            }
            Some(byte) if part(byte) => cursor.take(),
            Some(_) => return Look::No,
        }
    }
    Look::No
}

fn password(mut cursor: Cursor<'_>, part: fn(u8) -> bool) -> Look {
    let start = cursor.at;
    for n in 0..256 {
        match cursor.peek() {
            None => return Look::More,
            Some(b'@') if n > 0 => {
                let passed = cursor.passed.into_iter().filter(|(from, _)| *from >= start);
                return Look::Yes(start, cursor.at, passed.collect());
            }
            // A reference, or what was taken out before.
            Some(b'$' | b'[' | b'*' | b'{') if n == 0 => return Look::No,
            Some(byte) if part(byte) => cursor.take(),
            Some(_) => return Look::No,
        }
    }
    Look::No
}

/// Whether the whole text is one token of a known shape.
pub(super) fn is_token(text: &str) -> bool {
    let bytes = text.as_bytes();
    SHAPES.iter().any(|shape| {
        // `NAME=value` and prose are no values.
        let is_value =
            !matches!(shape.form, Form::Bearer | Form::Address) && !shape.prefix.ends_with(b"=");
        is_value
            && match shape.look(bytes, 0, false) {
                Look::Yes(0, end, _) => {
                    let rest = bytes.get(end..).unwrap_or_default();
                    shape.is_block() || rest.iter().all(|b| (shape.is_body)(*b))
                }
                Look::Yes(..) | Look::No | Look::More => false,
            }
    })
}
