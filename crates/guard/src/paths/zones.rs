//! What kind of place a path is from the agent's point of view.
//!
//! A path counts as inside only when both its spelling and its physical target are inside.

use std::path::{Path, PathBuf};

use super::guarded::inner_zone;
use super::resolve::{LOCATING, LONGEST, Paths};
use super::secrets::{home, secret, told_by_name};
use super::spelling::{Place, absolute, climbs_from_unknown, components, normal};
use crate::shell::{glob, text};

/// What kind of place a path is, from the agent's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Zone {
    /// The null device, standard streams.
    Device,
    /// The agent's own temporary folder.
    Temp,
    /// Below the worktree and free to change.
    Inside,
    /// The worktree's own top folder.
    Top,
    /// The worktree's `.git`, or anything in it.
    Git,
    /// What arms the guard, or the orchestrator's files, inside the worktree.
    Guard,
    /// A folder the worktree is in.
    Above,
    Outside,
    /// A disk or another device that must not be written.
    Disk,
    Unknown,
}

impl Paths<'_> {
    /// What kind of place a path is. The more dangerous of its spelling and its physical target counts.
    pub(crate) fn zone(&self, path: &str, place: &Place) -> Zone {
        // Patterns depend on what is in the folder and on the shell's options; plain paths do not.
        let Place::Known(folder) = place else {
            return self.zone_now(path, place);
        };
        if path.len() > LONGEST {
            return Zone::Unknown;
        }
        let base = folder.to_string_lossy();
        if leads_elsewhere(path) || leads_elsewhere(&base) || names_unknown(&base) {
            return self.zone_now(path, place);
        }
        if let Some(device) = device(path) {
            return device;
        }
        if text::is_any(path) || path.is_empty() || path.len() > LONGEST {
            return Zone::Unknown;
        }
        let located = self.located(path, folder);
        if let Some(zone) = located.zone.get() {
            return zone;
        }
        let zone = match &located.real {
            Some(real) => self
                .of_spelled(&located.spelled)
                .max(self.of_normal(real))
                .max(self.of_other_ways(&folder.join(path))),
            None => Zone::Unknown,
        };
        located.zone.set(Some(zone));
        zone
    }

    fn zone_now(&self, path: &str, place: &Place) -> Zone {
        if let Some(device) = device(path) {
            return device;
        }
        if text::is_any(path) || path.is_empty() {
            return Zone::Unknown;
        }
        let Some(absolute) = absolute(path, place) else {
            return Zone::Unknown;
        };
        if absolute.as_os_str().len() > LONGEST || climbs_from_unknown(&absolute) {
            return Zone::Unknown;
        }
        let spelled = self.of_spelled(&normal(&absolute));
        let Some(real) = self.physical(&absolute) else {
            return Zone::Unknown;
        };
        let mut worst = spelled
            .max(self.of_normal(&real))
            .max(self.of_other_ways(&absolute));
        if is_pattern(&absolute.to_string_lossy()) {
            worst = worst.max(self.through_globs(&absolute));
        }
        if text::is_listed(&absolute.to_string_lossy()) && worst < Zone::Above {
            worst = worst.max(self.through_listed(&absolute));
        }
        worst
    }

    /// The worst place among those that a path may lead to.
    pub(super) fn of_ways(&self, path: &Path) -> Zone {
        let Some(ways) = self.ways(path) else {
            return Zone::Unknown;
        };
        let zones = ways.iter().map(|way| self.of_normal(way));
        zones.max().unwrap_or(Zone::Device)
    }

    /// The same, where it is more than one place.
    pub(super) fn of_other_ways(&self, path: &Path) -> Zone {
        if self.made.is_manifold() {
            self.of_ways(path)
        } else {
            Zone::Device
        }
    }

    /// Like `zone`, for what acts on the entry itself: a link at the end is not followed.
    pub(crate) fn zone_of_entry(&self, path: &str, place: &Place) -> Zone {
        if path.len() > LONGEST {
            return Zone::Unknown;
        }
        let trimmed = path.trim_end_matches('/');
        let (parent, last) = match trimmed.rsplit_once('/') {
            Some(("", last)) => ("/", last),
            Some((parent, last)) => (parent, last),
            None => (".", trimmed),
        };
        if trimmed.len() < path.len()
            || text::is_any(path)
            || matches!(last, "" | "." | "..")
            || device(path).is_some()
        {
            return self.zone(path, place);
        }
        let Some(absolute) = absolute(parent, place) else {
            return Zone::Unknown;
        };
        if climbs_from_unknown(&absolute) {
            return Zone::Unknown;
        }
        let Some(real) = self.physical(&absolute) else {
            return Zone::Unknown;
        };
        let spelled = self.of_spelled(&normal(&absolute.join(last)));
        let mut worst = spelled.max(self.of_normal(&real.join(last)));
        match self.ways(&absolute) {
            Some(ways) => {
                for way in ways {
                    worst = worst.max(self.of_normal(&way.join(last)));
                }
            }
            None => return Zone::Unknown,
        }
        if leads_elsewhere(parent) || names_unknown(parent) {
            worst = worst.max(self.zone(parent, place));
        }
        if text::has_glob(last) {
            for hidden in ["..", ".git", ".claude", ".overstory"] {
                if glob::matches(last, hidden, self.dotglob && hidden != "..") {
                    worst = worst.max(self.of_normal(&normal(&real.join(hidden))));
                }
            }
        }
        worst
    }

    /// A pattern in the middle of a path may match a link that leads elsewhere, `..`, or `.git`.
    fn through_globs(&self, absolute: &Path) -> Zone {
        let parts = components(absolute);
        let mut walked = PathBuf::from("/");
        let mut worst = Zone::Device;
        for (at, part) in parts.iter().enumerate() {
            let name = part.to_string_lossy();
            let pattern = text::has_glob(&name);
            // What is handed on as a name is not one of a link's, unless something below it is meant.
            if !pattern && (at + 1 == parts.len() || !names_unknown(&name)) {
                walked.push(part);
                continue;
            }
            if name.starts_with('.') && glob::matches(&name, "..", true) {
                worst = worst.max(self.of_normal(&normal(&walked.join(".."))));
            }
            let rest: PathBuf = parts.iter().skip(at + 1).collect();
            let ways = self.ways(&walked).filter(|ways| !ways.is_empty());
            for base in ways.unwrap_or_else(|| vec![walked.clone()]) {
                if pattern {
                    for hidden in [".git", ".claude", ".overstory"] {
                        if glob::matches(&name, hidden, self.dotglob) {
                            worst = worst.max(self.of_normal(&base.join(hidden).join(&rest)));
                        }
                    }
                }
                let spelled = base.to_string_lossy();
                if text::has_glob(&spelled) || names_unknown(&spelled) {
                    return worst;
                }
                let Some(found) = self.links_in(&base) else {
                    return Zone::Unknown;
                };
                let made = self
                    .made
                    .links()
                    .filter(|link| link.parent() == Some(base.as_path()));
                for link in found.iter().map(PathBuf::as_path).chain(made) {
                    let file = link.file_name().map(|n| n.to_string_lossy());
                    if file.is_some_and(|file| glob::matches(&name, &file, self.dotglob)) {
                        // The link itself as last part may be deleted or replaced; what is behind it may not.
                        worst = worst.max(self.of_ways(&link.join(&rest)));
                    }
                }
            }
            walked.push(part);
        }
        worst
    }

    pub(super) fn of_normal(&self, path: &Path) -> Zone {
        for base in [&self.worktree_real, &self.worktree] {
            if let Some(inner) = below(path, base) {
                return inner_zone(inner);
            }
        }
        if let Some(temp) = &self.temp
            && path.starts_with(temp)
        {
            return Zone::Temp;
        }
        if let Some(device) = path.to_str().and_then(device) {
            return device;
        }
        if self.worktree_real.starts_with(path) || self.worktree.starts_with(path) {
            return Zone::Above;
        }
        Zone::Outside
    }

    /// Whether the path is in the worktree or names it, links followed.
    pub(crate) fn is_inside(&self, path: &str, place: &Place) -> bool {
        matches!(
            self.zone(path, place),
            Zone::Inside | Zone::Top | Zone::Git | Zone::Guard
        )
    }

    /// Whether the path is in the orchestrator's folder beside this worktree: state, or the worktree of another agent.
    pub(crate) fn is_beside(&self, path: &str, place: &Place) -> bool {
        let Some(absolute) = absolute(path, place) else {
            return false;
        };
        let ways = self.ways(&absolute).unwrap_or_default();
        let orchestrator = std::iter::once(normal(&absolute)).chain(ways).any(|path| {
            [&self.root, &self.root_real]
                .into_iter()
                .any(|root| path.starts_with(root.join(".overstory")))
        });
        orchestrator && matches!(self.zone(path, place), Zone::Above | Zone::Outside)
    }

    /// Whether the path is orchestrator state of the main checkout.
    pub(crate) fn is_state(&self, path: &str, place: &Place) -> bool {
        let Some(absolute) = absolute(path, place) else {
            return false;
        };
        let ways = self.ways(&absolute).unwrap_or_default();
        std::iter::once(normal(&absolute)).chain(ways).any(|path| {
            [&self.root, &self.root_real].into_iter().any(|root| {
                path.strip_prefix(root).is_ok_and(|inner| {
                    let text = inner.to_string_lossy();
                    (inner.starts_with(".overstory") || text.starts_with(".overstory"))
                        && !inner.starts_with(".overstory/worktrees")
                })
            })
        })
    }

    /// Whether the path is in the main checkout, links followed.
    pub(crate) fn is_below_root(&self, path: &str, place: &Place) -> bool {
        absolute(path, place).is_some_and(|path| {
            self.is_of_root(&normal(&path))
                && self.ways(&path).is_some_and(|ways| {
                    !ways.is_empty() && ways.iter().all(|way| way.starts_with(&self.root_real))
                })
        })
    }

    /// Whether the path is a whole home or holds one, or is a folder of a home that holds a store of credentials.
    pub(crate) fn is_home(&self, path: &str, place: &Place) -> bool {
        if path.is_empty() || path.len() > LONGEST {
            return false;
        }
        absolute(path, place)
            .map(|absolute| normal(&absolute))
            .is_some_and(|path| {
                let text = path.to_string_lossy();
                [
                    &self.root,
                    &self.root_real,
                    &self.worktree,
                    &self.worktree_real,
                ]
                .into_iter()
                .all(|own| path.as_os_str() != own.as_os_str())
                    && (home(&text) || holds_store(&text) || self.is_lived_in(&path))
            })
    }

    /// Whether a path through what this command made may lead to such a place.
    fn made_is(&self, folder: &Path, path: &str, such: impl Fn(&Path) -> bool) -> bool {
        self.has_made_links()
            && self
                .ways(&folder.join(path))
                .is_none_or(|ways| ways.iter().any(|way| such(way)))
    }

    /// Whether a folder, or one between it and the project, holds what only a home holds. A home may be anywhere.
    fn is_lived_in(&self, folder: &Path) -> bool {
        const SIGNS: &[&str] = &[
            ".ssh",
            ".gnupg",
            ".aws",
            ".netrc",
            ".git-credentials",
            ".kube",
            ".config/gh",
        ];
        if self.is_of_root(folder) {
            return false;
        }
        let plain = (self.root_real != self.root).then_some(&self.root_real);
        let between = std::iter::once(&self.root).chain(plain).flat_map(|root| {
            let above = root.ancestors().skip(1);
            above.take_while(|above| above.starts_with(folder))
        });
        std::iter::once(folder).chain(between).any(|path| {
            self.take_steps(LOCATING);
            self.is_directory(path) && SIGNS.iter().any(|sign| self.exists(&path.join(sign)))
        })
    }

    /// Whether the path is a place where secrets of the user are kept.
    pub(crate) fn is_secret(&self, path: &str, place: &Place) -> bool {
        if path.is_empty() || path.len() > 4096 {
            return false;
        }
        let hidden = |path: &Path| {
            // No file has a longer path; what patterns in it would leave of it is not worked out.
            if path.as_os_str().len() > LONGEST {
                return text::has_glob(&path.to_string_lossy());
            }
            below(path, &self.worktree).is_none() && below(path, &self.worktree_real).is_none() && {
                let mut text = path.to_string_lossy();
                if text::is_listed(&text) {
                    text = text.replace([text::SOLID, text::WHOLE], "").into();
                }
                let base = text.strip_suffix(text::PATH);
                secret(&text) || base.is_some_and(holds_store)
            }
        };
        match place {
            Place::Known(folder) => {
                let located = self.located(path, folder);
                let secret = located.secret.get().unwrap_or_else(|| {
                    let real = located.real.as_ref();
                    hidden(&located.spelled)
                        || real.is_some_and(|real| *real != located.spelled && hidden(real))
                });
                located.secret.set(Some(secret));
                secret || self.made_is(folder, path, hidden)
            }
            Place::Unknown => {
                let Some(absolute) = absolute(path, place) else {
                    return told_by_name(path);
                };
                let ways = self.ways(&absolute).unwrap_or_default();
                hidden(&normal(&absolute)) || ways.iter().any(|real| hidden(real))
            }
        }
    }
}

