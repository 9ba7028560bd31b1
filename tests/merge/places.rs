//! What a person gets to see of a contested merge is what lands: the lines around each place and the
//! chosen lines are the file. And proposals for a place, judged like every other answer.

use std::path::Path;

use grove::merge::{
    Choices, Conclusion, Contested, Decision, PastMerge, PastMerges, Review, contested,
    execute_reviewed, propose,
};
use grove::types::merge::{DisplacedKind, MergeTier};
use proptest::prelude::*;

use crate::runner::runner;
use crate::support::{BRANCH, GONE, Sandbox, item, text};

fn places(sandbox: &Sandbox) -> Contested {
    contested(&sandbox.repo(), "main", BRANCH).unwrap().unwrap()
}

/// Versions of a file in which some blocks are rewritten by both sides, some by one, some by none.
fn versions(blocks: &[u8]) -> [String; 3] {
    let mut all = [String::new(), String::new(), String::new()];
    for (n, block) in blocks.iter().enumerate() {
        let [base, ours, theirs] = &mut all;
        base.push_str(&format!("keep {n}\nbase {n}\nalso {n}\n"));
        let (mine, other) = match block % 5 {
            0 => (format!("base {n}\n"), format!("base {n}\n")),
            1 => (format!("ours {n}\n"), format!("base {n}\n")),
            2 => (format!("mine {n}\nmore {n}\n"), format!("other {n}\n")),
            3 => (format!("mine {n}\n"), String::new()),
            _ => (format!("base {n}\n"), format!("theirs {n}\n")),
        };
        ours.push_str(&format!("keep {n}\n{mine}also {n}\n"));
        theirs.push_str(&format!("keep {n}\n{other}also {n}\n"));
    }
    all
}

fn decision(word: u8) -> Decision {
    match word % 5 {
        0 => Decision::Ours,
        1 => Decision::Theirs,
        2 => Decision::Both,
        3 => Decision::BothReversed,
        _ => Decision::Text("written\n\tanew\n".to_owned()),
    }
}

fn lines_of(place: &grove::merge::Place, decision: &Decision) -> Vec<String> {
    let own = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (ours, theirs) = (own(&place.hunk.text), own(&place.hunk.incoming));
    match decision {
        Decision::Ours => ours,
        Decision::Theirs => theirs,
        Decision::Both => [ours, theirs].concat(),
        Decision::BothReversed => [theirs, ours].concat(),
        Decision::Text(text) => own(text),
    }
}

#[test]
fn the_lines_shown_and_the_lines_chosen_are_the_file_that_lands() {
    let blocks = proptest::collection::vec(any::<u8>(), 2..7);
    let words = proptest::collection::vec(any::<u8>(), 8);
    let contested_cases = std::cell::Cell::new(0);
    runner(24, 500)
        .run(&(blocks, words), |(blocks, words)| {
            let [base, ours, theirs] = versions(&blocks);
            prop_assume!(ours != base && theirs != base);
            let sandbox = Sandbox::new(&[("f", &base)]);
            sandbox.commit(BRANCH, &[("f", text(&theirs))], "theirs");
            sandbox.commit("main", &[("f", text(&ours))], "ours");
            let seen = places(&sandbox);
            let both = blocks.iter().filter(|b| matches!(*b % 5, 2 | 3)).count();
            prop_assert_eq!(seen.places.len(), both);
            if both == 0 {
                return Ok(());
            }
            contested_cases.set(contested_cases.get() + 1);
            let decisions: Vec<Decision> = words.iter().take(both).map(|w| decision(*w)).collect();
            let mut expected = seen.places[0].result.before.clone();
            for (place, decision) in seen.places.iter().zip(&decisions) {
                prop_assert!(ours.contains(&place.hunk.text));
                let in_ours: Vec<&str> = ours.lines().collect();
                let first = place.ours.first.unwrap() - 1;
                let found = in_ours[first..]
                    .iter()
                    .take(place.hunk.text.lines().count());
                prop_assert!(found.copied().eq(place.hunk.text.lines()));
                prop_assert_eq!(
                    place.ours.before.last().map(String::as_str),
                    Some(in_ours[first - 1])
                );
                prop_assert!(
                    place.theirs.first.is_some(),
                    "the branch's side has its place, too"
                );
                expected.extend(lines_of(place, decision));
                expected.extend(place.result.after.iter().cloned());
            }
            let review = Review {
                target: seen.target,
                branch: seen.branch,
                choices: Choices::Hunks(decisions),
                tier: MergeTier::AutoResolve,
                made: Vec::new(),
            };
            let report =
                execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap();
            prop_assert_eq!(report.conclusion, Conclusion::Landed);
            let landed = sandbox.show("main", "f");
            let landed: Vec<&str> = landed.lines().collect();
            prop_assert_eq!(landed, expected);
            Ok(())
        })
        .unwrap();
    assert!(contested_cases.get() > 5, "{}", contested_cases.get());
}

