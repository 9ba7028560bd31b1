//! What a call of git is shown of the packed refs.
//!
//! Mostly the real file, by a chain of links: readable as it is at every moment, and locked in the view. Not writable
//! there, because the name that git would write under is taken. The user's own stash is not the agent's to see, so calls
//! about a stash get a copy without it; and calls that remove branches get a copy to remove them from. What they have
//! removed there is then removed by the agent's host, see [`super::branches`].

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::view::{lead, remove};
use super::words::Need;

/// Where in the view everything of this lies.
pub(super) const FOLDER: &str = "packed";

/// So many links git follows to where it makes the lock of `packed-refs`. The last one it stops at is in here; by it
/// the system reads on in the real file.
const HOPS: u32 = 5;
const STASH: &[u8] = b"refs/stash";

/// A ref that was packed, and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gone {
    pub(super) name: String,
    pub(super) id: String,
}

/// What one call is shown.
#[derive(Debug)]
pub(super) struct PackedRefs {
    file: PathBuf,
    /// The copy as it was made; `None` where the real file is shown.
    copy: Option<Vec<u8>>,
}

/// Makes the links to the real file in the view `git`.
pub(super) fn link(git: &Path, real: &Path) -> io::Result<()> {
    let folder = git.join(FOLDER);
    fs::create_dir_all(folder.join(format!("{HOPS}.new")))?;
    lead(&git.join("packed-refs"), Path::new("packed/1"))?;
    for hop in 2..HOPS {
        lead(&hop_in(&folder, hop), Path::new(&(hop + 1).to_string()))?;
    }
    lead(&hop_in(&folder, HOPS), real)
}

fn hop_in(folder: &Path, hop: u32) -> PathBuf {
    folder.join(hop.to_string())
}

impl PackedRefs {
    /// Shows the real file, or a copy to a call that needs one.
    pub(super) fn show(folder: &Path, real: &Path, need: Need) -> io::Result<Self> {
        let file = hop_in(folder, 1);
        // Left by a git that was killed; no other one is running.
        for left in ["1.lock", "1.new", &format!("{HOPS}.lock")] {
            remove(&folder.join(left))?;
        }
        let copy = match need {
            Need::Nothing | Need::State => None,
            Need::Stash => read(real)?.filter(|text| refs(text).any(|found| found.1 == STASH)),
            Need::Branches => read(real)?,
        };
        let copy = copy.map(|text| without_stash(&text));
        match &copy {
            Some(text) => {
                remove(&file)?;
                fs::write(&file, text)?;
            }
            None => lead(&file, Path::new("2"))?,
        }
        Ok(Self { file, copy })
    }

    /// What git has removed from its copy.
    pub(super) fn gone(&self) -> io::Result<Vec<Gone>> {
        let Some(before) = &self.copy else {
            return Ok(Vec::new());
        };
        let after = fs::read(&self.file)?;
        if after == *before {
            return Ok(Vec::new());
        }
        let left: std::collections::HashSet<&[u8]> = refs(&after).map(|(_, name)| name).collect();
        let gone = refs(before).filter(|(_, name)| !left.contains(name));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(gone
            .map(|(id, name)| Gone {
                name: text(name),
                id: text(id),
            })
            .collect())
    }
}

fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The ids and names of packed refs.
fn refs(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| *byte == b'\n').filter_map(entry)
}

/// The id and the name of a line; none of the header, and of what a tag leads to.
fn entry(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|byte| *byte == b' ')?;
    let (id, name) = line.split_at(end);
    (!matches!(line.first(), Some(b'#' | b'^'))).then(|| (id, name.get(1..).unwrap_or_default()))
}

fn without_stash(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut is_of_stash = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b"^") {
            is_of_stash = entry(line.trim_ascii_end()).is_some_and(|(_, name)| name == STASH);
        }
        if !is_of_stash {
            kept.extend_from_slice(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKED: &str = "# pack-refs with: peeled fully-peeled sorted \n\
        1111111111111111111111111111111111111111 refs/heads/a/x\n\
        2222222222222222222222222222222222222222 refs/heads/main\n\
        3333333333333333333333333333333333333333 refs/stash\n\
        ^4444444444444444444444444444444444444444\n\
        5555555555555555555555555555555555555555 refs/tags/v1\n\
        ^6666666666666666666666666666666666666666\n";

    fn shown(real: &str, need: Need) -> (tempfile::TempDir, PackedRefs, String) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("real"), real).unwrap();
        link(dir.path(), &dir.path().join("real")).unwrap();
        let folder = dir.path().join(FOLDER);
        fs::write(folder.join("1.lock"), "").unwrap();
        let packed = PackedRefs::show(&folder, &dir.path().join("real"), need).unwrap();
        let text = fs::read_to_string(dir.path().join("packed-refs")).unwrap();
        assert!(!folder.join("1.lock").exists());
        (dir, packed, text)
    }

    #[test]
    fn the_stash_of_the_user_is_not_shown_to_calls_about_a_stash() {
        let (_dir, _, text) = shown(PACKED, Need::Stash);
        assert!(!text.contains("stash") && !text.contains("4444"), "{text}");
        assert!(text.ends_with("refs/tags/v1\n^6666666666666666666666666666666666666666\n"));
    }

    #[test]
    fn others_are_shown_the_file_itself() {
        let without = PACKED.replace("refs/stash", "refs/stashed");
        for (real, need) in [(PACKED, Need::State), (&without, Need::Stash)] {
            let (dir, packed, text) = shown(real, need);
            assert_eq!(text, real);
            fs::write(dir.path().join("real"), "").unwrap();
            let now = fs::read_to_string(dir.path().join("packed-refs")).unwrap();
            assert_eq!(now, "");
            assert_eq!(packed.gone().unwrap(), []);
        }
    }

    #[test]
    fn what_git_removes_from_its_copy_is_told() {
        let (dir, packed, text) = shown(PACKED, Need::Branches);
        assert_eq!(packed.gone().unwrap(), []);
        let less = text.replace(
            "1111111111111111111111111111111111111111 refs/heads/a/x\n",
            "",
        );
        fs::write(dir.path().join("packed/1"), less).unwrap();
        let gone = packed.gone().unwrap();
        let told = gone.iter().map(|gone| (gone.name.as_str(), &gone.id[..4]));
        assert_eq!(told.collect::<Vec<_>>(), [("refs/heads/a/x", "1111")]);
        assert_eq!(fs::read_to_string(dir.path().join("real")).unwrap(), PACKED);
    }
}
