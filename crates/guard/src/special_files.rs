//! Files that are no plain ones: named pipes, at which whoever opens them waits, and links where git looks.
//!
//! The sandbox refuses both to the kernel's callers; here it is said how to do it right.

use super::paths::Zone;
use super::policy::{Judged, Refusal, rule};
use super::shell::state::State;
use super::shell::text::brief;
use super::shell::walk::Walker;

impl Walker<'_> {
    /// May a named pipe be made here? Only in a temporary folder: git and whatever else walks through the worktree
    /// would wait at it for ever.
    pub(crate) fn pipe_path(&mut self, path: &str, st: &State) -> Judged<()> {
        self.write_path(path, st)?;
        let apart = st.cwd.iter().all(|place| {
            self.is_fresh(path, place)
                || matches!(self.paths.zone(path, place), Zone::Temp | Zone::Device)
        });
        if apart { Ok(()) } else { Err(in_the_way(path)) }
    }

    /// May a link be made here? Not in the folder of a repository: git would follow it, or wait at its end.
    pub(crate) fn link_path(&self, path: &str, st: &State) -> Judged<()> {
        let in_git = st.cwd.iter().any(|place| {
            let inner = self.paths.below_worktree(path, place);
            inner.is_some_and(|inner| inner.split('/').any(|part| part == ".git"))
        });
        if in_git {
            return Err(Refusal::new(
                rule::PROTECTED,
                format!(
                    "{} would be a link in git's own folder, which git follows; copy the file there, or use git commands",
                    brief(path)
                ),
            ));
        }
        Ok(())
    }
}

/// The refusal of a pipe where others come by.
pub(crate) fn in_the_way(path: &str) -> Refusal {
    Refusal::new(
        rule::PROTECTED,
        format!(
            "{} would be a pipe at which git waits for ever; make it in a temporary folder: d=$(mktemp -d) && mkfifo \"$d/p\"",
            brief(path)
        ),
    )
}
