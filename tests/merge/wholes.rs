//! Files that are decided as a whole: what the receipt says of their lines is so, whatever the landed file is to git.

use std::collections::HashMap;

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, Decision, MergeOutcome, MergeReport, OnDisplaced, Review, contested,
    execute_reviewed, losses, plan,
};
use grove::types::merge::{DisplacedHunk, DisplacedKind, MergeTier};

const BASE: &[u8] = b"one\ntwo\nthree\nfour\n";
const OURS: &[u8] = b"one\ntwo\nthree\nours\n";
const THEIRS: &[u8] = b"one\ntheirs\nthree\nfour\n";

/// As a text with a byte that makes it none to git.
fn with_nul(text: &[u8]) -> Vec<u8> {
    [text, b"\0\n"].concat()
}

fn wide(text: &[u8], is_big_endian: bool) -> Vec<u8> {
    let text = format!("\u{feff}{}", String::from_utf8_lossy(text));
    let units = text.encode_utf16();
    let bytes = units.map(|unit| {
        if is_big_endian {
            unit.to_be_bytes()
        } else {
            unit.to_le_bytes()
        }
    });
    bytes.flatten().collect()
}

/// What is in a file, read as people read it.
fn lines(bytes: &[u8]) -> HashMap<String, usize> {
    let unit = |pair: &[u8]| match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes([pair[0], pair[1]]),
        _ => u16::from_be_bytes([pair[0], pair[1]]),
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] | [0xfe, 0xff, rest @ ..] => {
            let units: Vec<u16> = rest.chunks_exact(2).map(unit).collect();
            String::from_utf16(&units).unwrap()
        }
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    let mut counts = HashMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts
}

fn times(counts: &HashMap<String, usize>, line: &str) -> usize {
    counts.get(line).copied().unwrap_or(0)
}

/// One file in its versions, and what says how it is merged. `None`: deleted.
struct Case {
    name: &'static str,
    attributes: &'static str,
    versions: [Option<Vec<u8>>; 3],
}

impl Case {
    fn new(name: &'static str, attributes: &'static str, versions: [Vec<u8>; 3]) -> Self {
        Self {
            name,
            attributes,
            versions: versions.map(Some),
        }
    }

    fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::empty();
        let [base, ours, theirs] = &self.versions;
        let first = [
            (".gitattributes", text(self.attributes)),
            ("f", base.as_deref()),
        ];
        sandbox.commit("main", &first, "base");
        sandbox.commit(BRANCH, &[("f", theirs.as_deref())], "theirs");
        sandbox.commit("main", &[("f", ours.as_deref())], "ours");
        sandbox
    }
}

fn cases() -> Vec<Case> {
    let [base, ours, theirs] = [BASE, OURS, THEIRS].map(<[u8]>::to_vec);
    let plain = || [base.clone(), ours.clone(), theirs.clone()];
    let all = |made: &dyn Fn(&[u8]) -> Vec<u8>| [BASE, OURS, THEIRS].map(made);
    let mut cases = vec![
        Case::new("-merge", "f -merge\n", plain()),
        Case::new("binary", "f binary\n", plain()),
        Case::new("a NUL", "", all(&with_nul)),
        Case::new("UTF-16", "", all(&|text| wide(text, false))),
    ];
    for (name, is_big_endian) in [("little", false), ("big", true)] {
        let wide = |text: &[u8]| wide(text, is_big_endian);
        cases.push(Case::new(
            name,
            "",
            [base.clone(), wide(OURS), theirs.clone()],
        ));
        cases.push(Case::new(
            name,
            "",
            [base.clone(), ours.clone(), wide(THEIRS)],
        ));
        cases.push(Case::new(
            name,
            "",
            [wide(BASE), ours.clone(), theirs.clone()],
        ));
    }
    let one_side = [
        [base.clone(), with_nul(OURS), theirs.clone()],
        [base.clone(), ours.clone(), with_nul(THEIRS)],
        [with_nul(BASE), ours.clone(), theirs.clone()],
        // Nothing of the text is in it.
        [base.clone(), b"\0\x01\x02".to_vec(), theirs.clone()],
        [base.clone(), ours.clone(), b"\0\x01\x02".to_vec()],
    ];
    let one_side = one_side.map(|versions| Case::new("a NUL on one side", "", versions));
    cases.extend(one_side);
    for (ours, theirs) in [
        (Some(ours.clone()), None),
        (None, Some(theirs.clone())),
        (Some(with_nul(OURS)), None),
        (None, Some(with_nul(THEIRS))),
    ] {
        let is_text = |side: &Option<Vec<u8>>| side.as_ref().is_none_or(|it| !it.contains(&0));
        let base = if is_text(&ours) && is_text(&theirs) {
            base.clone()
        } else {
            with_nul(BASE)
        };
        cases.push(Case {
            name: "deleted on one side",
            attributes: "",
            versions: [Some(base), ours, theirs],
        });
    }
    cases
}

