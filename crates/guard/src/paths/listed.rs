//! Paths that something printed: each may be that of a link, as far as there are links below that folder.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::resolve::Paths;
use super::spelling::components;
use super::zones::Zone;
use crate::shell::glob;
use crate::shell::text::{self, PATH, SOLID, WHOLE};

impl Paths<'_> {
    /// The worst place a path leads to whose first printed part is one of the links that exist, or one that leads
    /// on through such a link.
    pub(super) fn through_listed(&self, absolute: &Path) -> Zone {
        let parts = components(absolute);
        let listed = |part: &std::ffi::OsString| text::is_listed(&part.to_string_lossy());
        let Some(at) = parts.iter().position(listed) else {
            return Zone::Device;
        };
        let folder: PathBuf = Path::new("/").join(parts.iter().take(at).collect::<PathBuf>());
        let name = parts.get(at).map(|part| part.to_string_lossy());
        let name = name.unwrap_or_default();
        let rest: Vec<String> = parts
            .iter()
            .skip(at + 1)
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let solid = name.replace(WHOLE, "") == format!("{SOLID}{PATH}");
        if solid && rest.is_empty() {
            return Zone::Device;
        }
        let base = self.physical(&folder).unwrap_or(folder);
        let Some(found) = self.links_below(&base) else {
            return Zone::Unknown;
        };
        let made = self.made.keys().filter(|link| link.starts_with(&base));
        let mut worst = Zone::Device;
        for link in found.iter().chain(made) {
            let Ok(inner) = link.strip_prefix(&base) else {
                continue;
            };
            let inner: Vec<String> = components(inner)
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            for used in 0..=rest.len().min(inner.len().saturating_sub(1)) {
                // So many of the parts behind belong to the name of the link.
                let (first, last) = inner.split_at(inner.len() - used);
                let fits = (used > 0 || !solid)
                    && glob::matches(&name, &first.join("/"), true)
                    && last
                        .iter()
                        .zip(&rest)
                        .all(|(part, sign)| glob::matches(sign, part, self.dotglob));
                if !fits {
                    continue;
                }
                let behind: PathBuf = rest.iter().skip(used).collect();
                let real = self.physical(&link.join(behind));
                worst = worst.max(real.map_or(Zone::Unknown, |real| self.of_normal(&real)));
            }
        }
        worst
    }

    /// The links below a folder; each folder is walked through once. `None` when it holds too much.
    fn links_below(&self, folder: &Path) -> Option<Rc<Vec<PathBuf>>> {
        if let Some(found) = self.walked.borrow().get(folder) {
            return found.clone();
        }
        let found = self.links.links_below(folder).map(Rc::new);
        self.walked
            .borrow_mut()
            .insert(folder.to_path_buf(), found.clone());
        found
    }
}
