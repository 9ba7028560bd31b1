//! An object of git's store that something has replaced: nothing is built on it, and it comes back from the checkout.

use crate::support::TestProject;
use std::fs;
use std::path::PathBuf;

const ANN: &str = "overstory/ann/t-1";

impl TestProject {
    fn object(&self, revision: &str) -> PathBuf {
        let id = self.git(&["rev-parse", revision]);
        self.root()
            .join(".git/objects")
            .join(&id[..2])
            .join(&id[2..])
    }
}

#[test]
fn a_replaced_object_is_neither_merged_nor_given_to_an_agent_and_doctor_puts_it_back() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "project:\n  qualityGates: []\n",
    );
    for (name, text) in [("run.sh", "echo good\n"), ("evil.sh", "echo evil\n")] {
        project.write(name, text);
    }
    project.commit_all();
    for (branch, file) in [(ANN, "ann.txt"), ("overstory/ben/t-2", "ben.txt")] {
        project.git(&["checkout", "-q", "-b", branch, "main"]);
        project.write(file, "new\n");
        project.commit_all();
    }
    project.git(&["checkout", "-q", "main"]);
    project.grove_ok(&["merge", "--branch", ANN]);

    let object = project.object("main:run.sh");
    fs::remove_file(&object).unwrap();
    fs::copy(project.object("main:evil.sh"), &object).unwrap();
    let main = project.git(&["rev-parse", "main"]);
    let refused = [
        vec!["merge", "--branch", "overstory/ben/t-2"],
        vec!["sling", "t-3", "--name", "cleo", "--runtime", "script"],
    ];
    for words in refused {
        let answer = project.grove(&words);
        assert_eq!(answer.code, Some(1), "{answer:?}");
        let named = answer.stderr.contains("does not hold what its name says");
        assert!(
            named && answer.stderr.contains("grove doctor"),
            "{answer:?}"
        );
    }
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    assert!(!project.overstory("worktrees/cleo").exists());

    let report = project.grove(&["doctor", "--fix"]);
    assert!(
        report.stdout.contains("written anew from run.sh"),
        "{report:?}"
    );
    assert_eq!(
        project.git(&["cat-file", "blob", "main:run.sh"]),
        "echo good"
    );
    project.grove_ok(&["merge", "--branch", "overstory/ben/t-2"]);
}
