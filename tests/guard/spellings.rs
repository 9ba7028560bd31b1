//! The same command in other spellings: what is forbidden stays forbidden, what is harmless stays harmless.
//!
//! Every rewriting keeps the meaning for a shell; chains of two are tried as well.

use crate::place::Place;

pub(crate) type Rewrite = (&'static str, fn(&str) -> String);

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The first word, changed, and the rest as it was.
fn first_word(command: &str, change: impl Fn(&str) -> String) -> String {
    match command.split_once(' ') {
        Some((first, rest)) => format!("{} {rest}", change(first)),
        None => change(command),
    }
}

/// Every byte in a form that only a decoder reads.
fn octal(text: &str) -> String {
    text.bytes().map(|b| format!("\\{b:03o}")).collect()
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at <= chunk.len() {
                out.push(DIGITS[(bits >> (18 - 6 * at) & 63) as usize] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// Whether the words can be spliced without regard to quotes.
fn bare(command: &str) -> bool {
    !command.contains(['\'', '"', '*', '~', '\\'])
}

/// The words of a bare command, each changed.
fn each_word(command: &str, change: impl Fn(&str) -> String) -> String {
    if !bare(command) {
        return command.to_owned();
    }
    command.split(' ').map(change).collect::<Vec<_>>().join(" ")
}

/// Rewritings that run the whole text as shell code, and those that change its words.
pub(crate) const REWRITES: &[Rewrite] = &[
    ("same", str::to_owned),
    ("subshell", |c| format!("( {c}\n)")),
    ("group", |c| format!("{{ {c}\n}}")),
    ("bash -c", |c| format!("bash -c {}", quote(c))),
    ("sh -c", |c| format!("/bin/sh -c {}", quote(c))),
    ("env bash -lc", |c| format!("env A=b bash -lc {}", quote(c))),
    ("eval", |c| format!("eval {}", quote(c))),
    ("function", |c| format!("f() {{ {c}\n}}\nf")),
    ("after true", |c| format!("true && {c}")),
    ("after false", |c| format!("false || {c}")),
    ("second line", |c| format!("ls\n{c}")),
    ("in if", |c| format!("if true; then {c}\nfi")),
    ("in for", |c| format!("for i in 1 2; do {c}\ndone")),
    ("in case", |c| format!("case a in a) {c}\n;; esac")),
    ("in while", |c| format!("while true; do {c}\nbreak; done")),
    ("stdin of bash", |c| {
        format!("bash <<'END_OF_IT'\n{c}\nEND_OF_IT")
    }),
    ("here string", |c| format!("bash <<< {}", quote(c))),
    ("echo to sh", |c| {
        format!("printf '%s\\n' {} | sh", quote(c))
    }),
    ("variable", |c| format!("X={}; eval \"$X\"", quote(c))),
    ("trap", |c| format!("trap {} EXIT; true", quote(c))),
    ("substitution", |c| format!("echo \"$({c}\n)\"")),
    ("two lines of comment", |c| {
        format!("# about it\n{c}\n# done")
    }),
    ("timeout", |c| format!("timeout 60 bash -c {}", quote(c))),
    ("nice env", |c| format!("nice -n 5 env sh -c {}", quote(c))),
    ("xargs sh", |c| {
        format!("echo a | xargs -I@ sh -c {}", quote(c))
    }),
    ("find exec", |c| {
        format!("find . -maxdepth 0 -exec sh -c {} \\;", quote(c))
    }),
    ("base64 to sh", |c| {
        format!("echo {} | base64 -d | sh", base64(&format!("{c}\n")))
    }),
    ("printf of octal to bash", |c| {
        format!("printf '{}\\n' | bash", octal(c))
    }),
    ("hexdump to sh", |c| {
        let hex: String = c.bytes().map(|b| format!("{b:02x}")).collect();
        format!("xxd -r -p <<< {hex} | sh")
    }),
    ("text of octal in eval", |c| format!("eval $'{}'", octal(c))),
    ("process substitution", |c| {
        format!("bash <(echo {})", quote(c))
    }),
    ("sourced", |c| {
        format!(". /dev/stdin <<'END_OF_SOURCE'\n{c}\nEND_OF_SOURCE")
    }),
    ("script written and run", |c| {
        format!("cat > zz.sh <<'END_OF_SCRIPT'\n{c}\nEND_OF_SCRIPT\nsh zz.sh")
    }),
    ("array", |c| format!("A=({}); eval \"${{A[0]}}\"", quote(c))),
    ("arguments", |c| format!("set -- {}; eval \"$1\"", quote(c))),
    ("argument of a shell", |c| {
        format!("sh -c 'eval \"$1\"' _ {}", quote(c))
    }),
    ("exported", |c| {
        format!("export X={}; sh -c 'eval \"$X\"'", quote(c))
    }),
    // `read` takes one line, and git adds words to the last one.
    ("read", |c| {
        if c.contains('\n') {
            c.to_owned()
        } else {
            format!("read -r X <<< {}; eval \"$X\"", quote(c))
        }
    }),
    ("background", |c| format!("{{ {c}\n}} & wait")),
    ("negated", |c| format!("! {{ {c}\n}}")),
    ("until", |c| format!("until {c}\ndo break; done")),
    ("in test", |c| format!("[[ -n $({c}\n) ]] || true")),
    ("git alias", |c| {
        if c.contains("<<") {
            c.to_owned()
        } else {
            format!("git -c {} x", quote(&format!("alias.x=!{c}")))
        }
    }),
    ("nohup setsid", |c| {
        format!("nohup setsid sh -c {} > /dev/null 2>&1", quote(c))
    }),
    ("awk", |c| {
        format!("awk {}", quote(&format!("BEGIN {{ system({c:?}) }}")))
    }),
    ("redirected", |c| format!("{{ {c}\n}} > /dev/null 2>&1")),
    ("first word quoted", |c| {
        first_word(c, |w| format!("\"{w}\""))
    }),
    ("first word escaped", |c| {
        first_word(c, |w| format!("\\{w}"))
    }),
    ("first word spliced", |c| {
        first_word(c, |w| {
            let (a, b) = w.split_at(1);
            format!("{a}''{b}")
        })
    }),
    ("first word in hex", |c| {
        first_word(c, |w| {
            let hex: String = w.bytes().map(|b| format!("\\x{b:02x}")).collect();
            format!("$'{hex}'")
        })
    }),
    ("first word in a variable", |c| {
        let (first, rest) = c.split_once(' ').unwrap_or((c, ""));
        format!("C={first}; $C {rest}")
    }),
    ("line continuation", |c| {
        first_word(c, |w| format!("{w} \\\n "))
    }),
    ("every word quoted", |c| {
        each_word(c, |w| format!("\"{w}\""))
    }),
    ("every word spliced", |c| {
        each_word(c, |w| match w.chars().next() {
            Some(first) if first.is_ascii_lowercase() => format!("{first}\"\"{}", &w[1..]),
            _ => w.to_owned(),
        })
    }),
    ("every word in octal", |c| {
        each_word(c, |w| format!("$'{}'", octal(w)))
    }),
    ("every word in a variable", |c| {
        let mut before = String::new();
        let words: Vec<String> = if bare(c) {
            c.split(' ')
                .enumerate()
                .map(|(at, word)| {
                    before.push_str(&format!("w{at}={word}; "));
                    format!("\"$w{at}\"")
                })
                .collect()
        } else {
            vec![c.to_owned()]
        };
        format!("{before}{}", words.join(" "))
    }),
    ("split at another sign", |c| {
        if bare(c) && !c.contains('%') {
            format!("IFS=%; X='{}'; $X", c.replace(' ', "%"))
        } else {
            c.to_owned()
        }
    }),
    ("defaults", |c| {
        first_word(c, |w| format!("${{NOT_SET:-{w}}}"))
    }),
    ("substituted words", |c| {
        first_word(c, |w| format!("$(echo {w})"))
    }),
    ("exec", |c| format!("exec {c}")),
    ("time", |c| format!("time {c}")),
    ("timeout before", |c| format!("timeout -k 5 60 {c}")),
    ("nice nohup stdbuf", |c| {
        format!("nice -n 5 nohup stdbuf -oL {c}")
    }),
    ("env split", |c| format!("env -S {}", quote(c))),
    ("xargs", |c| {
        let (first, rest) = c.split_once(' ').unwrap_or((c, ""));
        if bare(c) && !rest.is_empty() {
            format!("echo {} | xargs {first}", quote(rest))
        } else {
            c.to_owned()
        }
    }),
    ("find -exec", |c| {
        if bare(c) {
            format!("find . -maxdepth 0 -exec {c} \\;")
        } else {
            c.to_owned()
        }
    }),
    ("tabs", |c| c.replacen(' ', " \t ", 1)),
    ("command builtin", |c| format!("command {c}")),
    ("env before", |c| format!("env {c}")),
    ("assignment before", |c| format!("AA=1 {c}")),
    ("python", |c| {
        format!(
            "python3 -c {}",
            quote(&format!("import os; os.system({c:?})"))
        )
    }),
    ("perl", |c| {
        format!(
            "perl -e {}",
            quote(&format!("system(q({}))", c.replace(['(', ')'], "")))
        )
    }),
    ("brace", |c| {
        let (first, rest) = c.split_once(' ').unwrap_or((c, ""));
        match rest.split_once(' ') {
            Some((second, rest)) if plain(second) => format!("{{{first},{second}}} {rest}"),
            None if plain(rest) => format!("{{{first},{rest}}}"),
            _ => c.to_owned(),
        }
    }),
];

fn plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-')
}

/// One simple command each, so that prefixes apply to all of it.
const FORBIDDEN: &[&str] = &[
    "git push origin HEAD",
    "git push",
    "git reset --hard HEAD~1",
    "git clean -fd",
    "git branch -D main",
    "git worktree remove x",
    "git config user.name x",
    "rm -rf ..",
    "rm -rf {{ROOT}}",
    "rm -rf {{WORKTREE}}",
    "touch ../x",
    "cp a {{ROOT}}/a",
    "mv a {{ROOT}}/a",
    "tee {{ROOT}}/a",
    "sed -i s/a/b/ {{ROOT}}/src/lib.rs",
    "ln -s a {{ROOT}}/b",
    "npm publish",
    "cargo publish",
    "gh pr merge 3",
    "sudo ls",
    "pkill node",
    "kill 4711",
    "tmux kill-server",
    "mkfs.ext4 /dev/sdb1",
    "claude -p hi",
    "cat /home/dev/.ssh/id_rsa",
    "grove stop ada",
    "crontab x",
    "dd if=a of=/dev/sda",
    "chmod 777 {{ROOT}}/x",
];

const HARMLESS: &[&str] = &[
    "git status",
    "git log --oneline -5",
    "git diff HEAD",
    "ls -la src",
    "cat src/lib.rs",
    "grep -rn push src",
    "wc -l src/lib.rs",
    "cargo test",
    "head -3 {{ROOT}}/src/lib.rs",
    "find src -type f",
];

/// Allowed to builders, refused to those who only read.
const CHANGES: &[&str] = &[
    "touch a",
    "rm -rf build",
    "cp a b",
    "mkdir -p a/b",
    "git add .",
    "git commit -qm done",
    "sed -i s/a/b/ src/lib.rs",
    "cargo build",
    "npm install",
    "make test",
    "tee {{WORKTREE}}/a",
    "git merge main",
];

/// Rewritings of single words; they fit one simple command and nothing around it.
pub(crate) fn of_words(name: &str) -> bool {
    matches!(
        name,
        "command builtin"
            | "env before"
            | "assignment before"
            | "perl"
            | "python"
            | "brace"
            | "first word quoted"
            | "first word escaped"
            | "first word spliced"
            | "first word in hex"
            | "first word in a variable"
            | "line continuation"
            | "tabs"
            | "every word quoted"
            | "every word spliced"
            | "every word in octal"
            | "every word in a variable"
            | "split at another sign"
            | "defaults"
            | "substituted words"
            | "exec"
            | "time"
            | "timeout before"
            | "nice nohup stdbuf"
            | "env split"
            | "xargs"
            | "find -exec"
    )
}

/// Asks about every command in every chain of two rewritings that keeps its meaning.
fn wrong(capability: &str, commands: &[&str], expected: &str) -> Vec<String> {
    let place = Place::new();
    let mut wrong = Vec::new();
    for command in commands {
        // Some rewritings hide the text, so the places must be in it before.
        let filled = command
            .replace("{{WORKTREE}}", &place.worktree.to_string_lossy())
            .replace("{{ROOT}}", &place.root.to_string_lossy());
        let command = filled.as_str();
        for (outer_name, outer) in REWRITES.iter().filter(|(name, _)| !of_words(name)) {
            for (inner_name, inner) in REWRITES {
                // A here-document cannot hold another one with the same end.
                if outer_name == inner_name
                    && matches!(
                        *outer_name,
                        "stdin of bash" | "sourced" | "script written and run"
                    )
                {
                    continue;
                }
                // Writing a script is a change, which those who only read may not make.
                let writes = [*outer_name, *inner_name].contains(&"script written and run");
                if writes && capability == "reviewer" && expected == "allow" {
                    continue;
                }
                // What a decoder makes is not known, so the harmless is refused there as well.
                // The environment could hold another default.
                let decodes =
                    |name: &str| matches!(name, "base64 to sh" | "hexdump to sh" | "defaults");
                if expected == "allow" && (decodes(outer_name) || decodes(inner_name)) {
                    continue;
                }
                let text = outer(&inner(command));
                let (decision, reason) = place.bash(capability, &text);
                if decision != expected {
                    wrong.push(format!(
                        "{decision}: {outer_name} of {inner_name}: {text} ({reason})"
                    ));
                }
            }
        }
    }
    wrong
}

fn none(wrong: &[String]) {
    let shown: Vec<&str> = wrong.iter().take(60).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}

#[test]
fn a_forbidden_command_stays_forbidden_in_every_spelling() {
    none(&wrong("builder", FORBIDDEN, "block"));
}

#[test]
fn a_change_stays_forbidden_to_readers_in_every_spelling() {
    none(&wrong("reviewer", CHANGES, "block"));
}

#[test]
fn a_harmless_command_stays_allowed_in_every_spelling() {
    none(&wrong("reviewer", HARMLESS, "allow"));
    none(&wrong("builder", HARMLESS, "allow"));
    none(&wrong("builder", CHANGES, "allow"));
}
