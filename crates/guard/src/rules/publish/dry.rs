//! Tasks that are only tried: their runner, or they themselves, are told to show what they would do.

use super::words::is_dry;
use crate::rules::build::only_shows;

/// For which tasks of a command line it is only shown what they would do. Looked up once for all of them.
#[derive(Clone, Copy)]
pub(super) enum Dry {
    All,
    /// Those before this place.
    Before(usize),
    None,
}

impl Dry {
    pub(super) fn of(name: &str, args: &[String]) -> Self {
        let is_dry_run = |arg: &String| matches!(arg.as_str(), "--dry-run" | "--dryRun" | "--dry");
        if only_shows(name, args) || name.ends_with("rake") && args.iter().any(|arg| lists(arg)) {
            return Self::All;
        }
        let last = args.iter().rposition(is_dry_run);
        let before = |place: Option<usize>| place.map_or(Self::None, Self::Before);
        match name {
            // It keeps options for itself that are not behind two dashes, and runs the task all the same.
            "npm" | "node" => {
                let own = args.get(..last.unwrap_or(0)).unwrap_or_default();
                before(own.iter().rposition(|arg| arg == "--"))
            }
            "pnpm" | "yarn" | "bun" | "composer" | "pdm" | "bb" | "melos" | "poetry" | "uv"
            | "hatch" | "pipenv" | "rye" | "pixi" | "mise" | "rtx" | "deno" | "cargo" => {
                before(last)
            }
            _ => {
                let own: Vec<&str> = args
                    .iter()
                    .take_while(|arg| *arg != "--")
                    .map(String::as_str)
                    .collect();
                if last.is_some() || is_dry(name, &own) {
                    Self::All
                } else {
                    Self::None
                }
            }
        }
    }

    pub(super) fn holds_for(self, task: usize) -> bool {
        match self {
            Self::All => true,
            Self::Before(place) => task < place,
            Self::None => false,
        }
    }
}

/// Options of `rake` that list tasks, describe them or say where they are.
fn lists(option: &str) -> bool {
    matches!(
        option,
        "-T" | "--tasks" | "-D" | "--describe" | "-W" | "--where" | "-P" | "--prereqs"
    )
}
