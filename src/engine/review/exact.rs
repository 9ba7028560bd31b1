//! What text alone does not show: the size of what is not text, and bytes that are not UTF-8. Two versions
//! must not look alike when they are not.

use super::view::{CodeLine, PlaceKind, Side};
use crate::git::{Oid, Repo};

/// The two versions of everything.
pub(super) struct Exact<'r> {
    repo: &'r Repo,
    target: Oid,
    branch: Oid,
}

/// The id in what stands for the text of a file that is none.
pub(super) fn described(text: &str) -> Option<&str> {
    let (kind, id) = text.split_once(' ')?;
    let id = id.split_once(',').map_or(id, |(id, _)| id);
    (matches!(kind, "file" | "executable") && id.len() >= 40).then_some(id)
}

impl<'r> Exact<'r> {
    pub(super) fn new(repo: &'r Repo, target: Oid, branch: Oid) -> Self {
        Self {
            repo,
            target,
            branch,
        }
    }

    /// Says of what is taken as a whole what a person can tell apart: how large, or how it may be used.
    pub(super) fn whole(&self, kind: PlaceKind, ours: &mut Side, theirs: &mut Side) {
        let say: fn(&Self, &str) -> Option<String> = match kind {
            PlaceKind::Binary | PlaceKind::Driven => Self::size,
            // A deleted file that is not text is only known by its id.
            PlaceKind::DeletedByBranch | PlaceKind::DeletedByTarget => Self::size,
            PlaceKind::Mode => |_, text| {
                let executable = text.starts_with("executable ");
                let word = if executable {
                    "executable"
                } else {
                    "not executable"
                };
                Some(word.to_owned())
            },
            PlaceKind::Text | PlaceKind::Whole | PlaceKind::Symlink | PlaceKind::Renamed => return,
        };
        for side in [ours, theirs] {
            if let [only] = side.lines.as_slice()
                && let Some(text) = say(self, &only.text)
            {
                side.lines = vec![plain(text)];
            }
        }
    }

    /// `file 0cf376…` names a version by its id: its size says more.
    fn size(&self, text: &str) -> Option<String> {
        let id = described(text)?;
        let size = self.repo.blob_size(Oid::from_str(id).ok()?).ok()?;
        let short = id.get(..8)?;
        Some(format!("not text, {size} bytes ({short})"))
    }

    /// Writes bytes out that are not UTF-8, as `<e9>`.
    pub(super) fn lines(&self, kind: PlaceKind, file: &str, ours: &mut Side, theirs: &mut Side) {
        if !matches!(kind, PlaceKind::Text | PlaceKind::Whole) {
            return;
        }
        for (commit, side) in [(self.target, ours), (self.branch, theirs)] {
            let unclear = |line: &CodeLine| line.text.contains('\u{fffd}');
            let Some(first) = side.first.filter(|_| side.lines.iter().any(unclear)) else {
                continue;
            };
            let Some(bytes) = self.bytes(commit, file) else {
                continue;
            };
            let there = bytes.split(|byte| *byte == b'\n').skip(first - 1);
            for (line, bytes) in side.lines.iter_mut().zip(there) {
                if unclear(line) {
                    *line = plain(written_out(bytes));
                }
            }
        }
    }

    fn bytes(&self, commit: Oid, file: &str) -> Option<Vec<u8>> {
        let tree = self.repo.tree_of(commit).ok()?;
        let entry = self.repo.entry_at(tree, file.as_bytes()).ok()??;
        self.repo.blob(entry.id).ok()
    }
}

fn plain(text: String) -> CodeLine {
    CodeLine {
        text,
        ..CodeLine::default()
    }
}

fn written_out(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("<{byte:02x}>"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::written_out;

    #[test]
    fn bytes_that_are_not_text_are_told_apart() {
        assert_eq!(written_out(b"caf\xe9 \xff"), "caf<e9> <ff>");
        assert_eq!(written_out("ein Bär".as_bytes()), "ein Bär");
    }
}
