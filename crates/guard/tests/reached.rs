//! The worktree reached by another way than the one it is known by, and folders that are there.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use grove_guard::check::check_line;
use serde_json::{Value, json};

/// What a builder is told, in a worktree that is known by this path.
fn asked(worktree: &Path, root: &Path, tool: &str, input: &Value) -> String {
    let line = json!({
        "id": 1, "capability": "builder", "tool": tool, "input": input,
        "worktree": worktree, "root": root,
    });
    let answer: Value = serde_json::from_str(&check_line(&line.to_string())).unwrap();
    answer.get("decision").unwrap().as_str().unwrap().to_owned()
}

#[test]
fn a_file_of_the_worktree_is_inside_also_through_a_link_to_a_folder_above() {
    let base = std::env::temp_dir().join(format!("grove-guard-reached-{}", std::process::id()));
    let root = base.join("real/repo");
    let worktree = root.join(".overstory/worktrees/ada");
    std::fs::create_dir_all(worktree.join("src")).unwrap();
    std::fs::create_dir_all(worktree.join("../bob")).unwrap();
    std::os::unix::fs::symlink(base.join("real"), base.join("link")).unwrap();
    std::os::unix::fs::symlink(&root, worktree.join("out")).unwrap();
    let (straight, into) = (base.join("way"), base.join("src"));
    std::os::unix::fs::symlink(&worktree, &straight).unwrap();
    std::os::unix::fs::symlink(worktree.join("src"), &into).unwrap();
    let (straight, into) = (straight.display(), into.display());
    let inner = "link/repo/.overstory/worktrees/ada";
    let by_link = base.join(inner);
    let way = by_link.to_string_lossy();
    let mut wrong = Vec::new();
    let mut check = |tool: &str, input: Value, expect: &str| {
        if asked(&worktree, &root, tool, &input) != expect {
            wrong.push(format!("{tool} {input} not {expect}"));
        }
    };
    for command in [
        format!("echo x > {way}/x"),
        format!("cd {way} && touch x"),
        format!("cd {way}/src && touch ../x"),
        format!("rm -rf {way}/src"),
        format!("touch {straight}/x"),
        format!("cd {straight}/src && touch ../x"),
        format!("touch {into}/x"),
        "ln -sfn src out".to_owned(),
        "DIR=$(cd src && pwd); touch $DIR/x".to_owned(),
        "DIR=\"$(cd src && pwd)\"; touch \"$DIR/x\"".to_owned(),
    ] {
        check("Bash", json!({"command": command}), "allow");
    }
    for command in [
        format!("rm -rf {way}"),
        format!("echo x > {way}/../x"),
        format!("echo x > {way}/../bob/x"),
        format!("echo x > {way}/out/x"),
        format!("cd {way}/.. && touch x"),
        format!("rm {straight}"),
        format!("rm -rf {straight}/"),
        format!("touch {straight}/../bob/x"),
        format!("touch {straight}/out/x"),
        format!("touch {into}/../../x"),
        "ln -sf src out".to_owned(),
        "ln -sfn src out/".to_owned(),
        format!("cd {way}/out && touch x"),
        format!("echo x > {}", base.join("link/repo/x").display()),
        "DIR=$(cd nowhere && pwd); touch $DIR/x".to_owned(),
        "DIR=$(cd out && pwd); touch $DIR/x".to_owned(),
        "cd src && ls || npm publish".to_owned(),
        "cd src || npm publish".to_owned(),
    ] {
        check("Bash", json!({"command": command}), "block");
    }
    for (path, expect) in [("src/x", "allow"), ("x", "allow"), ("../bob/x", "block")] {
        let file = format!("{way}/{path}");
        let edit = json!({"file_path": file, "old_string": "a", "new_string": "b"});
        check("Edit", edit, expect);
        let write = json!({"path": file, "content": "x"});
        check("mcp__fs__write_file", write, expect);
    }
    std::fs::remove_dir_all(&base).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