fn landed(sandbox: &Sandbox, decision: Option<&Decision>) -> MergeReport {
    let MergeOutcome::ContentDisplaced(open) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let mut context = sandbox.context();
    let report = match decision {
        None => {
            context.on_displaced = OnDisplaced::Commit;
            Sandbox::merge_with(&context, &mut |_| {}).unwrap()
        }
        Some(decision) => {
            let review = Review {
                target: open.target,
                branch: open.branch,
                choices: Choices::Hunks(vec![decision.clone(); open.displaced.len()]),
                tier: MergeTier::AutoResolve,
                made: Vec::new(),
            };
            execute_reviewed(&context, &item(BRANCH), &review, &mut |_| {}).unwrap()
        }
    };
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    report
}

fn bytes_at(sandbox: &Sandbox, rev: &str) -> Vec<u8> {
    let repo = sandbox.repo();
    let tree = repo.tree_of(repo.branch_tip(rev).unwrap()).unwrap();
    match repo.entry_at(tree, b"f").unwrap() {
        Some(entry) => repo.blob(entry.id).unwrap(),
        None => Vec::new(),
    }
}

#[test]
fn the_receipt_of_a_file_taken_as_a_whole_names_no_line_that_is_not_so() {
    for case in cases() {
        for decision in [
            None,
            Some(Decision::Ours),
            Some(Decision::Theirs),
            Some(Decision::Text("one\nfour\nmine\n".to_owned())),
        ] {
            let name = format!("{} {:?} {decision:?}", case.name, case.versions);
            let sandbox = case.sandbox();
            let [ours, theirs] = ["main", BRANCH].map(|side| lines(&bytes_at(&sandbox, side)));
            let report = landed(&sandbox, decision.as_ref());
            let there = lines(&bytes_at(&sandbox, "main"));
            let receipt = report.receipt.as_ref().unwrap();
            let mut gone: HashMap<String, usize> = HashMap::new();
            for hunk in receipt.displaced.iter().filter(|hunk| !hunk.is_version()) {
                let listed = hunk.text.lines().filter(|line| !line.trim().is_empty());
                assert_eq!(listed.clone().count() as u64, hunk.line_count, "{name}");
                for line in listed {
                    *gone.entry(line.to_owned()).or_default() += 1;
                }
            }
            for (line, count) in gone {
                let sides = times(&ours, &line) + times(&theirs, &line);
                let left = times(&there, &line);
                assert!(
                    count + left <= sides,
                    "{name}: {line} is there\n{report:#?}"
                );
            }
            for back in &receipt.brought_back {
                let remover = if back.removed_by == "target" {
                    &ours
                } else {
                    &theirs
                };
                let is_back = times(&there, &back.text) > times(remover, &back.text);
                assert!(is_back, "{name}: {} is not back\n{report:#?}", back.text);
            }
            for said in losses(&receipt.displaced, &[]) {
                let line = said.strip_prefix("  - ").unwrap_or_default();
                assert_eq!(times(&there, line), 0, "{name}: {said}");
            }
        }
    }
}

#[test]
fn who_decides_about_a_whole_file_sees_all_of_either_side() {
    let cases = cases();
    let mut attributed = cases.iter().filter(|case| !case.attributes.is_empty());
    let open = |case: &Case| {
        let found = contested(&case.sandbox().repo(), "main", BRANCH);
        let [place] = found.unwrap().unwrap().places.try_into().unwrap();
        place.hunk
    };
    assert!(attributed.all(|case| {
        let hunk = open(case);
        (hunk.text.as_bytes(), hunk.incoming.as_bytes()) == (OURS, THEIRS)
    }));
    let versions = [BASE.to_vec(), OURS.to_vec(), with_nul(THEIRS)];
    assert_eq!(open(&Case::new("", "", versions)).text.as_bytes(), OURS);
}

fn gone(report: &MergeReport) -> Vec<(&str, &str)> {
    let hunks = report.displaced.iter();
    hunks
        .map(|hunk| (&*hunk.text, hunk.agent.as_str()))
        .collect()
}