/// Whether a folder of somebody's home has a store of credentials somewhere below: then what lies some folders
/// deeper may be one.
fn holds_store(path: &str) -> bool {
    let homes = ["/~home", "/root", "/home", "/Users"];
    if path.starts_with('/') && !homes.iter().any(|home| path.starts_with(home)) {
        return false;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (["~home" | "root", first, ..] | ["home" | "Users", _, first, ..]) = parts.as_slice()
    else {
        return false;
    };
    let star = text::STAR;
    (first.starts_with('.') || first.eq_ignore_ascii_case("library"))
        && (0..3).any(|depth| {
            let folders = format!("/{star}").repeat(depth);
            secret(&format!("{path}{folders}/{star}"))
                || secret(&format!("{path}{folders}/.{star}"))
        })
}

/// What is left of a normal path below another one.
pub(super) fn below<'p>(path: &'p Path, base: &Path) -> Option<&'p Path> {
    // Paths are taken apart only where they have the same beginning.
    let (text, start) = (path.as_os_str(), base.as_os_str());
    if !text
        .as_encoded_bytes()
        .starts_with(start.as_encoded_bytes())
    {
        return None;
    }
    if let (Some(text), Some(start)) = (text.to_str(), start.to_str()) {
        // Both are normal: what is left begins with a slash, or is nothing.
        return match text.strip_prefix(start)? {
            "" => Some(Path::new("")),
            rest => rest.strip_prefix('/').map(Path::new),
        };
    }
    path.strip_prefix(base).ok()
}

/// Whether some part of a path is a name that is not known.
fn names_unknown(path: &str) -> bool {
    !text::is_known(path) && path.contains(text::TOKEN)
}

/// Whether a path may lead through links that its own text does not name.
fn leads_elsewhere(path: &str) -> bool {
    is_pattern(path) || text::is_listed(path)
}

/// Whether a part of a path is a pattern, or a folder on it a name that is not known.
fn is_pattern(path: &str) -> bool {
    text::has_glob(path)
        || path
            .rsplit_once('/')
            .is_some_and(|(folders, _)| names_unknown(folders))
}

fn device(path: &str) -> Option<Zone> {
    let name = path.strip_prefix("/dev/")?;
    let harmless = matches!(
        name,
        "null" | "stdout" | "stderr" | "stdin" | "tty" | "zero" | "full" | "random" | "urandom"
    ) || name
        .strip_prefix("fd/")
        .is_some_and(|fd| !fd.is_empty() && fd.bytes().all(|c| c.is_ascii_digit()));
    Some(if harmless { Zone::Device } else { Zone::Disk })
}
