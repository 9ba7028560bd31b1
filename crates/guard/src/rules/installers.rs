//! Installs for every project of the user, settings of the user, and hooks that every worktree shares.
//!
//! Programs by the words they are asked with. Given a folder of the worktree to work in instead, they are the
//! project's own; whether it is one is judged by where it lies.

use super::flags::{Flags, parse};
use super::installer_names::{INSTALLERS, Installer, What};
use super::user_settings::SETTINGS;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

/// Refuses what changes the machine, or what every worktree shares; `None` for everything else.
pub(super) fn judge(w: &Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let asks = |arg: &String| {
        matches!(
            arg.as_str(),
            "--help"
                | "-h"
                | "--version"
                | "-V"
                | "help"
                | "--list"
                | "--dry-run"
                | "--list-extensions"
        )
    };
    let found = INSTALLERS.iter().chain(SETTINGS).find(|installer| {
        installer.names.contains(&name)
            && installer.changes(&parse(args, installer.short, installer.long), args)
    })?;
    if args.iter().any(asks) || found.stays(w, call, st) {
        return None;
    }
    let asked = args.iter().take(2).map(String::as_str);
    let asked: Vec<&str> = std::iter::once(name).chain(asked).collect();
    let asked = brief(&asked.join(" "));
    Some(Err(match found.what {
        What::Machine => Refusal::new(
            rule::OUTSIDE,
            format!(
                "{asked} changes what all projects of this machine get; use what the project has, and ask your lead by mail for more"
            ),
        ),
        What::Hooks => Refusal::new(
            rule::PROTECTED,
            format!(
                "{asked} changes git hooks, which all worktrees share; run the checks themselves instead"
            ),
        ),
    }))
}

impl Installer {
    fn changes(&self, flags: &Flags, args: &[String]) -> bool {
        let asked = |words: &&[&str]| match **words {
            ["*"] => true,
            [] => flags.operands.is_empty(),
            [only] if only.starts_with('-') => args.iter().any(|arg| arg == only),
            _ => {
                words.len() <= flags.operands.len()
                    && words.iter().zip(&flags.operands).all(|(a, b)| a == b)
            }
        };
        let given = |option: &&str| match option.strip_suffix('*') {
            Some(start) => flags
                .options
                .iter()
                .any(|(name, _)| name.starts_with(start)),
            None => flags.has(&[option]),
        };
        let one_of = |options: &[&str]| options.is_empty() || options.iter().any(given);
        self.words.iter().any(asked)
            && one_of(self.options)
            && one_of(self.also)
            && flags.operands.len() >= self.least
            && !self.here.iter().any(given)
    }

    /// Whether everything named instead lies in the worktree, and something is.
    fn stays(&self, w: &Walker<'_>, call: &Call, st: &State) -> bool {
        let flags = parse(call.args(), self.short, self.long);
        let mut places: Vec<String> = flags
            .values(self.instead)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let variables = self.instead.iter().filter_map(|name| call.variable(name));
        places.extend(variables.map(|value| value.to_string()));
        // A switch that is a folder is one in that folder.
        if self.names == ["opam"]
            && let [first, second, target, ..] = flags.operands.as_slice()
            && first == "switch"
            && second == "create"
            && target.starts_with('.')
        {
            places.push(target.clone());
        }
        let inside = |path: &String| {
            !path.is_empty() && st.cwd.iter().all(|place| w.paths.is_inside(path, place))
        };
        !places.is_empty() && places.iter().all(inside)
    }
}
