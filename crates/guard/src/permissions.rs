//! The questions every rule asks: may this path be written, deleted, read; may this variable be set.

use super::gates::REPORT;
use super::paths::{LONGEST, Place, Zone, absolute, holds_guard_files, normal};
use super::policy::{Judged, Refusal, rule};
use super::rules;
use super::shell::state::State;
use super::shell::text::{self, brief};
use super::shell::walk::Walker;

impl Walker<'_> {
    /// May this path be created or overwritten?
    pub(crate) fn write_path(&mut self, path: &str, st: &State) -> Judged<()> {
        possible(path)?;
        self.charge(0)?;
        for place in &st.cwd {
            let zone = self.paths.zone(path, place);
            self.allow_write(zone, path, place)?;
        }
        match self.key(path, st) {
            Some(key) => {
                self.keep_earlier(&key);
                self.parts.remove(&key);
                self.written.insert(key, None);
            }
            None => self.makes_one_of_several(),
        }
        Ok(())
    }

    fn allow_write(&self, zone: Zone, path: &str, place: &Place) -> Judged<()> {
        if matches!(zone, Zone::Device | Zone::Temp) || self.is_fresh(path, place) {
            return Ok(());
        }
        if zone == Zone::Disk {
            return Err(Refusal::new(
                rule::DESTROY,
                format!(
                    "{} is a device; write to a file in your worktree",
                    brief(path)
                ),
            ));
        }
        if !matches!(zone, Zone::Inside | Zone::Top)
            && let Some(right) = self.own_temporary(path, place)
        {
            return Err(Refusal::new(
                rule::OUTSIDE,
                format!(
                    "{} is in a folder that all agents share; use {right}",
                    brief(path)
                ),
            ));
        }
        if !self.role.writes() {
            return Err(read_only(&format!("would write {}", brief(path))));
        }
        match zone {
            Zone::Device | Zone::Temp | Zone::Inside | Zone::Top => Ok(()),
            Zone::Git => Err(Refusal::new(
                rule::PROTECTED,
                "the worktree's .git must stay as it is; use git commands instead",
            )),
            Zone::Guard => Err(Refusal::new(
                rule::PROTECTED,
                format!(
                    "{} holds guard or orchestrator settings; ask your lead by mail if it must change",
                    brief(path)
                ),
            )),
            Zone::Above | Zone::Outside | Zone::Disk => {
                if self.paths.is_state(path, place) {
                    return Err(Refusal::new(
                        rule::STATE,
                        "orchestrator state is changed only by the orchestrator's own commands",
                    ));
                }
                Err(Refusal::new(
                    rule::OUTSIDE,
                    format!(
                        "{} is outside your worktree; write inside {}",
                        brief(path),
                        self.paths.worktree().display()
                    ),
                ))
            }
            Zone::Unknown if text::is_listed(path) && self.paths.was_too_large() => {
                Err(Refusal::new(
                    rule::UNPROVEN,
                    format!(
                        "{} may be a link, and the folder holds too many files to tell; list files alone (-type f), or start in a smaller folder",
                        brief(path)
                    ),
                ))
            }
            Zone::Unknown => Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{} cannot be shown to be inside your worktree; name the path in full",
                    brief(path)
                ),
            )),
        }
    }

    /// Whether `mktemp` made the file, or the folder it is in, for this very command.
    pub(crate) fn is_fresh(&self, path: &str, place: &Place) -> bool {
        !self.fresh.is_empty()
            && absolute(path, place)
                .map(|path| normal(&path))
                .is_some_and(|path| self.fresh.iter().any(|made| path.starts_with(made)))
    }

    /// For a path in the machine's temporary folder: the same place in the agent's own, as a shell word.
    fn own_temporary(&self, path: &str, place: &Place) -> Option<String> {
        self.policy.temp.as_ref()?;
        let spelled = normal(&absolute(path, place)?);
        if self.paths.is_of_project(&spelled) {
            return None;
        }
        let shared = ["/tmp", "/var/tmp", "/private/tmp"];
        let inner = shared
            .iter()
            .find_map(|shared| spelled.strip_prefix(shared).ok())?
            .to_str()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
        Some(
            if inner.chars().all(plain) && inner.len() < 80 && !inner.is_empty() {
                format!("\"$TMPDIR\"/{inner}")
            } else {
                "\"$TMPDIR\"".to_owned()
            },
        )
    }

    /// May a program that edits files keep the old ones under names of this suffix? A star in it is the file's name.
    pub(crate) fn backup(&mut self, suffix: &str, st: &State) -> Judged<()> {
        if suffix.contains('/') || text::is_any(suffix) {
            let name = text::TOKEN.to_string();
            self.write_path(&suffix.replace(['*', text::STAR], &name), st)?;
        }
        Ok(())
    }

    /// May this path be removed or replaced as a whole?
    pub(crate) fn delete_path(&mut self, path: &str, recursive: bool, st: &State) -> Judged<()> {
        possible(path)?;
        self.charge(3)?;
        self.forget_repositories(path, st);
        for place in &st.cwd {
            if self.role.writes()
                && let Some((folder, rest)) = path.split_once(text::WHOLE)
                && !rest.contains('/')
                && matches!(self.paths.zone(folder, place), Zone::Top | Zone::Above)
            {
                return Err(Refusal::new(
                    rule::DESTROY,
                    "this would delete your worktree's .git as well; leave it out with -not -path './.git*', or name what is to go",
                ));
            }
            let zone = self.paths.zone_of_entry(path, place);
            if zone == Zone::Device && !matches!(path, "/dev/null") && self.role.writes() {
                continue;
            }
            if self.role.writes() && matches!(zone, Zone::Top | Zone::Above) {
                return Err(Refusal::new(
                    rule::DESTROY,
                    format!(
                        "{} is your worktree or holds it; delete single files or folders inside it",
                        brief(path)
                    ),
                ));
            }
            self.allow_write(zone, path, place)?;
            if !self.role.writes() {
                continue;
            }
            if let Some(inner) = self.paths.below_worktree(path, place) {
                if holds_guard_files(&inner) {
                    return Err(holds_settings(path));
                }
                if recursive && is_every_name(&inner) {
                    return Err(Refusal::new(
                        rule::DESTROY,
                        "this would empty your worktree; name the files or folders to delete",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Refuses a folder named for the guard settings in it. The whole worktree is not such a name.
    pub(crate) fn keep_guard_files(&self, path: &str, st: &State) -> Judged<()> {
        let held = st.cwd.iter().any(|place| {
            let inner = self.paths.below_worktree(path, place);
            inner.is_some_and(|inner| !inner.is_empty() && holds_guard_files(&inner))
        });
        if held {
            Err(holds_settings(path))
        } else {
            Ok(())
        }
    }

    /// May this path be read?
    pub(crate) fn read_path(&mut self, path: &str, st: &State) -> Judged<()> {
        self.charge(0)?;
        for place in &st.cwd {
            if self.paths.is_secret(path, place) {
                return Err(Self::holds_credentials(path));
            }
        }
        Ok(())
    }

    /// Whether a file is neither of this project nor one that programs bring along.
    pub(crate) fn is_foreign(&self, path: &str, st: &State) -> bool {
        st.cwd.iter().any(|place| {
            matches!(self.paths.zone(path, place), Zone::Outside | Zone::Above)
                && !self.paths.is_below_root(path, place)
        })
    }

    pub(crate) fn holds_credentials(path: &str) -> Refusal {
        // The end of a long way round says what it is about.
        let folded = if path.starts_with('/') {
            normal(std::path::Path::new(path)).display().to_string()
        } else {
            path.to_owned()
        };
        Refusal::new(
            rule::CREDENTIALS,
            format!(
                "{} holds credentials, which agents do not read",
                text::brief_end(&folded)
            ),
        )
    }

    /// A change that is not a file of the worktree: only writers make those.
    pub(crate) fn need_writer(&self, what: &str) -> Judged<()> {
        if self.role.writes() {
            Ok(())
        } else {
            Err(read_only(what))
        }
    }

    /// Every directory the command may run in must be inside the worktree.
    pub(crate) fn need_inside(&self, st: &State, what: &str) -> Judged<()> {
        let own = st.cwd.iter().all(|place| match place {
            Place::Known(_) => {
                matches!(
                    self.paths.zone(".", place),
                    Zone::Inside | Zone::Top | Zone::Temp
                ) || self.is_fresh(".", place)
            }
            Place::Unknown => false,
        });
        if own {
            Ok(())
        } else {
            Err(Refusal::new(
                rule::OUTSIDE,
                format!("{what} here would change files outside your worktree; run it inside"),
            ))
        }
    }

    /// May this variable be given this value? Some values are commands, some switch the guard off.
    pub(crate) fn check_variable(&mut self, name: &str, value: &str, st: &State) -> Judged<()> {
        rules::environment::check(self, name, value, st)
    }
}

/// Whether a pattern fits every name that does not begin with a dot.
fn is_every_name(pattern: &str) -> bool {
    let signs = pattern.replace(text::STAR, "");
    pattern.contains(text::STAR)
        && (signs.is_empty()
            || signs == text::QUEST.to_string()
            || signs == format!("{}!.]", text::BRACKET))
}

/// No system call takes a longer path, so nothing can be there; following it would only take long.
fn possible(path: &str) -> Judged<()> {
    if path.len() > LONGEST && path.chars().filter(char::is_ascii).count() > LONGEST {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!("path too long: {}; no file can have it", brief(path)),
        ));
    }
    Ok(())
}

fn holds_settings(path: &str) -> Refusal {
    Refusal::new(
        rule::PROTECTED,
        format!(
            "{} holds guard settings; leave the folder in place",
            brief(path)
        ),
    )
}

pub(crate) fn read_only(what: &str) -> Refusal {
    Refusal::new(
        rule::READ_ONLY,
        format!("this role only reads, and this {what}{REPORT}"),
    )
}
