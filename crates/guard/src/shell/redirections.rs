//! Redirections as they run: where they lead, what they feed, and what a file then holds.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::ast::{Redirect, RedirectOp, Word};
use super::contents::Parts;
use super::endless::is_endless_file;
use super::state::State;
use super::text::{self, ANY};
use super::walk::Walker;
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, rule};

/// Bytes that are remembered of what goes into one file.
const MOST_ADDED: usize = 150_000;

impl Walker<'_> {
    /// Judges where redirections lead and what they feed.
    pub(super) fn redirect(&mut self, redirects: &[Redirect], st: &mut State) -> Judged<Plan> {
        let mut plan = Plan::default();
        for redirect in redirects {
            self.charge(1)?;
            match redirect.op {
                RedirectOp::HereDoc => {
                    let body = match redirect.body.as_ref().and_then(|body| body.get()) {
                        Some(body) => self.scalar(body, st)?,
                        None => String::new(),
                    };
                    if redirect.to_stdin {
                        plan.stdin = Some(body.into());
                    }
                }
                RedirectOp::HereString => {
                    let mut body = self.scalar(&redirect.target, st)?;
                    body.push('\n');
                    if redirect.to_stdin {
                        plan.stdin = Some(body.into());
                    }
                }
                RedirectOp::Read => {
                    let path = self.one_field(&redirect.target, st)?;
                    self.read_path(&path, st)?;
                    self.keep_unlocked(&path, redirect.to_stdin, st)?;
                    if redirect.to_stdin {
                        plan.stdin = Some(self.content(&path, st));
                    }
                }
                RedirectOp::DupIn => {
                    self.scalar(&redirect.target, st)?;
                    if redirect.to_stdin {
                        plan.stdin = Some(ANY.to_string().into());
                    }
                }
                RedirectOp::DupOut | RedirectOp::Write => {
                    let path = self.one_field(&redirect.target, st)?;
                    let descriptor = redirect.op == RedirectOp::DupOut
                        && (path == "-"
                            || path == text::TOKEN.to_string()
                            || path
                                .strip_suffix('-')
                                .unwrap_or(&path)
                                .bytes()
                                .all(|c| c.is_ascii_digit()));
                    plan.swallows |= redirect.to_stdout;
                    if !descriptor {
                        let before = (redirect.append && redirect.to_stdout)
                            .then(|| self.before(&path, st))
                            .flatten();
                        let grows = redirect
                            .append
                            .then(|| self.known_text(&path, st))
                            .flatten();
                        self.write_path(&path, st)?;
                        if !redirect.append
                            && redirects.len() == 1
                            && let Some(key) = self.key(&path, st)
                        {
                            self.drop_earlier(&key);
                            self.paths.file_made(&key);
                        }
                        if redirect.to_stdout {
                            plan.target = self.key(&path, st);
                            if let (Some(key), Some(text)) = (&plan.target, grows) {
                                self.written.insert(key.clone(), Some(text.into()));
                            }
                            plan.append = redirect.append;
                            plan.before = before;
                            if Self::is_standard_output(&path) {
                                plan.swallows = false;
                            }
                        } else if let Some(key) = self.key(&path, st) {
                            self.written.insert(key, None);
                        }
                    }
                }
            }
        }
        Ok(plan)
    }

    /// A file that is open can be locked, and then the orchestrator waits; what is only read needs no number of its own.
    fn keep_unlocked(&self, path: &str, to_stdin: bool, st: &State) -> Judged<()> {
        let lock = path.to_lowercase().ends_with("lock");
        let state = || st.cwd.iter().any(|place| self.paths.is_state(path, place));
        if (lock || !to_stdin) && state() {
            return Err(Refusal::new(
                rule::STATE,
                "a file of the orchestrator that stays open could be locked; read it with cat",
            ));
        }
        Ok(())
    }

    /// A redirection target: patterns in it are active, more than one field is not known.
    fn one_field(&mut self, word: &Word, st: &mut State) -> Judged<String> {
        let mut fields = self.fields(std::slice::from_ref(word), st)?;
        match (fields.pop(), fields.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Ok(ANY.to_string()),
        }
    }

    fn is_standard_output(path: &str) -> bool {
        matches!(path, "/dev/stdout" | "/dev/fd/1" | "/dev/tty")
    }

    /// Remembers what went into a file, in case the same command runs it.
    pub(super) fn record(&mut self, plan: &Plan, out: &str) {
        let Some(key) = &plan.target else { return };
        self.add(key, plan.append, out);
        if plan.append
            && text::is_known(out)
            && let Some(parts) = &plan.before
        {
            self.parts.insert(key.clone(), parts.clone());
        }
        let text = if plan.append {
            match self.written.get(key) {
                _ if text::is_fetched(out) => Some(out.to_owned()),
                Some(Some(old)) => Some(format!("{old}{out}")),
                _ => None,
            }
        } else {
            Some(out.to_owned())
        };
        // Of text that is not known, only that it holds credentials or came over the network is worth keeping.
        let known = text
            .filter(|text| !text::is_any(text) || text::is_secret(text) || text::is_fetched(text))
            .map(Rc::from);
        self.written.insert(key.clone(), known);
    }

    /// Remembers that whatever the shell prints from here on goes into a file.
    pub(super) fn keeps_open(&mut self, key: &Path) {
        self.parts.remove(key);
        self.added.remove(key);
        self.written.insert(key.to_owned(), None);
    }

    /// Remembers known text that goes into a file, behind what this command put there before, or in its place.
    fn add(&mut self, key: &Path, append: bool, out: &str) {
        if !append {
            self.added.remove(key);
        }
        if !out.is_empty() && text::is_known(out) {
            let text = self.added.entry(key.to_owned()).or_default();
            if text.len() + out.len() <= MOST_ADDED {
                text.push_str(out);
            }
        }
    }

    /// Remembers what `tee` puts into the files of its arguments. `before`: what is known of those that grow.
    pub(crate) fn put(
        &mut self,
        args: &[String],
        input: &str,
        before: Vec<(PathBuf, Parts)>,
        st: &State,
    ) {
        let append = appends(args);
        for path in args.iter().filter(|arg| !arg.starts_with('-')) {
            let Some(key) = self.key(path, st) else {
                continue;
            };
            self.add(&key, append, input);
            let known = !append && text::is_known(input) && !input.is_empty();
            if known || text::is_fetched(input) {
                self.written.insert(key, Some(input.into()));
            }
        }
        if append && text::is_known(input) {
            self.parts.extend(before);
        }
    }

    /// What is known of the files that `tee` would add to.
    pub(crate) fn before_all(&self, args: &[String], st: &State) -> Vec<(PathBuf, Parts)> {
        let paths = args
            .iter()
            .filter(|arg| appends(args) && !arg.starts_with('-'));
        paths
            .filter_map(|path| Some((self.key(path, st)?, self.before(path, st)?)))
            .collect()
    }

    /// What reading a file would give, when this command wrote it.
    pub(crate) fn content(&self, path: &str, st: &State) -> Rc<str> {
        self.key(path, st)
            .and_then(|key| {
                let text = self.written.get(&key).cloned().flatten()?;
                Some(self.or_earlier(&key, text))
            })
            .unwrap_or_else(|| {
                let any = ANY.to_string();
                if is_endless_file(path) {
                    format!("{any}{}", text::ENDLESS).into()
                } else if self.is_foreign(path, st) {
                    text::secret(any).into()
                } else if self.is_pid_file(path, st) {
                    format!("{any}{}", text::NUMBER).into()
                } else {
                    any.into()
                }
            })
    }

    /// Whether a file of the worktree is named as one that holds process numbers, and not of this command's making.
    ///
    /// Such a file is how one call tells the next which processes it has started. What stands in it is not looked at:
    /// a program of the project could signal the same processes, and the sandbox lets neither reach those of others.
    pub(crate) fn is_pid_file(&self, path: &str, st: &State) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let lower = name.to_lowercase();
        let named = text::is_known(path)
            && (lower == "pid"
                || lower.ends_with("pidfile")
                || [".pid", "-pid", "_pid"]
                    .iter()
                    .any(|end| lower.ends_with(end)));
        let own = |place| matches!(self.paths.zone(path, place), Zone::Inside | Zone::Temp);
        named
            && st.cwd.iter().all(own)
            && self
                .key(path, st)
                .is_some_and(|key| !self.written.contains_key(&key))
    }

    pub(crate) fn key(&self, path: &str, st: &State) -> Option<PathBuf> {
        if path.starts_with("/dev/fd/") {
            return Some(PathBuf::from(path));
        }
        self.paths.agreed_key(path, &st.cwd)
    }
}

/// Whether `tee` is told to add to files.
fn appends(args: &[String]) -> bool {
    args.iter().any(|arg| {
        let short = arg.starts_with('-') && !arg.starts_with("--") && arg.contains('a');
        short || arg.len() > 2 && "--append".starts_with(arg.as_str())
    })
}

/// What redirections mean for the command they belong to.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) stdin: Option<Rc<str>>,
    /// Standard output does not reach the next command.
    pub(super) swallows: bool,
    pub(super) target: Option<PathBuf>,
    pub(super) append: bool,
    /// What is known of the file before.
    pub(super) before: Option<Parts>,
}
