//! Which files of a merge are settings that only a person lands: grove's own, which decide what agents may do, which
//! gates run and what the guard refuses, and those by which agent CLIs start programs. Agents commit them as any other
//! file, so a merge that changes them waits for a person.

use std::collections::BTreeMap;
use std::path::Path;

use crate::git::{ChangedPath, Entry, EntryKind, GitError, Oid, Repo, path_name};

use crate::merge::context::cli_settings::{starts_below, starts_programs};
use crate::merge::context::linked::{Kind, Told, Ways};
use crate::merge::plan::base_of_work;
use crate::text::named;

/// The folder of the settings, below the project's root.
const FOLDER: &str = ".overstory";

/// What of it decides nothing: words for people, and what agents are given to work on.
const HARMLESS: [&str; 4] = ["README.md", ".gitignore", "groups.json", "specs"];

/// The settings that a merge changes, by their names in the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    own: Vec<String>,
    of_clis: Vec<String>,
}

impl Settings {
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.of_clis.is_empty()
    }

    /// Says which they are, and why they matter.
    fn named(&self) -> String {
        let kinds = [
            (
                "settings of grove, which decide what agents may do",
                &self.own,
            ),
            (
                "settings by which agent CLIs start programs as the user who runs them here",
                &self.of_clis,
            ),
        ];
        let kinds = kinds.iter().filter(|(_, files)| !files.is_empty());
        let kinds = kinds.map(|(what, files)| format!("{what}: {}", named(files)));
        kinds.collect::<Vec<_>>().join("; and ")
    }
}

/// Returns the settings of the project at `root` that differ between two trees, which are looked up in `objects`.
pub(in crate::merge) fn changed_settings(
    (repo, root): (&Repo, &Path),
    objects: &Repo,
    (old, new): (Oid, Oid),
) -> Result<Settings, GitError> {
    let changes = objects.changed_paths(old, new)?;
    if changes.is_empty() {
        return Ok(Settings::default());
    }
    let above = above(repo, root);
    let of_clis = |is: bool| is.then_some(Kind::OfClis);
    let told = Told {
        file: |name: &str| {
            let own = decides(&above, name).then_some(Kind::Own);
            own.or_else(|| of_clis(starts_programs(name)))
        },
        folder: |name: &str| of_clis(starts_below(name)),
    };
    let [after, before] = links_of_both(objects, new, &changes)?;
    let mut ways = Vec::new();
    for spelling in [spelled as Spelling, folded] {
        for links in [&before, &after] {
            let links = links.iter();
            let links = links.map(|(link, text)| (spelling(link), spelling(text)));
            ways.push((spelling, Ways::of(&links.collect(), &told)));
        }
    }
    let mut settings = Settings::default();
    for change in &changes {
        let name = spelled(&change.path);
        let leads = [change.old, change.new].into_iter().flatten().any(leads);
        let kind = (told.file)(&name)
            .or_else(|| (told.folder)(&name).filter(|_| leads))
            .or_else(|| {
                let mut ways = ways.iter();
                ways.find_map(|(spelling, ways)| ways.kind(&spelling(&change.path), leads, &told))
            });
        match kind {
            Some(Kind::Own) => settings.own.push(path_name(&change.path)),
            Some(Kind::OfClis) => settings.of_clis.push(path_name(&change.path)),
            None => {}
        }
    }
    Ok(settings)
}

/// Whether other files are found below an entry that is none of their folders.
fn leads(entry: Entry) -> bool {
    match entry.kind {
        EntryKind::Symlink | EntryKind::Submodule => true,
        EntryKind::File | EntryKind::Executable => false,
    }
}

/// How paths are compared.
type Spelling = fn(&[u8]) -> String;

/// A path as text; two paths are never one.
fn spelled(path: &[u8]) -> String {
    let mut name = String::new();
    for chunk in path.utf8_chunks() {
        name += chunk.valid();
        // No path holds a zero byte.
        name.extend(chunk.invalid().iter().map(|byte| format!("\0{byte:02x}")));
    }
    name
}

/// The same on a file system that does not tell cases apart: there a link leads where a spelling of it does.
fn folded(path: &[u8]) -> String {
    spelled(path).to_ascii_lowercase()
}

