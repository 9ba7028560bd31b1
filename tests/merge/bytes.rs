//! Lines in encodings of their own: what a receipt keeps of them can be read back byte for byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::support::{BRANCH, Sandbox};
use grove::merge::{Choices, Conclusion, Decision, OnDisplaced, Review, execute_reviewed};
use grove::types::merge::{DisplacedHunk, MergeTier};

fn contested() -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\n")]);
    sandbox.commit(BRANCH, &[("f", Some(b"a\n\xe8t\nc\n"))], "theirs");
    sandbox.commit("main", &[("f", Some(b"a\n\xe9o\nplain\nc\n"))], "ours");
    sandbox
}

fn bytes(hunk: &DisplacedHunk) -> Vec<u8> {
    BASE64.decode(&hunk.text_bytes).unwrap()
}

#[test]
fn displaced_lines_that_are_no_utf8_keep_their_bytes() {
    let sandbox = contested();
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let hunk = &report.displaced[0];
    assert_eq!(hunk.text, "\u{fffd}o\nplain\n");
    assert_eq!(bytes(hunk), b"\xe9o\nplain\n");
}

#[test]
fn what_a_person_gives_up_keeps_its_bytes() {
    for (decision, given_up) in [
        (Decision::Ours, vec![&b"\xe8t\n"[..]]),
        (
            Decision::Text("plain\n".to_owned()),
            vec![b"\xe9o\n", b"\xe8t\n"],
        ),
    ] {
        let sandbox = contested();
        let repo = sandbox.repo();
        let review = Review {
            target: repo.branch_tip("main").unwrap(),
            branch: repo.branch_tip(BRANCH).unwrap(),
            choices: Choices::Hunks(vec![decision]),
            tier: MergeTier::AutoResolve,
            made: Vec::new(),
        };
        let item = crate::support::item(BRANCH);
        let report = execute_reviewed(&sandbox.context(), &item, &review, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let kept: Vec<Vec<u8>> = report.displaced.iter().map(bytes).collect();
        assert_eq!(kept, given_up);
    }
}

#[test]
fn lines_that_differ_only_in_bytes_that_are_no_utf8_or_in_returns_are_accounted_for() {
    let cases: [[&[u8]; 3]; 3] = [
        [b"\xe9\nb\nc", b"\xe9\nb \xfc\nc", b"\xe9\nb \xdf\nc"],
        [
            b"a\r\r\nb\r\r\nc\r\r\n",
            b"a\r\r\nours\r\r\nc\r\r\n",
            b"a\r\r\ntheirs\r\r\nc\r\r\n",
        ],
        [
            b"\xe9\n\xe8\nc\n",
            b"\xe9\n\xfc\r\r\nc\n",
            b"\xe9\n\xdf\r\r\nc\n",
        ],
    ];
    for [base, ours, theirs] in cases {
        for [ours, theirs] in [[ours, theirs], [theirs, ours]] {
            let sandbox = Sandbox::empty();
            sandbox.commit("main", &[("f.txt", Some(base))], "base");
            sandbox.commit(BRANCH, &[("f.txt", Some(theirs))], "theirs");
            sandbox.commit("main", &[("f.txt", Some(ours))], "ours");
            let mut context = sandbox.context();
            context.on_displaced = OnDisplaced::Commit;
            let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
            assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
            assert_eq!(report.receipt.unwrap().account.displaced, 1);
            let repo = sandbox.repo();
            let landed = sandbox.tip("main:f.txt").parse().unwrap();
            assert_eq!(repo.blob(landed).unwrap(), theirs);
        }
    }
}

/// Both sides changed two files whose names differ only in bytes that are no UTF-8.
#[cfg(target_os = "linux")]
fn two_names() -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "a\n")]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let commit = |branch: &str, word: &str| {
        let blob = sandbox.blob(&format!("{word}\n"));
        let tree = [b"\xe8.txt", b"\xe9.txt"].map(|name| {
            let entry = format!("100644 blob {blob}\t");
            [entry.as_bytes(), &name[..], b"\0"].concat()
        });
        let listed = sandbox.root().join(".git/listed");
        std::fs::write(&listed, tree.concat()).unwrap();
        let output = std::process::Command::new("git")
            .current_dir(sandbox.root())
            .args(["mktree", "-z"])
            .stdin(std::fs::File::open(&listed).unwrap())
            .output()
            .unwrap();
        let tree = String::from_utf8(output.stdout).unwrap();
        let parent = sandbox.tip("main");
        let made = ["commit-tree", tree.trim(), "-p", &parent, "-m", word];
        let made = sandbox.git(&made);
        (format!("refs/heads/{branch}"), made)
    };
    let (base, made) = commit("main", "base");
    sandbox.git(&["update-ref", &base, &made]);
    let sides = [commit(BRANCH, "theirs"), commit("main", "ours")];
    for (name, made) in sides {
        sandbox.git(&["update-ref", &name, &made]);
    }
    sandbox
}

#[cfg(target_os = "linux")]
#[test]
fn displaced_lines_of_two_files_whose_names_are_no_utf8_tell_which_they_are_of() {
    let sandbox = two_names();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let named = report.displaced.iter();
    let named: Vec<String> = named.map(DisplacedHunk::place).collect();
    assert_eq!(named, [r#""\350.txt":1"#, r#""\351.txt":1"#]);
    let kept = report.displaced.iter().map(|hunk| &hunk.file_bytes);
    let kept: Vec<Vec<u8>> = kept.map(|name| BASE64.decode(name).unwrap()).collect();
    assert_eq!(kept, [b"\xe8.txt", b"\xe9.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn two_files_whose_names_are_no_utf8_are_two_in_lists_and_answers() {
    let sandbox = two_names();
    let report = sandbox.merge();
    let names = [r#""\350.txt""#, r#""\351.txt""#];
    assert_eq!(report.conflict_files, names);
    let files: Vec<&str> = report.displaced.iter().map(|hunk| &*hunk.file).collect();
    assert_eq!(files, names);
    // No origin is known to a commit of the other name.
    assert!(report.displaced.iter().all(|hunk| !hunk.commit.is_empty()));
    let answers = ["ours\ntheirs\n", "theirs\nours\n"];
    let files = names.map(str::to_owned).into_iter();
    let repo = sandbox.repo();
    let review = Review {
        target: repo.branch_tip("main").unwrap(),
        branch: repo.branch_tip(BRANCH).unwrap(),
        choices: Choices::Files(files.zip(answers.map(str::to_owned)).collect()),
        tier: MergeTier::AiResolve,
        made: Vec::new(),
    };
    let item = crate::support::item(BRANCH);
    let report = execute_reviewed(&sandbox.context(), &item, &review, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let tree = repo.tree_of(repo.branch_tip("main").unwrap()).unwrap();
    for (path, answer) in [&b"\xe8.txt"[..], b"\xe9.txt"].into_iter().zip(answers) {
        let entry = repo.entry_at(tree, path).unwrap().unwrap();
        assert_eq!(repo.blob(entry.id).unwrap(), answer.as_bytes());
    }
}
