//! What an agent CLI keeps in the user's home folder and has to write to answer at all. The folders
//! were seen in runs of the programs that `docs/runtimes.md` names.

use std::path::{Path, PathBuf};

use super::registry;

/// Paths that a CLI writes outside of the folder it works in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    pub folders: Vec<PathBuf>,
    pub files: Vec<PathBuf>,
}

/// The state of a runtime's CLI; `None` where nobody has looked. `private_dir` is where it was prepared for this one
/// question, `lookup` knows the environment.
pub fn state(
    runtime: &str,
    home: &Path,
    private_dir: &Path,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Option<State> {
    if let Ok(runtime) = registry::find(runtime) {
        return Some(runtime.state(home, Some(private_dir)));
    }
    let moved = |variable: &str, usual: &str| {
        let chosen = lookup(variable).map(PathBuf::from);
        let chosen = chosen.filter(|path| path.is_absolute());
        chosen.unwrap_or_else(|| home.join(usual))
    };
    let folders = match runtime {
        "aider" => vec![home.join(".aider")],
        "codex" => vec![moved("CODEX_HOME", ".codex")],
        "copilot" => vec![
            moved("COPILOT_HOME", ".copilot"),
            moved("XDG_CACHE_HOME", ".cache").join("copilot"),
        ],
        "gemini" => vec![home.join(".gemini")],
        "opencode" => [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
        ]
        .map(|(variable, usual)| moved(variable, usual).join("opencode"))
        .to_vec(),
        "pi" => vec![home.join(".pi/agent")],
        "sapling" => vec![home.join(".bun")],
        _ => return None,
    };
    Some(State {
        folders,
        files: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_home_of_a_cli_is_followed() {
        let home = Path::new("/home/u");
        let of = |runtime: &str, lookup: &dyn Fn(&str) -> Option<String>| {
            state(runtime, home, Path::new("/tmp/ask"), lookup).map(|state| state.folders)
        };
        let nothing = |_: &str| None;
        assert_eq!(of("codex", &nothing), Some(vec!["/home/u/.codex".into()]));
        let moved = |name: &str| (name == "CODEX_HOME").then(|| "/data/codex".to_owned());
        assert_eq!(of("codex", &moved), Some(vec!["/data/codex".into()]));
        let relative = |_: &str| Some("codex".to_owned());
        assert_eq!(of("codex", &relative), Some(vec!["/home/u/.codex".into()]));
        assert_eq!(of("amp", &nothing), None);
        assert!(of("claude", &nothing).is_some());
    }
}