/// Links by their paths, with their texts.
type Links = BTreeMap<Vec<u8>, Vec<u8>>;

/// The links of a tree, and those of the tree before some changes.
fn links_of_both(
    objects: &Repo,
    new: Oid,
    changes: &[ChangedPath],
) -> Result<[Links; 2], GitError> {
    let mut after = BTreeMap::new();
    // All of them: one that nobody changes tells what lies behind it, which somebody may change.
    for (path, id) in objects.links_in(new)? {
        after.insert(path, objects.blob(id)?);
    }
    let mut before = after.clone();
    for change in changes {
        before.remove(&change.path);
        if let Some(old) = change.old.filter(|old| old.kind == EntryKind::Symlink) {
            before.insert(change.path.clone(), objects.blob(old.id)?);
        }
    }
    Ok([after, before])
}

/// Returns the settings that a branch changes which is to go into `target`, and which a person should look at.
pub fn settings_of_branch(
    repo: &Repo,
    root: &Path,
    target: Oid,
    branch: Oid,
) -> Result<Settings, GitError> {
    match base_of_work(repo, target, branch)? {
        Some(base) => {
            let trees = (repo.tree_of(base)?, repo.tree_of(branch)?);
            changed_settings((repo, root), repo, trees)
        }
        None => Ok(Settings::default()),
    }
}

/// Says that a merge waits for a person, and how that person lands it.
pub(in crate::merge) fn waits(branch: &str, settings: &Settings) -> String {
    format!(
        "{branch} changes {}; only a person lands that, after a look at them: grove merge --branch {branch}",
        settings.named()
    )
}

/// Says what a landed merge has changed.
pub fn changes_settings(settings: &Settings) -> String {
    format!("the merge changes {}", settings.named())
}

/// The names above the project's root in the repository: a project may lie in a folder of it.
fn above(repo: &Repo, root: &Path) -> Vec<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Some(top) = repo.main_root() else {
        return Vec::new();
    };
    let root = real(root);
    let below = root.strip_prefix(real(&top)).ok();
    let names = below.into_iter().flat_map(Path::components);
    names
        .map(|name| name.as_os_str().to_string_lossy().into_owned())
        .collect()
}

/// Whether a file of the repository is one of the settings. Names are compared as a file system would that
/// does not tell cases apart.
fn decides(above: &[String], path: &str) -> bool {
    let mut names = path.split('/');
    let mut is_next = |wanted: &str| {
        names
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(wanted))
    };
    let in_folder = above.iter().all(|name| is_next(name)) && is_next(FOLDER);
    in_folder && names.next().is_none_or(|name| !is_harmless(name))
}

fn is_harmless(name: &str) -> bool {
    HARMLESS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_differ_only_in_bytes_that_are_no_utf8_are_spelled_differently() {
        let paths: [&[u8]; 4] = [
            b"\xe8/.Claude",
            b"\xe9/.Claude",
            b"e8/.Claude",
            "\u{fffd}/.Claude".as_bytes(),
        ];
        for spelling in [spelled as Spelling, folded] {
            let spelled: std::collections::BTreeSet<String> =
                paths.iter().map(|path| spelling(path)).collect();
            assert_eq!(spelled.len(), paths.len(), "{spelled:?}");
        }
        assert_eq!(folded(b"A/.Claude"), folded(b"a/.claude"));
    }

    #[test]
    fn files_that_decide_about_agents_are_told_from_others() {
        let deciding = [
            ".overstory/config.yaml",
            ".overstory/config.local.yaml",
            ".overstory/agent-defs/builder.md",
            ".overstory/agent-manifest.json",
            ".overstory/hooks.json",
            ".Overstory/Config.yaml",
            ".overstory",
        ];
        for path in deciding {
            assert!(decides(&[], path), "{path}");
        }
        let others = [
            ".overstory/README.md",
            ".overstory/.gitignore",
            ".overstory/specs/t-1.md",
            "tests/.overstory/config.yaml",
            ".overstoryx/config.yaml",
            "src/main.rs",
        ];
        for path in others {
            assert!(!decides(&[], path), "{path}");
        }
        let below = ["parts".to_owned(), "one".to_owned()];
        assert!(decides(&below, "parts/one/.overstory/config.yaml"));
        assert!(!decides(&below, ".overstory/config.yaml"));
    }
}
