//! What files held before something that may not have changed them: where one is run or read, that counts as well.
//!
//! Only text that is known and text that came over the network is kept. Of all else the readings tell, which take
//! conditions one way at a time.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::contents::Parts;
use super::state::State;
use super::walk::Walker;
use super::{glob, text};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

/// Files that may hold one of more texts than this are not run.
const MOST: usize = 12;

/// What a file may hold.
#[derive(Debug, Clone, PartialEq)]
struct Held {
    text: Option<Rc<str>>,
    added: Option<String>,
    parts: Option<Parts>,
}

/// What files may hold besides what was put into them last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Earlier {
    files: std::collections::HashMap<PathBuf, Vec<Held>>,
    /// What was overwritten on the way through a chain or a branch that may not be taken.
    passed: Vec<(PathBuf, Vec<Held>)>,
    /// Chains and branches around what is judged.
    ways: usize,
    /// A pattern or the like stood for files that were written.
    patterns: bool,
}

impl Walker<'_> {
    fn held(&self, key: &Path) -> Option<Held> {
        let text = self.written.get(key)?.clone();
        let parts = self.parts.get(key).cloned();
        let told = text
            .as_deref()
            .is_some_and(|text| !text::is_any(text) || text::is_fetched(text));
        (told || parts.is_some()).then(|| Held {
            text,
            added: self.added.get(key).cloned(),
            parts,
        })
    }

    /// A file is about to hold something else, unless what does that fails.
    pub(crate) fn keep_earlier(&mut self, key: &Path) {
        self.earlier.patterns |= key.to_str().is_some_and(|key| !text::is_known(key));
        if self.decisions.are_made() {
            return;
        }
        if let Some(held) = self.held(key) {
            let all = self.earlier.files.entry(key.to_path_buf()).or_default();
            if !all.contains(&held) && all.len() <= MOST {
                all.push(held);
            }
        }
    }

    /// What the file held before is gone, where the shell itself has emptied it here and now.
    pub(super) fn drop_earlier(&mut self, key: &Path) {
        if self.flow.loose > 0 || self.files_withstand {
            return;
        }
        if let Some(all) = self.earlier.files.remove(key)
            && self.earlier.ways > 0
        {
            self.earlier.passed.push((key.to_path_buf(), all));
        }
    }

    /// Judges what may not be reached, and keeps what files hold if it is not.
    pub(super) fn on_the_way<T>(
        &mut self,
        judge: impl FnOnce(&mut Self) -> Judged<T>,
    ) -> Judged<T> {
        let mark = self.earlier.passed.len();
        self.earlier.ways += 1;
        let judged = judge(self);
        self.earlier.ways -= 1;
        for (key, held) in self
            .earlier
            .passed
            .split_off(mark.min(self.earlier.passed.len()))
        {
            let all = self.earlier.files.entry(key).or_default();
            for one in held {
                if !all.contains(&one) && all.len() <= MOST {
                    all.push(one);
                }
            }
        }
        judged
    }

    /// A copy holds what the file it is made of may hold.
    pub(super) fn take_over_earlier(&mut self, from: &Path, to: &Path) {
        if let Some(held) = self.earlier.files.get(from).cloned() {
            self.earlier
                .files
                .entry(to.to_path_buf())
                .or_default()
                .extend(held);
        }
    }

    /// What may be read of a file that holds this, or what it held before.
    pub(super) fn or_earlier(&self, key: &Path, content: Rc<str>) -> Rc<str> {
        let Some(all) = self.earlier.files.get(key) else {
            return content;
        };
        if text::is_fetched(&content) {
            return content;
        }
        let mut content = content.to_string();
        for held in all {
            let text = held.text.as_deref().unwrap_or_default();
            if text::is_fetched(text) {
                return text.into();
            }
            let text = if text.is_empty() {
                text::ANY.to_string()
            } else {
                text.to_owned()
            };
            content = super::output::either(content, text);
        }
        content.into()
    }

    /// Judges a program or script once for each text that its file may hold besides the last one.
    pub(crate) fn runs_earlier(&mut self, call: &Call, st: &State) -> Judged<()> {
        if self.written.is_empty() {
            return Ok(());
        }
        let Some(name) = call.argv.first() else {
            return Ok(());
        };
        let base = name.rsplit('/').next().unwrap_or(name);
        let keys: Vec<PathBuf> = if reads_by_itself(base) {
            let files = self.earlier.files.keys();
            let mut keys: Vec<PathBuf> = files.filter(|path| says_tasks(path)).cloned().collect();
            keys.sort();
            keys
        } else if crate::interpreters::is_known(base) || matches!(base, "source" | ".") {
            call.argv
                .iter()
                .filter_map(|word| self.key(word, st))
                .collect()
        } else {
            let path = name.contains('/').then(|| self.key(name, st));
            path.flatten().into_iter().collect()
        };
        for key in keys {
            let mut all = self.earlier.files.get(&key).cloned().unwrap_or_default();
            all.extend(self.held_by_patterns(&key)?);
            let now = self.written.contains_key(&key).then(|| Held {
                text: self.written.get(&key).cloned().flatten(),
                added: self.added.get(&key).cloned(),
                parts: self.parts.get(&key).cloned(),
            });
            all.retain(|held| now.as_ref() != Some(held));
            if all.is_empty() {
                continue;
            }
            if all.len() > MOST {
                return Err(too_many());
            }
            let others = self.earlier.files.remove(&key);
            for held in all {
                self.charge(9 + call.argv.len() / 4)?;
                self.hold(&key, held);
                self.again(call.clone(), &mut st.clone())?;
            }
            match now {
                Some(now) => self.hold(&key, now),
                None => {
                    self.written.remove(&key);
                    self.added.remove(&key);
                    self.parts.remove(&key);
                }
            }
            self.earlier
                .files
                .extend(others.map(|others| (key, others)));
        }
        Ok(())
    }

    /// What a file holds if it is one of those that a pattern stood for when they were written.
    fn held_by_patterns(&mut self, key: &Path) -> Judged<Vec<Held>> {
        let path = key.to_string_lossy();
        if !self.earlier.patterns || !text::is_known(&path) {
            return Ok(Vec::new());
        }
        self.charge(self.written.len())?;
        let parts = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
        let fits = |sign: &str| {
            let deep = text::is_listed(sign) || sign.contains(&text::STAR.to_string().repeat(2));
            !text::is_known(sign)
                && (deep || parts(sign) == parts(&path))
                && glob::matches(sign, &path, true)
        };
        let patterns = self
            .written
            .keys()
            .filter(|sign| sign.to_str().is_some_and(fits));
        let mut patterns: Vec<&PathBuf> = patterns.collect();
        patterns.sort();
        Ok(patterns
            .into_iter()
            .filter_map(|sign| self.held(sign))
            .collect())
    }

    fn hold(&mut self, key: &Path, held: Held) {
        self.written.insert(key.to_path_buf(), held.text);
        match held.added {
            Some(added) => self.added.insert(key.to_path_buf(), added),
            None => self.added.remove(key),
        };
        match held.parts {
            Some(parts) => self.parts.insert(key.to_path_buf(), parts),
            None => self.parts.remove(key),
        };
    }
}

/// Programs that read files of the project which nobody names.
fn reads_by_itself(base: &str) -> bool {
    matches!(
        base,
        "make"
            | "gmake"
            | "just"
            | "task"
            | "go-task"
            | "rake"
            | "npm"
            | "pnpm"
            | "yarn"
            | "bun"
            | "cargo"
            | "ninja"
    )
}

/// Whether a file is one of those, by its name.
fn says_tasks(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| {
        [
            ".mk", ".ninja", ".just", ".toml", ".rs", ".json", ".yml", ".yaml",
        ]
        .iter()
        .any(|end| name.ends_with(end))
            || ["makefile", "justfile", "rakefile"]
                .iter()
                .any(|part| name.contains(part))
    })
}

fn too_many() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "the file may hold one of many texts, as conditions come out; write it once, or run it in a call of its own",
    )
}
