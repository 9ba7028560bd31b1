//! `init` where the disk is full, at every size: no text of a person is lost.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Finished, GROVE, TestProject};

/// A small file system at a place, if this process may mount one.
struct Small<'s>(&'s Path);

impl<'s> Small<'s> {
    fn at(path: &'s Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(path)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(path)),
            other => {
                crate::support::skipped(format!("no file system can be mounted here: {other:?}"));
                None
            }
        }
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0).status().ok();
    }
}

const MINE: [&str; 5] = [
    "agent-defs/scout.md",
    "agent-defs/builder.md",
    "agent-defs/lead.md",
    "agent-defs/merger.md",
    "config.yaml",
];

fn in_repo(project: &TestProject, repo: &Path, program: &str, args: &[&str]) -> Finished {
    let output = project
        .command(program)
        .args(args)
        .current_dir(repo)
        .output()
        .unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Fills the disk and leaves so many kilobytes.
fn fill(filler: &Path, free_kilobytes: u64) {
    let mut file = std::fs::File::create(filler).unwrap();
    let block = [0_u8; 1024];
    while std::io::Write::write_all(&mut file, &block).is_ok() {}
    let size = file.metadata().unwrap().len();
    file.set_len(size.saturating_sub(free_kilobytes * 1024))
        .unwrap();
}

/// The files below a folder whose text says so.
fn that_say(folder: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(that_say(&path, word));
        } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(word) {
            found.push(path);
        }
    }
    found
}

#[test]
fn init_on_a_full_disk_destroys_no_text_at_any_size() {
    let project = TestProject::bare_folder();
    let disk = project.beside().join("disk");
    let Some(_small) = Small::at(&disk, "3m") else {
        return;
    };
    let repo = disk.join("q");
    std::fs::create_dir(&repo).unwrap();
    for args in [
        &["init", "-q"][..],
        &["commit", "-q", "--allow-empty", "-m", "x"],
    ] {
        assert_eq!(in_repo(&project, &repo, "git", args).code, Some(0));
    }
    let first = in_repo(&project, &repo, GROVE, &["init", "-y"]);
    assert_eq!(first.code, Some(0), "{first:#?}");
    let state = repo.join(".overstory");
    let originals = MINE.map(|name| std::fs::read_to_string(state.join(name)).unwrap());
    let filler = disk.join("filler");
    let mut failed = 0;
    for (free, options) in (8..60)
        .step_by(2)
        .zip([["--force", "-y"], ["-y", "-y"]].iter().cycle())
    {
        let before = originals.clone().map(|text| format!("{text}\n# MINE\n"));
        for (name, text) in MINE.iter().zip(&before) {
            std::fs::write(state.join(name), text).unwrap();
        }
        std::fs::remove_dir_all(state.join("replaced")).ok();
        fill(&filler, free);
        let done = in_repo(
            &project,
            &repo,
            GROVE,
            &[&["init"][..], &options[..]].concat(),
        );
        std::fs::remove_file(&filler).unwrap();
        let here = that_say(&state, "# MINE");
        assert!(here.len() >= MINE.len(), "{free}: {done:#?}\n{here:#?}");
        if done.code == Some(0) {
            continue;
        }
        failed += 1;
        for (name, text) in MINE.iter().zip(&before) {
            let now = std::fs::read_to_string(state.join(name)).unwrap();
            assert_eq!(&now, text, "{free}: {name}: {done:#?}");
        }
        // As before: neither copies nor second names.
        assert_eq!(here.len(), MINE.len(), "{free}: {here:#?}");
        assert!(!done.stderr.contains("could be taken back"), "{done:#?}");
    }
    assert!(failed > 3, "the disk was never full: {failed}");
}
