//! Symbolic links that code makes: a link to outside would let later paths lead there.

use super::super::reading::{Call, Owner, PROGRAM, Source, Value};
use super::{Run, home_marked};
use crate::commands::read_only;
use crate::paths::{Zone, absolute};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::text::brief;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// Judges what a link made by code leads to; the link itself is judged as a written file.
    pub(super) fn linked_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let keyed = |name: &str| {
            made.keys
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        let (to, at) = match (made.name.as_str(), &made.owner) {
            ("symlink_to" | "make_symlink", Owner::Object(link)) => (
                made.args.first().cloned().or_else(|| keyed("target")),
                Some(link.clone()),
            ),
            ("symlink" | "symlinkSync" | "ln_s" | "ln_sf", _) => (
                made.args.first().cloned().or_else(|| keyed("src")),
                made.args.get(1).cloned().or_else(|| keyed("dst")),
            ),
            _ => return Ok(()),
        };
        let at = at.as_ref().and_then(Value::as_text).map(home_marked);
        self.link_leads(&made.name, &to.unwrap_or(PROGRAM), at.as_deref(), run)
    }

    fn link_leads(
        &mut self,
        name: &str,
        to: &Value,
        at: Option<&str>,
        run: &mut Run<'_>,
    ) -> Judged<()> {
        for choice in to.choices() {
            if let Value::List(items) = choice {
                for item in items.iter() {
                    self.link_leads(name, item, at, run)?;
                }
                continue;
            }
            let Some(text) = choice.as_text() else {
                if !self.role.writes() {
                    return Err(read_only("makes a link"));
                }
                match choice.source() {
                    Source::Outside
                    | Source::Turned
                    | Source::Made
                    | Source::Content
                    | Source::Above => {
                        return Err(leads_out(name));
                    }
                    Source::Program => {
                        run.unresolved.get_or_insert_with(|| name.to_owned());
                    }
                }
                continue;
            };
            let to = home_marked(text);
            let path = match at.and_then(|at| at.rsplit_once('/')) {
                Some((folder, _)) if !to.starts_with('/') => format!("{folder}/{to}"),
                Some(_) | None => to.clone(),
            };
            for place in &run.st.cwd {
                match self.paths.zone(&path, place) {
                    Zone::Device | Zone::Temp | Zone::Inside | Zone::Top => {}
                    Zone::Git
                    | Zone::Guard
                    | Zone::Above
                    | Zone::Outside
                    | Zone::Disk
                    | Zone::Unknown => return Err(leads_out(&path)),
                }
            }
            for place in &run.st.cwd {
                if let Some(at) = at.and_then(|at| absolute(at, place)) {
                    self.paths.link_made(&at, to.as_ref());
                }
            }
        }
        Ok(())
    }
}

fn leads_out(what: &str) -> Refusal {
    Refusal::new(
        rule::OUTSIDE,
        format!(
            "a link to {} would lead outside your worktree; link to a path inside, or copy what you need",
            brief(what)
        ),
    )
}
