//! Where Claude Code keeps what it writes: the user's, and a folder of each agent's own.
//!
//! What lies in the user's is run, read and trusted by the user's next session, so no agent writes there. On
//! macOS the login is an entry of the keychain whose name depends on the folder; there all share the user's.

use super::super::RuntimeError;
use super::super::state::State;
use super::{first_run, transcript};
use crate::platform::fs;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Moves everything that Claude Code keeps.
pub(super) const CONFIG_VARIABLE: &str = "CLAUDE_CONFIG_DIR";
/// Moves the login alone.
pub(super) const LOGIN_VARIABLE: &str = "CLAUDE_SECURESTORAGE_CONFIG_DIR";
/// The folder of an agent's own, in its private folder.
const FOLDER: &str = "claude";
const STATE_FILE: &str = ".claude.json";
/// The login, where it is a file.
pub(super) const LOGIN_FILE: &str = ".credentials.json";

/// What Claude Code writes while it works. Its settings, hooks, commands, skills and the user's own
/// instructions lie beside these and are not for an agent to change, in its own folder neither: what stands
/// in `remote-settings.json` there could switch hooks off.
const STATE_FOLDERS: &[&str] = &[
    "backups",
    "cache",
    "debug",
    "file-history",
    "ide",
    "image-cache",
    "paste-cache",
    "plans",
    "projects",
    "session-env",
    "sessions",
    "shell-snapshots",
    "statsig",
    "tasks",
    "telemetry",
    "todos",
];
/// Files of the same kind.
const STATE_FILES: &[&str] = &["history.jsonl", "stats-cache.json"];

/// Where the user's Claude Code keeps its things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OfUser {
    /// Settings, conversations and the like.
    pub(super) folder: PathBuf,
    /// The file with account, answers and projects.
    pub(super) state: PathBuf,
    /// The folder with the login.
    pub(super) login: PathBuf,
}

