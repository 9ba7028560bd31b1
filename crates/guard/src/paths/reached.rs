//! The worktree reached by another way than those it is known by: through a link to a folder it is in.

use std::path::Path;

use super::resolve::Paths;
use super::zones::Zone;

impl Paths<'_> {
    /// What kind of place a path is by its spelling, also where that begins with another way to the worktree.
    pub(super) fn of_spelled(&self, path: &Path) -> Zone {
        let zone = self.of_normal(path);
        if zone != Zone::Outside {
            return zone;
        }
        let top = self.worktree_real.file_name();
        let worktree = path.ancestors().find(|above| {
            above.file_name() == top && self.physical(above).as_ref() == Some(&self.worktree_real)
        });
        match worktree.and_then(|above| path.strip_prefix(above).ok()) {
            Some(inner) => self.of_normal(&self.worktree_real.join(inner)),
            None => zone,
        }
    }
}
