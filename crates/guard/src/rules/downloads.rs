//! Where downloads land, so that nothing that just came over the network runs unread.

use std::path::{Path, PathBuf};

use crate::paths::{absolute, normal};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;
use crate::shell::{glob, text};

/// The file name a download takes from an address; `None` when it cannot be told.
pub(super) fn name_of(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        None if !text::is_known(path) => return None,
        Some(_) | None => "index.html",
    };
    let plain = text::is_known(name) && !name.contains(['%', '{', '}', '[', ']']);
    plain.then(|| name.to_owned())
}

impl Walker<'_> {
    /// A download that names its file itself, put into `folder`.
    pub(super) fn downloaded(&mut self, url: &str, folder: &str, st: &State) -> Judged<()> {
        match name_of(url) {
            Some(name) => self.download_to(&format!("{folder}/{name}"), st),
            None => {
                self.landed_in(folder, false, st);
                Ok(())
            }
        }
    }

    /// A download into a file that is named: it may be written, and holds what nobody has read.
    pub(super) fn download_to(&mut self, path: &str, st: &State) -> Judged<()> {
        self.write_path(path, st)?;
        if let Some(key) = self.key(path, st) {
            let content = format!("{}{}", text::ANY, text::FETCHED);
            self.written.insert(key, Some(content.into()));
        }
        Ok(())
    }

    /// Files with names nobody knows landed in `folder`, or anywhere below it.
    pub(super) fn landed_in(&mut self, folder: &str, below: bool, st: &State) {
        for place in &st.cwd {
            if let Some(path) = absolute(folder, place) {
                let spelled = normal(&path);
                // Both where it was said to be and where that really is.
                let real = self.paths.key(folder, place);
                self.landed.extend(
                    real.filter(|real| *real != spelled)
                        .map(|real| (real, below)),
                );
                self.landed.push((spelled, below));
            }
        }
    }

    /// Whether a file could be one that this command downloaded under a name that is not known.
    pub(crate) fn has_landed(&self, path: &str, st: &State) -> bool {
        let lands = |path: &PathBuf| {
            self.landed.iter().any(|(folder, below)| {
                path.parent() == Some(folder.as_path())
                    || *below && (path.starts_with(folder) || fits(folder, path))
            })
        };
        !self.landed.is_empty()
            && st.cwd.iter().any(|place| {
                absolute(path, place).is_some_and(|path| lands(&normal(&path)))
                    || self.paths.key(path, place).is_some_and(|real| lands(&real))
            })
    }
}

/// Whether a path is one that a pattern stands for, or below it.
fn fits(pattern: &Path, path: &Path) -> bool {
    let pattern = pattern.to_string_lossy();
    text::has_glob(&pattern)
        && path
            .ancestors()
            .any(|above| glob::matches(&pattern, &above.to_string_lossy(), true))
}
