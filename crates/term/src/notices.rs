//! What an agent tells the world through its terminal: the events of an [`super::Engine`], and
//! how OSC strings the emulator ignores are read.
//!
//! All of it is the agent's word: text is stripped of control characters and cut here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Something that happened on a terminal besides drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TermEvent {
    /// The answer to a query, to be written to the agent; only from the engine that answers.
    Reply(Vec<u8>),
    /// The title changed; empty when it was removed.
    Title(String),
    /// The bell rang.
    Bell,
    /// A desktop notification (OSC 9, 99, 777).
    Notification {
        /// Its headline, where the protocol has one.
        title: Option<String>,
        /// Its text.
        body: String,
    },
    /// The working directory (OSC 7).
    Cwd(String),
    /// A shell-integration mark (OSC 133): its letter and, for `D`, the exit status.
    Prompt(char, Option<i32>),
    /// Text for the clipboard (OSC 52).
    ClipboardStore(String),
    /// The emulator failed on this input and was started anew with an empty screen.
    EngineReset,
}

const LONGEST_TITLE: usize = 256;
const LONGEST_BODY: usize = 4096;

/// Reads OSC strings, joining notifications that come in parts.
#[derive(Debug, Default)]
pub(super) struct Notices {
    partial: Option<Partial>,
}

#[derive(Debug, Default)]
struct Partial {
    id: String,
    title: String,
    body: String,
}

impl Notices {
    /// The event an OSC string stands for, if it is one of those.
    pub(super) fn read(&mut self, osc: &[u8]) -> Option<TermEvent> {
        let text = String::from_utf8_lossy(osc);
        let (code, rest) = text.split_once(';')?;
        match code {
            "7" => directory(rest),
            "9" => plain_notification(rest),
            "52" => clipboard(rest),
            "99" => self.kitty_notification(rest),
            "133" => prompt(rest),
            "777" => titled_notification(rest),
            _ => None,
        }
    }

    /// `metadata;payload`, where a notification may come in several strings of one id.
    fn kitty_notification(&mut self, rest: &str) -> Option<TermEvent> {
        let (metadata, payload) = rest.split_once(';')?;
        let field = |name: &str| {
            metadata
                .split(':')
                .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
        };
        let kind = field("p").unwrap_or("title");
        if kind != "title" && kind != "body" {
            return None;
        }
        let payload = match field("e") {
            Some("1") => decoded(payload)?,
            _ => payload.to_owned(),
        };
        let id = field("i").unwrap_or_default();
        let mut partial = self
            .partial
            .take()
            .filter(|partial| partial.id == id)
            .unwrap_or_else(|| Partial {
                id: clean(id, LONGEST_TITLE),
                ..Partial::default()
            });
        let (target, limit) = match kind {
            "body" => (&mut partial.body, LONGEST_BODY),
            _ => (&mut partial.title, LONGEST_TITLE),
        };
        let room = limit.saturating_sub(target.chars().count());
        target.push_str(&clean(&payload, room));
        if field("d") == Some("0") {
            self.partial = Some(partial);
            return None;
        }
        match (partial.title.is_empty(), partial.body.is_empty()) {
            (true, true) => None,
            (false, true) => Some(TermEvent::Notification {
                title: None,
                body: partial.title,
            }),
            (no_title, false) => Some(TermEvent::Notification {
                title: (!no_title).then_some(partial.title),
                body: partial.body,
            }),
        }
    }
}

/// `file://host/path`, with percent escapes.
fn directory(rest: &str) -> Option<TermEvent> {
    let path = rest.strip_prefix("file://")?;
    let path = path.get(path.find('/')?..)?;
    let path = clean(&unescaped(path), LONGEST_BODY);
    (!path.is_empty()).then_some(TermEvent::Cwd(path))
}

/// iTerm's notification; ConEmu uses the same code for progress (`4`) and the directory (`9`).
fn plain_notification(rest: &str) -> Option<TermEvent> {
    if rest == "4" || rest.starts_with("4;") {
        return None;
    }
    if let Some(path) = rest.strip_prefix("9;") {
        let path = clean(path.trim_matches('"'), LONGEST_BODY);
        return (!path.is_empty()).then_some(TermEvent::Cwd(path));
    }
    let body = clean(rest, LONGEST_BODY);
    (!body.is_empty()).then_some(TermEvent::Notification { title: None, body })
}

