//! A place that is not a project yet.

use super::gather;
use super::view::{Lease, ProjectStage, ProjectView};
use crate::git::{Head, Repo};

/// What can be said about a place that is not a project yet.
pub(super) fn outside(root: &std::path::Path) -> ProjectView {
    let name = root
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut view = ProjectView {
        name,
        coordinator: Lease::None,
        found: gather::found(root),
        ..ProjectView::default()
    };
    match Repo::discover(root) {
        Ok(repo) => {
            view.stage = ProjectStage::NotInitialised;
            view.branch = match repo.head() {
                Ok(Head::Branch(name) | Head::Unborn(name)) => name,
                Ok(Head::Detached(_)) | Err(_) => String::new(),
            };
        }
        Err(_) => view.stage = ProjectStage::NotGit,
    }
    view
}