#[test]
fn every_line_of_a_text_that_a_whole_file_does_not_have_is_named() {
    for case in cases().iter().filter(|case| case.name == "-merge") {
        let report = landed(&case.sandbox(), None);
        assert_eq!(gone(&report), [("two\nours\n", "Tester")]);
        let report = landed(&case.sandbox(), Some(&Decision::Ours));
        assert_eq!(gone(&report), [("theirs\nfour\n", "ann")]);
    }
    let case = Case::new("", "", [BASE.to_vec(), OURS.to_vec(), wide(THEIRS, false)]);
    let report = landed(&case.sandbox(), None);
    assert_eq!(gone(&report), [("two\nours\n", "Tester")]);
    let back = report.receipt.unwrap().brought_back;
    let back: Vec<&str> = back.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(back, ["four"]);
}

#[test]
fn a_version_that_is_no_text_goes_with_its_size_and_counts_no_lines() {
    let cases = [
        (Some(with_nul(OURS)), Some(with_nul(THEIRS)), Decision::Ours),
        (
            Some(with_nul(OURS)),
            Some(with_nul(THEIRS)),
            Decision::Theirs,
        ),
        (Some(with_nul(OURS)), None, Decision::Theirs),
        (None, Some(with_nul(THEIRS)), Decision::Ours),
        (
            None,
            Some(with_nul(THEIRS)),
            Decision::Text("mine\n".to_owned()),
        ),
        (
            Some(with_nul(OURS)),
            None,
            Decision::Text("mine\n".to_owned()),
        ),
    ];
    for (ours, theirs, decision) in cases {
        let name = format!("{:?} {:?} {decision:?}", ours.is_some(), theirs.is_some());
        let case = Case {
            name: "",
            attributes: "",
            versions: [Some(with_nul(BASE)), ours, theirs],
        };
        let report = landed(&case.sandbox(), Some(&decision));
        let hunks: Vec<&DisplacedHunk> = report
            .displaced
            .iter()
            .filter(|hunk| !hunk.text.is_empty())
            .collect();
        let [hunk] = hunks.as_slice() else {
            panic!("{name}: {report:#?}");
        };
        assert!(hunk.is_version(), "{name}: {hunk:#?}");
        assert_eq!((hunk.line_count, hunk.lines()), (0, 0), "{name}");
        let size = if hunk.agent == "ann" {
            with_nul(THEIRS).len()
        } else {
            with_nul(OURS).len()
        };
        let said = losses(std::slice::from_ref(*hunk), &[]);
        let [said] = said.as_slice() else {
            panic!("{name}: {said:?}");
        };
        assert!(said.contains(&format!("{size} bytes")), "{name}: {said}");
    }
}

#[test]
fn a_file_whose_changes_are_not_shown_is_merged_as_the_text_that_it_is() {
    let end = |line: &str| [BASE, line.as_bytes(), b"\n"].concat();
    let case = Case::new("", "f -diff\n", [BASE.to_vec(), end("ours"), end("theirs")]);
    let sandbox = case.sandbox();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let expected = "one\ntwo\nthree\nfour\nours\ntheirs\n";
    assert_eq!(sandbox.show("main", "f"), expected);
    assert!(report.displaced.is_empty() && report.receipt.unwrap().brought_back.is_empty());

    let case = Case::new(
        "",
        "f -diff\n",
        [
            b"a\nx\nb\n".to_vec(),
            b"a\nx = 1\nb\n".to_vec(),
            b"a\nx = 2\nb\n".to_vec(),
        ],
    );
    let report = landed(&case.sandbox(), None);
    assert_eq!(gone(&report), [("x = 1\n", "Tester")]);
    assert_eq!(report.displaced[0].kind, DisplacedKind::Text);
}

/// A link and a file have no version between them, and which it is to be is no question of lines.
#[cfg(unix)]
#[test]
fn a_link_against_a_file_lands_nothing_and_says_what_to_do() {
    let sandbox = Sandbox::new(&[("f", "one\ntwo\n"), ("other", "x\n")]);
    sandbox.commit(BRANCH, &[("f", text("one\ntwo\nthree\n"))], "theirs");
    sandbox.commit("main", &[("f", GONE)], "gone");
    std::os::unix::fs::symlink("other", sandbox.root().join("f")).unwrap();
    sandbox.git(&["add", "f"]);
    sandbox.git(&["commit", "-q", "-m", "a link"]);
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(sandbox.state(), before);
    assert_eq!(report.conclusion, Conclusion::Failed, "{report:#?}");
    assert!(report.displaced.is_empty(), "{report:#?}");
    let said = report.error_message.unwrap();
    assert!(said.starts_with("f is a link on the target"), "{said}");
    assert!(said.ends_with("then merge again"), "{said}");
}
