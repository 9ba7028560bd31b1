//! Bringing the managed files of a project up to date without losing what somebody changed in
//! them: whatever is replaced is copied to `.overstory/replaced/` first, which git ignores.

use std::path::Path;

use super::error::SetupError;
use super::files::{self, ManagedFile};
use super::transaction::Transaction;
use crate::config;
use crate::platform::{clock, fs};

/// A file that is replaced, and where its old text goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The file, relative to the root.
    pub path: String,
    /// The copy.
    pub copy: ManagedFile,
}

/// Which managed files are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection {
    /// Role definitions.
    pub agents: bool,
    /// The manifest of roles.
    pub manifest: bool,
    /// The hooks of a person's session.
    pub hooks: bool,
}

impl Selection {
    fn is_everything(self) -> bool {
        !(self.agents || self.manifest || self.hooks)
    }

    fn includes(self, name: &str) -> bool {
        self.is_everything()
            || match name {
                "agent-manifest.json" => self.manifest,
                "hooks.json" => self.hooks,
                _ => self.agents && name.starts_with("agent-defs/"),
            }
    }
}

/// What an update changes.
#[derive(Debug, Default)]
pub struct UpdatePlan {
    /// Files with their new text, paths relative to the root.
    pub files: Vec<ManagedFile>,
    /// Selected files that are as they should be, relative to the root.
    pub unchanged: Vec<String>,
    /// Copies of what is replaced.
    pub replaced: Vec<Replaced>,
}

impl UpdatePlan {
    /// Whether a file of the state folder is rewritten.
    pub fn updates(&self, name: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.path.strip_prefix(".overstory/") == Some(name))
    }

    /// Names of role definitions, those that are rewritten and those that are not, sorted.
    pub fn definitions(&self) -> (Vec<&str>, Vec<&str>) {
        let updated = self.files.iter().map(|file| file.path.as_str());
        let unchanged = self.unchanged.iter().map(String::as_str);
        (definition_names(updated), definition_names(unchanged))
    }
}

fn definition_names<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = paths
        .filter_map(|path| path.strip_prefix(".overstory/agent-defs/"))
        .collect();
    names.sort_unstable();
    names
}

/// Plans to refresh the selected files of the project at `root`.
pub fn plan(root: &Path, selection: Selection) -> Result<UpdatePlan, SetupError> {
    if !config::config_path(root).is_file() {
        return Err(SetupError::refused(
            "Not initialized. Run 'grove init' first.",
            format!("there is no {}", config::config_path(root).display()),
        ));
    }
    let mut plan = UpdatePlan::default();
    for file in files::files(None)? {
        let name = file.path.strip_prefix(".overstory/").unwrap_or(&file.path);
        if !selection.includes(name) {
            continue;
        }
        if differs(root, &file) {
            plan.files.push(file);
        } else {
            plan.unchanged.push(file.path);
        }
    }
    plan.replaced = replaced(root, &plan.files, &clock::now().stamp())?;
    Ok(plan)
}

/// Carries the plan out, or leaves everything as it was.
pub fn apply(root: &Path, plan: &UpdatePlan) -> Result<(), SetupError> {
    let mut transaction = Transaction::new(root);
    let copies = plan.replaced.iter().map(|replaced| &replaced.copy);
    for file in copies.chain(&plan.files) {
        if let Err(error) = transaction.write(file) {
            return Err(transaction.take_back(error.into()));
        }
    }
    transaction.keep();
    Ok(())
}

/// Whether a file is missing or has another text.
pub(super) fn differs(root: &Path, file: &ManagedFile) -> bool {
    std::fs::read(root.join(&file.path)).ok().as_deref() != Some(file.text.as_bytes())
}

/// Copies to be made of those files that exist. What only grove writes needs none.
pub(super) fn replaced(
    root: &Path,
    files: &[ManagedFile],
    stamp: &str,
) -> Result<Vec<Replaced>, SetupError> {
    let mut found = Vec::new();
    for file in files {
        let Some(name) = file.path.strip_prefix(".overstory/") else {
            continue;
        };
        let Some(text) = fs::read_optional(&root.join(&file.path))? else {
            continue;
        };
        found.push(Replaced {
            path: file.path.clone(),
            copy: ManagedFile {
                path: format!(".overstory/replaced/{stamp}/{name}"),
                text,
            },
        });
    }
    Ok(found)
}