/// `notify;title;body`.
fn titled_notification(rest: &str) -> Option<TermEvent> {
    let rest = rest.strip_prefix("notify;")?;
    let (title, body) = rest.split_once(';').unwrap_or(("", rest));
    let (title, body) = (clean(title, LONGEST_TITLE), clean(body, LONGEST_BODY));
    match (title.is_empty(), body.is_empty()) {
        (true, true) => None,
        (false, true) => Some(TermEvent::Notification {
            title: None,
            body: title,
        }),
        (no_title, false) => Some(TermEvent::Notification {
            title: (!no_title).then_some(title),
            body,
        }),
    }
}

/// `A`, `B`, `C` or `D;status`, each possibly with options after it.
fn prompt(rest: &str) -> Option<TermEvent> {
    let mut parts = rest.split(';');
    let mark = parts.next()?;
    let mut letters = mark.chars();
    let letter = letters.next().filter(|l| matches!(l, 'A'..='D'))?;
    if letters.next().is_some() {
        return None;
    }
    let status = match letter {
        'D' => parts.next().and_then(|status| status.parse().ok()),
        _ => None,
    };
    Some(TermEvent::Prompt(letter, status))
}

/// `selection;base64`. A request to read (`?`) is never answered.
fn clipboard(rest: &str) -> Option<TermEvent> {
    let (selection, data) = rest.split_once(';')?;
    let wanted = selection.is_empty() || selection.contains(['c', 'p', 's']);
    if !wanted || data == "?" {
        return None;
    }
    decoded(data).map(TermEvent::ClipboardStore)
}

fn decoded(base64: &str) -> Option<String> {
    String::from_utf8(BASE64.decode(base64).ok()?).ok()
}

fn clean(text: &str, limit: usize) -> String {
    text.chars()
        .filter(|ch| !ch.is_control())
        .take(limit)
        .collect()
}

fn unescaped(path: &str) -> String {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = (byte == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(value) => {
                out.push(value);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(osc: &str) -> Option<TermEvent> {
        Notices::default().read(osc.as_bytes())
    }

    fn note(title: Option<&str>, body: &str) -> Option<TermEvent> {
        Some(TermEvent::Notification {
            title: title.map(str::to_owned),
            body: body.to_owned(),
        })
    }

    #[test]
    fn reads_the_three_notification_dialects() {
        assert_eq!(read("9;done; really"), note(None, "done; really"));
        assert_eq!(read("9;4;1;50"), None);
        assert_eq!(
            read("777;notify;Build;ok; fine"),
            note(Some("Build"), "ok; fine")
        );
        assert_eq!(read("777;precmd"), None);
        assert_eq!(read("99;;hello"), note(None, "hello"));
        assert_eq!(read("99;i=1:p=?;"), None);
        assert_eq!(read("99;e=1:p=body;aGk="), note(None, "hi"));
    }

    #[test]
    fn joins_a_notification_that_comes_in_parts() {
        let mut notices = Notices::default();
        assert_eq!(notices.read(b"99;i=1:d=0:p=title;Bu"), None);
        assert_eq!(notices.read(b"99;i=1:d=0:p=title;ild"), None);
        assert_eq!(notices.read(b"99;i=1:p=body;ok"), note(Some("Build"), "ok"));
        assert_eq!(notices.read(b"99;i=1:p=body;next"), note(None, "next"));
    }

    #[test]
    fn reads_directory_prompt_and_clipboard() {
        assert_eq!(
            read("7;file://host/a%20b/%c3%a4"),
            Some(TermEvent::Cwd("/a b/ä".into()))
        );
        assert_eq!(read("7;nonsense"), None);
        assert_eq!(read("9;9;/tmp/x"), Some(TermEvent::Cwd("/tmp/x".into())));
        assert_eq!(read("133;A;cl=m"), Some(TermEvent::Prompt('A', None)));
        assert_eq!(read("133;D;127"), Some(TermEvent::Prompt('D', Some(127))));
        assert_eq!(read("133;X"), None);
        assert_eq!(
            read("52;c;aGk="),
            Some(TermEvent::ClipboardStore("hi".into()))
        );
        assert_eq!(read("52;c;?"), None);
        assert_eq!(read("52;c;%%"), None);
    }

    #[test]
    fn hostile_text_comes_out_short_and_clean() {
        assert_eq!(read("9;a\u{9b}31mb"), note(None, "a31mb"));
        let Some(TermEvent::Notification { body, .. }) = read(&format!("9;{}", "x".repeat(99_999)))
        else {
            panic!("a notification");
        };
        assert_eq!(body.len(), LONGEST_BODY);
    }
}
