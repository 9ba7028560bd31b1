//! Doing the steps of a script, one after the other.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::json;

use super::hooks::Host;
use super::steps::{Mail, Step, WaitMail};
use crate::git::{GitError, Repo};
use crate::platform::{clock, env, fs, random};

/// The shell of a script's commands.
const SHELL: &str = "sh";

/// What the script's agent remembers.
struct Actor {
    host: Host,
    /// Headers of mail that has come and that no step has waited for yet.
    received: VecDeque<String>,
}

/// Does all steps and returns the exit code.
pub(super) fn act(steps: &[Step]) -> io::Result<i32> {
    let mut actor = Actor {
        host: Host::connect()?,
        received: VecDeque::new(),
    };
    let name = env::var(env::AGENT_NAME).unwrap_or_default();
    say(&format!(
        "\x1b[1m{name}\x1b[0m \x1b[2mscripted agent, {} steps\x1b[0m",
        steps.len()
    ))?;
    actor.host.hook(
        "session-start",
        &json!({"source": "startup", "session_id": random::uuid()}),
    )?;
    let first = actor.host.hook("prompt", &json!({"prompt": "begin"}))?;
    actor.take(&first.stdout)?;
    for step in steps {
        if let Some(code) = actor.step(step)? {
            return Ok(code);
        }
    }
    let last = actor
        .host
        .hook("stop", &json!({"stop_hook_active": false}))?;
    actor.take(&last.stdout)?;
    Ok(0)
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.write_all(b"\r\n")?;
    out.flush()
}

impl Actor {
    fn step(&mut self, step: &Step) -> io::Result<Option<i32>> {
        match step {
            Step::Print(text) => say(&format!("● {text}"))?,
            // A script's own waiting is its subject, not a way to wait for something.
            Step::Wait(seconds) => std::thread::sleep(Duration::from_secs_f64(seconds.max(0.0))),
            Step::Run(command) => self.run(command)?,
            Step::Write(file) => {
                let input = json!({"file_path": absolute(&file.path), "content": file.content});
                if self.tool("Write", &file.path, &input)? {
                    let path = std::path::PathBuf::from(absolute(&file.path));
                    if let Some(dir) = path.parent() {
                        fs::create_dir_all(dir).map_err(io::Error::other)?;
                    }
                    fs::write_atomic(&path, &file.content).map_err(io::Error::other)?;
                    self.after("Write")?;
                }
            }
            Step::Commit(message) => {
                let quoted = message.replace('\'', r"'\''");
                self.commit(&format!("git add -A && git commit -q -m '{quoted}'"))?;
            }
            Step::Mail(mail) => self.mail(mail)?,
            Step::Done(text) => self.done(text)?,
            Step::Ask(question) => self.ask(question)?,
            Step::WaitMail(wanted) => self.wait_mail(wanted)?,
            Step::Flood(bytes) => flood(*bytes)?,
            Step::Stall => {
                say("\x1b[2m(stalled)\x1b[0m")?;
                let answer = self.host.hook("stall", &json!({}))?;
                self.take(&answer.stdout)?;
            }
            Step::Hang => loop {
                std::thread::park();
            },
            Step::Crash => std::process::abort(),
            Step::Exit(code) => return Ok(Some(*code)),
        }
        Ok(None)
    }

    /// Shows a call and asks the guard; `false` when it was refused.
    fn tool(&mut self, tool: &str, what: &str, input: &serde_json::Value) -> io::Result<bool> {
        say(&format!(
            "\x1b[36m●\x1b[0m \x1b[1m{tool}\x1b[0m({})",
            what.lines().next().unwrap_or("")
        ))?;
        match self.host.may(tool, input)? {
            Ok(()) => Ok(true),
            Err(reason) => {
                say(&format!("  \x1b[31m⎿ refused: {reason}\x1b[0m"))?;
                Ok(false)
            }
        }
    }

    fn after(&mut self, tool: &str) -> io::Result<()> {
        if let Some(text) = self.host.did(tool)? {
            self.take(&text)?;
        }
        Ok(())
    }

    fn run(&mut self, command: &str) -> io::Result<()> {
        if !self.tool("Bash", command, &in_shell(command))? {
            return Ok(());
        }
        let status = shell(command).status()?;
        self.ran(status)
    }

