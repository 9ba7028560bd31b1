//! The scope that the instructions name is read back from them.

use crate::agents::overlay::{OverlayInput, render};
use crate::db::sessions::tests::sample;
use crate::platform::ProjectPaths;
use crate::types::AgentState;
use crate::worktree::{parse_scope, read_file_scope};
use std::path::Path;

#[test]
fn what_the_overlay_says_is_read_back() {
    let scope = ["src/a.rs".to_owned(), "tests/a b.rs".to_owned()];
    let text = render(&OverlayInput {
        file_scope: &scope,
        ..OverlayInput::default()
    });
    assert_eq!(parse_scope(&text), scope);
    assert!(parse_scope(&render(&OverlayInput::default())).is_empty());
}

#[test]
fn a_file_of_the_project_in_the_place_of_the_instructions_hides_no_scope() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ProjectPaths::new(dir.path());
    let worktree = dir.path().join("w");
    let mut session = sample("ann", AgentState::Working);
    session.worktree_path = worktree.display().to_string();
    let scope = ["src/a.rs".to_owned()];
    let text = render(&OverlayInput {
        file_scope: &scope,
        ..OverlayInput::default()
    });
    let write = |path: &Path, text: &str| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let read = || read_file_scope(&paths, &session, "claude");
    assert!(read().is_empty());
    write(&worktree.join(".claude/CLAUDE.md"), "# The project's own");
    assert!(read().is_empty());
    write(&paths.host_instructions("ann"), &text);
    assert_eq!(read(), scope);
    write(
        &worktree.join(".claude/CLAUDE.md"),
        &text.replace("src/a.rs", "src/b.rs"),
    );
    assert_eq!(read(), ["src/b.rs"]);
}
