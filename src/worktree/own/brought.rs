//! What is known about an agent's branches outside of its reach: which folders are its own, and where
//! each branch was when it was last brought over.

use std::collections::BTreeMap;
use std::path::Path;

use crate::platform::fs;

use super::super::error::WorktreeError;

const FILE: &str = "brought";
/// Longer than any name of an object, and a line end.
const LONGEST: u64 = 66;

/// Branches by full name, and where they were.
pub(super) type Tips = BTreeMap<String, String>;

/// Where the agent's branches were when they were last the same inside and outside.
pub(super) fn read(dir: &Path) -> Result<Tips, WorktreeError> {
    let text = fs::read_optional(&dir.join(FILE))?.unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs
        .filter(|(id, _)| *id != "folder")
        .map(|(id, name)| (name.to_owned(), id.to_owned()))
        .collect())
}

/// The folders of refs that are the agent's, each with a slash at its end.
pub(super) fn folders(dir: &Path) -> Result<Vec<String>, WorktreeError> {
    let text = fs::read_optional(&dir.join(FILE))?.unwrap_or_default();
    let named = text.lines().filter_map(|line| line.strip_prefix("folder "));
    Ok(named.map(str::to_owned).collect())
}

pub(super) fn write(dir: &Path, folders: &[String], tips: &Tips) -> Result<(), WorktreeError> {
    let folders = folders.iter().map(|folder| format!("folder {folder}\n"));
    let tips = tips.iter().map(|(name, id)| format!("{id} {name}\n"));
    Ok(fs::write_atomic(
        &dir.join(FILE),
        folders.chain(tips).collect::<String>(),
    )?)
}

/// The agent's branches as its own git has them. Links are not followed, and what is no name of an object or
/// of a branch is left out: the agent writes these files.
pub(super) fn present(dir: &Path) -> Result<Tips, WorktreeError> {
    let mut tips = Tips::new();
    for folder in folders(dir)? {
        let mut open = vec![folder.trim_end_matches('/').to_owned()];
        while let Some(name) = open.pop() {
            for path in fs::list_dir(&dir.join(&name))? {
                let Some(last) = path.file_name().and_then(|last| last.to_str()) else {
                    continue;
                };
                let name = format!("{name}/{last}");
                let Ok(found) = path.symlink_metadata() else {
                    continue;
                };
                if found.is_dir() && is_ref_name(last) {
                    open.push(name);
                } else if found.is_file() && found.len() <= LONGEST && is_ref_name(last) {
                    tips.extend(object_in(&path)?.map(|id| (name, id)));
                }
            }
        }
    }
    Ok(tips)
}

/// The name of an object that a file consists of.
pub(super) fn object_in(path: &Path) -> Result<Option<String>, WorktreeError> {
    if !path
        .symlink_metadata()
        .is_ok_and(|found| found.is_file() && found.len() <= LONGEST)
    {
        return Ok(None);
    }
    let bytes = fs::read_bytes_optional(path)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let id = text.trim_end();
    Ok(is_object_name(id).then(|| id.to_owned()))
}

pub(super) fn is_object_name(id: &str) -> bool {
    matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Stricter than git: what could be taken for an option, a pattern or a file of git's own is no branch here.
fn is_ref_name(part: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\\"'".contains(c);
    !part.is_empty()
        && !part.starts_with(['.', '-'])
        && !part.ends_with(['.'])
        && Path::new(part).extension().is_none_or(|end| end != "lock")
        && !part.contains("..")
        && !part.contains("@{")
        && !part.contains(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_leaves_among_its_branches_is_believed_only_if_it_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("refs/heads/overstory/a");
        std::fs::create_dir_all(own.join("deep")).unwrap();
        let id = "0123456789012345678901234567890123456789";
        for (name, text) in [
            ("t-1", format!("{id}\n")),
            ("deep/t-2", id.to_owned()),
            ("t-3.lock", format!("{id}\n")),
            ("-o", format!("{id}\n")),
            ("linked to", format!("{id}\n")),
            ("symbolic", "ref: refs/heads/main\n".to_owned()),
            ("long", "0".repeat(4000)),
        ] {
            std::fs::write(own.join(name), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("t-1", own.join("link")).unwrap();
        let folder = ["refs/heads/overstory/a/".to_owned()];
        write(dir.path(), &folder, &Tips::new()).unwrap();
        let names: Vec<String> = present(dir.path()).unwrap().into_keys().collect();
        assert_eq!(
            names,
            [
                "refs/heads/overstory/a/deep/t-2",
                "refs/heads/overstory/a/t-1"
            ]
        );
    }
}