#[test]
fn files_that_are_decided_as_a_whole_have_places_without_lines_around() {
    let sandbox = Sandbox::new(&[("f", "a\nb\n"), ("gone", "x\n")]);
    let theirs = [("f", text("a\ntheirs\n")), ("gone", GONE)];
    sandbox.commit(BRANCH, &theirs, "theirs");
    let ours = [("f", text("a\nours\n")), ("gone", text("x\ny\n"))];
    sandbox.commit("main", &ours, "ours");
    let seen = places(&sandbox);
    let kinds: Vec<_> = seen.places.iter().map(|place| place.hunk.kind).collect();
    assert_eq!(kinds, [DisplacedKind::Text, DisplacedKind::DeletedByBranch]);
    assert_eq!(seen.places[0].result.before, ["a"]);
    assert_eq!(seen.places[1].result.before, Vec::<String>::new());
}

#[test]
fn a_file_that_one_side_has_renamed_has_its_lines_around_on_both() {
    let lines = |five: &str| {
        let line = |n: usize| match n {
            5 => format!("{five}\n"),
            _ => format!("line {n}\n"),
        };
        (1..=20).map(line).collect::<String>()
    };
    let sandbox = Sandbox::new(&[("old", &lines("five"))]);
    let theirs = lines("five theirs");
    let theirs = [("old", GONE), ("new", text(&theirs))];
    sandbox.commit(BRANCH, &theirs, "theirs");
    let ours = lines("five ours");
    sandbox.commit("main", &[("old", text(&ours))], "ours");
    let seen = places(&sandbox);
    assert_eq!(seen.places.len(), 1);
    let place = &seen.places[0];
    assert_eq!(place.hunk.file, "new");
    for side in [&place.ours, &place.theirs] {
        assert_eq!(side.first, Some(5), "{side:?}");
        assert_eq!((side.before.len(), side.after.len()), (4, 15));
    }
}

/// Remembers that the file was contested once.
struct Once;

impl PastMerges for Once {
    fn sharing(&self, files: &[String]) -> Vec<PastMerge> {
        vec![PastMerge {
            tier: MergeTier::AiResolve,
            resolved: true,
            branch: "overstory/eve/t-9".to_owned(),
            agent: "eve".to_owned(),
            files: files.to_vec(),
        }]
    }
}

fn asked(answer: &'static str) -> (Sandbox, Result<grove::merge::Proposed, String>, String) {
    let sandbox = Sandbox::new(&[("f.rs", "fn a() {\n    pay(1);\n}\n")]);
    let theirs = "fn a() {\n    pay(1, \"eur\");\n    log();\n}\n";
    sandbox.commit(BRANCH, &[("f.rs", text(theirs))], "theirs");
    let ours = "fn a() {\n    pay(2);\n}\n";
    sandbox.commit("main", &[("f.rs", text(ours))], "ours");
    let seen = places(&sandbox);
    assert_eq!(seen.places.len(), 1);
    let question = std::cell::RefCell::new(String::new());
    let ask = |text: &str, dir: &Path| {
        assert!(
            dir.is_dir() && !dir.join("f.rs").exists(),
            "nothing to spoil"
        );
        question.replace(text.to_owned());
        Ok(answer.to_owned())
    };
    let before = sandbox.state();
    let repo = sandbox.repo();
    let result = propose(sandbox.root(), &repo, &seen, 0, "why", &Once, &ask).unwrap();
    assert_eq!(sandbox.state(), before, "a proposal changes nothing");
    let question = question.into_inner();
    (sandbox, result, question)
}

#[test]
fn a_proposal_is_judged_by_its_lines() {
    let (_kept, good, question) = asked("    pay(2, \"eur\");\n    log();\n");
    assert_eq!(good.unwrap().lost, Vec::<String>::new());
    assert!(
        question.contains("f.rs") && question.contains("pay(2)"),
        "{question}"
    );
    assert!(
        question.contains("overstory/eve/t-9"),
        "what was learnt: {question}"
    );
    assert!(question.contains("LINES BEFORE") && question.contains("fn a() {"));

    let (_kept, poor, _) = asked("```rust\n    pay(2, \"eur\");\n```\n");
    let poor = poor.unwrap();
    assert_eq!(poor.text, "    pay(2, \"eur\");\n");
    assert_eq!(poor.lost, ["    log();"]);

    for (answer, why) in [
        ("Here are the lines:\n    pay(2);\n", "prose"),
        ("<<<<<<< ours\n    pay(2);\n", "marker"),
        ("    pay(2, (\"eur\";\n", "bracket"),
    ] {
        let (_kept, refused, _) = asked(answer);
        let reason = refused.unwrap_err();
        assert!(reason.contains(why), "{answer}: {reason}");
    }
}