    /// As `run`, without the one line that git says in a sandbox though the commit has been made.
    fn commit(&mut self, command: &str) -> io::Result<()> {
        if !self.tool("Bash", command, &in_shell(command))? {
            return Ok(());
        }
        let output = shell(command).stdout(Stdio::inherit()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        for line in said.lines().filter(|l| !l.contains("packed-refs.lock'")) {
            say(line)?;
        }
        self.ran(output.status)
    }

    fn ran(&mut self, status: ExitStatus) -> io::Result<()> {
        if !status.success() {
            say(&format!("  \x1b[31m⎿ {status}\x1b[0m"))?;
        }
        self.after("Bash")
    }

    fn mail(&mut self, mail: &Mail) -> io::Result<()> {
        let payload = mail.payload.as_ref().map(ToString::to_string);
        let mut words = vec![
            "mail",
            "send",
            "--to",
            &mail.to,
            "--type",
            &mail.kind,
            "--subject",
            &mail.subject,
            "--body",
            &mail.body,
        ];
        if let Some(payload) = &payload {
            words.extend(["--payload", payload]);
        }
        let answer = self.host.grove(&words)?;
        let shown = if answer.code == 0 {
            answer.stdout
        } else {
            answer.stderr
        };
        say(&format!(
            "\x1b[36m●\x1b[0m mail to {} ({}): {}",
            mail.to,
            mail.kind,
            shown.trim()
        ))
    }

    fn done(&mut self, text: &str) -> io::Result<()> {
        let task = env::var(env::TASK_ID).unwrap_or_default();
        let branch = git_line(&["rev-parse", "--abbrev-ref", "HEAD"])?;
        self.mail(&Mail {
            to: env::var(env::PARENT).unwrap_or_else(|| "coordinator".to_owned()),
            kind: "worker_done".to_owned(),
            subject: format!("Done: {task}"),
            body: text.to_owned(),
            payload: Some(json!({"taskId": task, "branch": branch, "exitCode": 0,
                "filesModified": changed(&branch)})),
        })
    }

    fn ask(&mut self, question: &str) -> io::Result<()> {
        say(&format!("\x1b[33m? {question}\x1b[0m"))?;
        let payload = json!({"message": question, "notification_type": "question"});
        self.host.hook("notification", &payload)?;
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        say(&format!("  answer: {}", line.trim()))?;
        let answer = self.host.hook("prompt", &json!({"prompt": line.trim()}))?;
        self.take(&answer.stdout)
    }

    fn wait_mail(&mut self, wanted: &WaitMail) -> io::Result<()> {
        say("\x1b[2m(waiting for mail)\x1b[0m")?;
        loop {
            let found = self
                .received
                .iter()
                .position(|header| matches(header, wanted));
            if let Some(at) = found {
                self.received.remove(at);
                return Ok(());
            }
            let answer = self.host.hook("wait", &json!({}))?;
            if answer.stdout.trim().is_empty() {
                return Ok(());
            }
            self.take(&answer.stdout)?;
        }
    }

    /// Remembers delivered mail and shows it as a reader would want it: who, what, and the text.
    fn take(&mut self, text: &str) -> io::Result<()> {
        for line in text.trim_end().lines() {
            if let Some(header) = line.strip_prefix("<<<grove-mail ") {
                self.received.push_back(line.to_owned());
                say(&format!("  \x1b[35m✉ {}\x1b[0m", envelope(header)))?;
            } else if let Some(quoted) = line.strip_prefix("> ") {
                if !quoted.starts_with("Payload: ") {
                    say(&format!("    \x1b[2m{quoted}\x1b[0m"))?;
                }
            } else if line.starts_with("[NUDGE") {
                say(&format!("  \x1b[33m{line}\x1b[0m"))?;
            }
        }
        Ok(())
    }
}

/// Who wrote and of what kind it is, from the line that opens a message.
fn envelope(header: &str) -> String {
    let value = |key: &str| {
        header
            .split_whitespace()
            .find_map(|word| word.strip_prefix(key))
            .unwrap_or("?")
    };
    format!("{} from {}", value("type="), value("from="))
}

fn matches(header: &str, wanted: &WaitMail) -> bool {
    let has = |key: &str, value: &Option<String>| {
        value.as_ref().is_none_or(|v| {
            let word = format!("{key}={v}");
            header.split_whitespace().any(|w| w == word)
        })
    };
    has("from", &wanted.from) && has("type", &wanted.kind)
}

/// What the guard is asked about: it reads text for `sh` otherwise than text for bash.
fn in_shell(command: &str) -> serde_json::Value {
    json!({"command": command, "shell": SHELL})
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new(SHELL);
    shell.args(["-c", command]).stdin(Stdio::null());
    shell
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |p| p.to_string_lossy().into_owned())
}

fn git_line(args: &[&str]) -> io::Result<String> {
    let output = Command::new("git").args(args).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Files that the branch has changed; where that cannot be told, none.
fn changed(branch: &str) -> Vec<String> {
    let root = env::var(env::PROJECT_ROOT).unwrap_or_else(|| ".".to_owned());
    let ask = || -> Result<Option<Vec<String>>, GitError> {
        let Some(target) = Repo::discover(Path::new(&root))?.current_branch()? else {
            return Ok(None);
        };
        // The worktree knows the newest commit a moment before the repository does.
        let own = Repo::discover(Path::new("."))?;
        let tip = own.branch_tip(branch)?;
        let base = own.merge_base(own.branch_tip(&target)?, tip)?;
        base.map(|base| own.changed_files(base, tip)).transpose()
    };
    ask().ok().flatten().unwrap_or_default()
}

fn flood(bytes: u64) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut written = 0;
    let mut n = 0u64;
    let stamp = clock::now().0;
    while written < bytes {
        let line = format!("flood {stamp} line {n} ........................................\r\n");
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
        n += 1;
    }
    out.flush()
}
