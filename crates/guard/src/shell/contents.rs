//! What files hold that a command changes and then runs: text it put into them, what was there before, and where
//! both go when files are copied and moved.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::state::State;
use super::walk::Walker;
use super::{glob, text};
use crate::paths::{Place, Zone, absolute, normal};
use crate::policy::Judged;

/// So many sources are compared one by one with what was written.
const FEW: usize = 4;

/// What is known of a file that was changed and not written anew.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Parts {
    /// Text that went into it, in whatever place.
    pub(crate) texts: Vec<Rc<str>>,
    /// All else is the project's, or was put behind it.
    pub(crate) own: bool,
    /// It is a copy of a file in the worktree.
    pub(crate) copied: bool,
}

impl Walker<'_> {
    /// What a file holds besides what is the project's; `None` for one that this command did not change, or in ways
    /// that are not known.
    pub(crate) fn changed(&self, path: &str, st: &State) -> Option<(Parts, Option<String>)> {
        let key = self.key(path, st)?;
        let unknown = self.written.get(&key).is_some_and(Option::is_none);
        let parts = self.parts.get(&key).filter(|parts| unknown && parts.own)?;
        Some((parts.clone(), self.added.get(&key).cloned()))
    }

    /// What is known of a file before something is added to it: `None` where that is not the project's alone.
    pub(super) fn before(&self, path: &str, st: &State) -> Option<Parts> {
        let key = self.key(path, st)?;
        if self.has_landed(path, st) {
            return None;
        }
        match self.written.get(&key) {
            None => self.is_of_project(path, st).then(|| Parts {
                own: true,
                ..Parts::default()
            }),
            Some(None) => self.parts.get(&key).filter(|parts| parts.own).cloned(),
            Some(Some(_)) => None,
        }
    }

    /// Judges and remembers a change of a file in place, which puts these texts into it.
    pub(crate) fn edit_path(&mut self, path: &str, texts: &[Rc<str>], st: &State) -> Judged<()> {
        let key = self.key(path, st);
        let mut parts = match &key {
            // Of text that this command has put there, the change may make another.
            Some(key) if self.added.contains_key(key) => Parts::default(),
            Some(_) | None => self.before(path, st).unwrap_or_default(),
        };
        self.write_path(path, st)?;
        if let Some(key) = key {
            parts.texts.extend_from_slice(texts);
            self.parts.insert(key, parts);
        }
        Ok(())
    }

    /// The files that this command wrote and that a pattern, or a path that something printed, may stand for.
    pub(crate) fn written_as(&mut self, path: &str, st: &State) -> Judged<Vec<String>> {
        if self.written.is_empty() || !(text::has_glob(path) || text::is_listed(path)) {
            return Ok(Vec::new());
        }
        self.charge(self.written.len() / 4)?;
        let Some(sign) = self.key(path, st) else {
            return Ok(Vec::new());
        };
        let sign = sign.to_string_lossy();
        let parts = |path: &str| path.bytes().filter(|byte| *byte == b'/').count();
        let deep = text::is_listed(&sign) || sign.contains(&text::STAR.to_string().repeat(2));
        let files = self.written.keys().filter_map(|file| file.to_str());
        let mut found: Vec<String> = files
            .filter(|file| deep || parts(file) == parts(&sign))
            .filter(|file| text::is_known(file) && glob::matches(&sign, file, true))
            .map(str::to_owned)
            .collect();
        found.sort();
        Ok(found)
    }

    /// The text of a file that this command wrote, where all of it is known.
    pub(crate) fn known_text(&self, path: &str, st: &State) -> Option<String> {
        let text = self.written.get(&self.key(path, st)?)?.as_deref()?;
        text::is_known(text).then(|| text.to_owned())
    }

    /// Remembers what a file holds after a change that was worked out.
    pub(crate) fn now_holds(&mut self, path: &str, text: &str, st: &State) {
        if let Some(key) = self.key(path, st) {
            self.parts.remove(&key);
            self.drop_earlier(&key);
            self.added.insert(key.clone(), text.to_owned());
            self.written.insert(key, Some(text.into()));
        }
    }

    /// Remembers texts of which some may have gone into a file.
    pub(crate) fn put_texts(&mut self, path: &str, texts: &[Rc<str>], st: &State) {
        if let Some(key) = self.key(path, st) {
            self.put_texts_at(&key, texts);
        }
    }

    pub(super) fn put_texts_at(&mut self, key: &Path, texts: &[Rc<str>]) {
        if !texts.is_empty() {
            let parts = self.parts.entry(key.to_owned()).or_default();
            parts.texts.extend_from_slice(texts);
        }
    }

    /// Remembers that a file now holds what others held, or that the folder it names has them.
    pub(crate) fn carry_contents(&mut self, sources: &[String], target: Option<&str>, st: &State) {
        let Some(target) = target else {
            return;
        };
        let [place] = st.cwd.as_slice() else {
            self.makes_one_of_several();
            return;
        };
        let place = place.clone();
        let to_folder = self.is_folder(target, &place);
        // Where what is in a source goes: into the target, or into a folder of its name in it.
        let mut moved: HashMap<PathBuf, [PathBuf; 2]> = HashMap::new();
        for source in sources.iter().filter(|source| text::is_known(source)) {
            let name = source
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or("");
            let (Some(from), Some(to)) = (self.key(source, st), self.key(target, st)) else {
                continue;
            };
            let within = to.join(name);
            let place = if to_folder { &within } else { &to };
            self.carry(source, &from, place, st);
            moved.insert(from, [to, within]);
        }
        self.carry_folders(&moved);
    }

    fn carry(&mut self, source: &str, from: &Path, to: &Path, st: &State) {
        if self.written.contains_key(from) {
            self.take_over(from, to);
        } else if let Some(mut parts) = self.before(source, st) {
            let inside = |place| self.paths.is_inside(source, place);
            // Temporary folders of which nobody knows the names are told apart by none.
            let alone = !self.written.contains_key(to);
            parts.copied = alone && (parts.copied || st.cwd.iter().all(inside));
            self.written.insert(to.to_owned(), None);
            self.added.remove(to);
            self.parts.insert(to.to_owned(), parts);
        } else if self.is_foreign(source, st) {
            let content = text::secret(text::ANY.to_string());
            self.written.insert(to.to_owned(), Some(content.into()));
        }
    }

    /// What this command wrote in folders is where they went as well.
    fn carry_folders(&mut self, moved: &HashMap<PathBuf, [PathBuf; 2]>) {
        let mut carried = Vec::new();
        self.paths
            .take_steps(self.written.len() / 2 + self.landed.len());
        let few = moved.len() <= FEW;
        for key in self.written.keys() {
            let text = key.as_os_str().as_encoded_bytes();
            let begins = |from: &PathBuf| text.starts_with(from.as_os_str().as_encoded_bytes());
            if few && !moved.keys().any(begins) {
                continue;
            }
            for above in key.ancestors().skip(1) {
                let (Some(places), Ok(inner)) = (moved.get(above), key.strip_prefix(above)) else {
                    continue;
                };
                carried.extend(places.iter().map(|to| (key.clone(), to.join(inner))));
            }
        }
        for (from, to) in carried {
            self.take_over(&from, &to);
        }
        let mut landed = Vec::new();
        for (folder, below) in &self.landed {
            for above in folder.ancestors() {
                let (Some(places), Ok(inner)) = (moved.get(above), folder.strip_prefix(above))
                else {
                    continue;
                };
                landed.extend(places.iter().map(|to| (normal(&to.join(inner)), *below)));
            }
        }
        self.landed.extend(landed);
    }

    fn take_over(&mut self, from: &Path, to: &Path) {
        if from == to {
            return;
        }
        self.take_over_earlier(from, to);
        let text = self.written.get(from).cloned().flatten();
        self.written.insert(to.to_owned(), text);
        match self.added.get(from).cloned() {
            Some(added) => self.added.insert(to.to_owned(), added),
            None => self.added.remove(to),
        };
        match self.parts.get(from).cloned() {
            Some(parts) => self.parts.insert(to.to_owned(), parts),
            None => self.parts.remove(to),
        };
    }

    fn is_folder(&self, path: &str, place: &Place) -> bool {
        self.is_there(path, place) || path.ends_with(['/', '.'])
    }

    /// Whether a folder is there already, before or by this command.
    pub(crate) fn is_there(&self, path: &str, place: &Place) -> bool {
        absolute(path, place).is_some_and(|path| {
            let path = normal(&path);
            self.paths.is_directory(&path) || self.made.contains(&path)
        })
    }

    /// Whether a file is the project's or the agent's own, of an earlier call.
    fn is_of_project(&self, path: &str, st: &State) -> bool {
        st.cwd.iter().all(|place| {
            matches!(
                self.paths.zone(path, place),
                Zone::Inside | Zone::Top | Zone::Temp
            ) || self.paths.is_below_root(path, place)
        })
    }
}
