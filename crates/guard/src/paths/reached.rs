//! The worktree reached by another way than those it is known by: through a link to it, to a folder it is in, or to one in it.

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
        // Where it really is elsewhere, that decides.
        let inside = |path: &Path| {
            let real = self.physical(path);
            real.filter(|real| real.starts_with(&self.worktree_real))
        };
        if inside(path).is_none() {
            return zone;
        }
        let mut above = path.ancestors().collect::<Vec<_>>().into_iter().rev();
        let found = above.find_map(|above| Some((inside(above)?, path.strip_prefix(above).ok()?)));
        match found {
            Some((real, inner)) => self.of_normal(&real.join(inner)),
            None => zone,
        }
    }
}