/// `lookup` knows the environment.
pub(super) fn of_user(home: &Path, lookup: &dyn Fn(&str) -> Option<String>) -> OfUser {
    let usual = home.join(".claude");
    let chosen = |name: &str| lookup(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let moved = chosen(CONFIG_VARIABLE).filter(absolute);
    let login = match chosen(LOGIN_VARIABLE) {
        Some(said) => Some(said).filter(absolute).unwrap_or_else(|| usual.clone()),
        None => moved.clone().unwrap_or_else(|| usual.clone()),
    };
    OfUser {
        state: moved.as_deref().unwrap_or(home).join(STATE_FILE),
        folder: moved.unwrap_or(usual),
        login,
    }
}

/// The folder of an agent's own, where each has one.
pub(super) fn folder(private_dir: &Path) -> Option<PathBuf> {
    (!cfg!(target_os = "macos")).then(|| private_dir.join(FOLDER))
}

/// What an agent's CLI must be able to write: of the user's own only the login, because what one process
/// renews is void for all that have it from before.
pub(super) fn state(home: &Path, private_dir: Option<&Path>, user: &OfUser) -> State {
    let own = private_dir.and_then(folder);
    let place = own.as_ref().unwrap_or(&user.folder);
    let file = own
        .as_ref()
        .map_or_else(|| home.join(STATE_FILE), |own| own.join(STATE_FILE));
    let files = STATE_FILES.iter().map(|name| place.join(name));
    State {
        folders: STATE_FOLDERS.iter().map(|name| place.join(name)).collect(),
        files: files.chain([file, user.login.join(LOGIN_FILE)]).collect(),
    }
}

/// Makes the folder from what the user has, anew for each start; the variables that lead there.
pub(super) fn make(
    own: &Path,
    user: &OfUser,
    root: &Path,
    api_key: Option<&str>,
) -> Result<[(String, String); 2], RuntimeError> {
    fs::create_private_dir(own)?;
    let state = first_run::for_an_agent(&user.state, root, api_key)?;
    fs::write_atomic(&own.join(STATE_FILE), state)?;
    for name in STATE_FILES {
        // Where it may not make files, it writes those that are there.
        fs::create_new_private(&own.join(name), "")?;
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    Ok([
        (CONFIG_VARIABLE.to_owned(), text(own)),
        (LOGIN_VARIABLE.to_owned(), text(&user.login)),
    ])
}

/// Copies what the user's Claude Code remembers about the project: agents read it, and what they remember themselves
/// does not reach the user's next session.
pub(super) fn remember(own: &Path, user: &OfUser, root: &Path) -> Result<(), RuntimeError> {
    for there in transcript::folders(&user.folder, root) {
        let Some(project) = there.file_name() else {
            continue;
        };
        let kept = there.join("memory");
        let files = fs::list_dir(&kept)?.into_iter();
        let files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        if files.is_empty() {
            continue;
        }
        let folder = plain_folder(
            &plain_folder(&own.join("projects"), project)?,
            "memory".as_ref(),
        )?;
        for file in &files {
            match (file.file_name(), fs::read_bytes(file)) {
                (Some(name), Ok(text)) => fs::write_atomic(&folder.join(name), text)?,
                // It works without this one as well.
                (_, Err(error)) => tracing::warn!(%error, "an agent does not remember this"),
                (None, Ok(_)) => {}
            }
        }
    }
    Ok(())
}

/// Makes a folder where an agent has written: a link of its own must not lead elsewhere.
fn plain_folder(parent: &Path, name: &OsStr) -> Result<PathBuf, RuntimeError> {
    let folder = parent.join(name);
    if folder.is_symlink() || folder.is_file() {
        fs::remove_file(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Brings the transcript of a conversation that an agent had in the user's folder, if it is not here.
pub(super) fn bring(own: &Path, user: &OfUser, conversation: &str) -> Result<(), RuntimeError> {
    if conversation.is_empty() || conversation.contains(['/', '\\']) {
        return Ok(());
    }
    let name = format!("{conversation}.jsonl");
    let (here, there) = (own.join("projects"), user.folder.join("projects"));
    let has = |projects: &Path| {
        let folders = fs::subfolders(projects).into_iter();
        let mut files = folders.map(|folder| folder.join(&name));
        files.find(|file| file.is_file())
    };
    if has(&here).is_some() {
        return Ok(());
    }
    let Some(found) = has(&there) else {
        return Ok(());
    };
    let Some(project) = found.parent().and_then(Path::file_name) else {
        return Ok(());
    };
    let folder = plain_folder(&here, project)?;
    fs::write_atomic(&folder.join(&name), fs::read_bytes(&found)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(variables: &'static [(&str, &str)]) -> OfUser {
        of_user(Path::new("/home/u"), &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_users_own_folder_is_followed_by_its_variables() {
        let usual = user(&[]);
        assert_eq!(usual.state, Path::new("/home/u/.claude.json"));
        assert_eq!(usual.folder, Path::new("/home/u/.claude"));
        assert_eq!(usual.login, Path::new("/home/u/.claude"));
        let moved = user(&[("CLAUDE_CONFIG_DIR", "/data/c")]);
        assert_eq!(moved.state, Path::new("/data/c/.claude.json"));
        assert_eq!(moved.folder, Path::new("/data/c"));
        assert_eq!(moved.login, Path::new("/data/c"));
        let apart = [
            ("CLAUDE_CONFIG_DIR", "/data/c"),
            ("CLAUDE_SECURESTORAGE_CONFIG_DIR", "/data/l"),
        ];
        let apart = of_user(Path::new("/home/u"), &|name| {
            let found = apart.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        assert_eq!(apart.login, Path::new("/data/l"));
        let usual_login = user(&[
            ("CLAUDE_CONFIG_DIR", "/data/c"),
            ("CLAUDE_SECURESTORAGE_CONFIG_DIR", ""),
        ]);
        assert_eq!(usual_login.login, Path::new("/home/u/.claude"));
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn of_the_users_own_an_agent_writes_the_login_alone() {
        let private = Path::new("/p/.overstory/hosts/ann");
        let state = state(Path::new("/home/u"), Some(private), &user(&[]));
        let all = state.folders.iter().chain(&state.files);
        let outside: Vec<&PathBuf> = all.filter(|path| !path.starts_with(private)).collect();
        assert_eq!(outside, [Path::new("/home/u/.claude/.credentials.json")]);
        for forbidden in ["settings.json", "remote-settings.json", "plugins", "skills"] {
            let path = private.join("claude").join(forbidden);
            let mut granted = state.folders.iter().chain(&state.files);
            assert!(!granted.any(|g| path.starts_with(g)), "{forbidden}");
        }
    }

    #[test]
    fn what_the_user_remembers_about_the_project_is_copied() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join("own");
        let user = of_user(home.path(), &|_| None);
        let root = Path::new("/srv/my.project");
        remember(&own, &user, root).unwrap();
        assert!(!own.exists());
        let there = user.folder.join("projects/-srv-my-project/memory");
        std::fs::create_dir_all(&there).unwrap();
        std::fs::write(there.join("MEMORY.md"), "- tabs\n").unwrap();
        let here = own.join("projects/-srv-my-project");
        std::fs::create_dir_all(&here).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(home.path(), here.join("memory")).unwrap();
        remember(&own, &user, root).unwrap();
        let copied = std::fs::read_to_string(here.join("memory/MEMORY.md")).unwrap();
        assert_eq!(copied, "- tabs\n");
        assert!(!home.path().join("MEMORY.md").exists());
    }

    #[test]
    fn a_conversation_of_an_earlier_grove_is_brought_along() {
        let home = tempfile::tempdir().unwrap();
        let own = home.path().join("own");
        let user = of_user(home.path(), &|_| None);
        let there = user.folder.join("projects/-p");
        std::fs::create_dir_all(&there).unwrap();
        std::fs::write(there.join("c1.jsonl"), "old\n").unwrap();
        // What an agent has put there leads nowhere.
        std::fs::create_dir_all(own.join("projects")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(home.path(), own.join("projects/-p")).unwrap();
        bring(&own, &user, "c1").unwrap();
        let here = own.join("projects/-p/c1.jsonl");
        assert_eq!(std::fs::read_to_string(&here).unwrap(), "old\n");
        assert!(!home.path().join("c1.jsonl").exists());
        std::fs::write(&here, "went on\n").unwrap();
        bring(&own, &user, "c1").unwrap();
        assert_eq!(std::fs::read_to_string(&here).unwrap(), "went on\n");
        bring(&own, &user, "../c1").unwrap();
        bring(&own, &user, "unknown").unwrap();
    }
}
