//! What the project's attributes say about merging: files that are not texts to be merged, and files that a program
//! of the user's merges.
#![cfg(unix)]

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, Decision, MergeOutcome, MergeReport, OnDisplaced, Review, contested,
    execute_reviewed, plan,
};
use grove::types::merge::{DisplacedKind, MergeTier};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";

/// Both sides append to a file with these attributes: as text, both additions would stay.
fn with(attributes: &str, driver: Option<(&str, &str)>) -> Sandbox {
    let sandbox = Sandbox::new(&[(".gitattributes", attributes), ("deps.lock", BASE)]);
    if let Some((name, command)) = driver {
        sandbox.git(&["config", &format!("merge.{name}.driver"), command]);
    }
    let theirs = format!("{BASE}theirs = 1\n");
    let ours = format!("{BASE}ours = 1\n");
    sandbox.commit(BRANCH, &[("deps.lock", text(&theirs))], "theirs");
    sandbox.commit("main", &[("deps.lock", text(&ours))], "ours");
    sandbox
}

fn decided(sandbox: &Sandbox, decision: Decision) -> MergeReport {
    let MergeOutcome::ContentDisplaced(plan) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let review = Review {
        target: plan.target,
        branch: plan.branch,
        choices: Choices::Hunks(vec![decision]),
        tier: MergeTier::AutoResolve,
    };
    execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap()
}

#[test]
fn a_file_that_must_not_be_merged_as_text_is_held_as_a_whole() {
    let failing = Some(("lockfile", "false"));
    for (attributes, driver) in [
        ("*.lock -merge\n", None),
        ("*.lock binary\n", None),
        ("*.lock merge=binary\n", None),
        ("*.lock merge=lockfile\n", failing),
    ] {
        let sandbox = with(attributes, driver);
        let report = sandbox.merge();
        assert_eq!(
            report.conclusion,
            Conclusion::Held,
            "{attributes}: {report:#?}"
        );
        let [hunk] = report.displaced.as_slice() else {
            panic!("{report:#?}");
        };
        assert_eq!((hunk.kind, hunk.line_count), (DisplacedKind::Binary, 1));
        assert_eq!(hunk.driver, driver.map_or("", |(name, _)| name));

        let report = decided(&sandbox, Decision::Ours);
        assert_eq!(
            report.conclusion,
            Conclusion::Landed,
            "{attributes}: {report:#?}"
        );
        assert_eq!(
            sandbox.show("main", "deps.lock"),
            format!("{BASE}ours = 1\n")
        );
        assert!(report.displaced[0].text.contains("theirs = 1"));
    }
    // A name without a program is merged as text, as git does it.
    assert_eq!(
        with("*.lock merge=none\n", None).merge().conclusion,
        Conclusion::Landed
    );
}

#[test]
fn what_a_driver_leaves_out_is_displaced_by_it_and_named() {
    let sandbox = with("*.lock merge=keep\n", Some(("keep", "true")));
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let hunk = &report.displaced[0];
    assert_eq!(hunk.kind, DisplacedKind::Driven);
    assert_eq!((&*hunk.driver, &*hunk.text), ("keep", "theirs = 1\n"));
    assert_eq!(report.conflict_files, ["deps.lock"]);

    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(
        sandbox.show("main", "deps.lock"),
        format!("{BASE}ours = 1\n")
    );
    assert_eq!(report.receipt.unwrap().displaced[0].driver, "keep");
}

#[test]
fn a_person_decides_about_a_file_that_a_driver_merged() {
    for (decision, now, gone) in [
        (Decision::Ours, "ours = 1\n", "theirs = 1\n"),
        (Decision::Theirs, "theirs = 1\n", "ours = 1\n"),
        (Decision::Both, "ours = 1\n", "theirs = 1\n"),
    ] {
        let sandbox = with("*.lock merge=keep\n", Some(("keep", "true")));
        let report = decided(&sandbox, decision);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert_eq!(sandbox.show("main", "deps.lock"), format!("{BASE}{now}"));
        assert_eq!(report.displaced[0].text, gone);
    }
}

#[test]
fn what_a_driver_writes_anew_is_listed_and_lands() {
    let regenerate = "cat %A %B | sort -u > %A.new && echo generated >> %A.new && mv %A.new %A";
    let sandbox = with("*.lock merge=gen\n", Some(("gen", regenerate)));
    let report = sandbox.merge();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::CleanMerge),
        "{report:#?}"
    );
    let invented = report.receipt.unwrap().invented;
    assert_eq!(invented[0].text, "generated");
}

#[test]
fn the_review_has_all_three_versions_of_what_a_driver_merged_and_takes_the_drivers() {
    let regenerate = "grep -v theirs %B > %A.new; echo generated >> %A.new && mv %A.new %A";
    let sandbox = with("*.lock merge=gen\n", Some(("gen", regenerate)));
    let open = contested(&sandbox.repo(), "main", BRANCH).unwrap().unwrap();
    let [place] = open.places.as_slice() else {
        panic!("{open:#?}");
    };
    let made = format!("{BASE}generated\n");
    let versions = [format!("{BASE}ours = 1\n"), format!("{BASE}theirs = 1\n")];
    assert_eq!(place.driven.as_ref(), Some(&versions));
    assert_eq!(place.hunk.incoming, made);
    assert_eq!(place.hunk.text, "ours = 1\ntheirs = 1\n");

    let report = decided(&sandbox, Decision::Both);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "deps.lock"), made);
    let receipt = report.receipt.unwrap();
    assert_eq!(receipt.displaced[0].text, "ours = 1\ntheirs = 1\n");
    assert_eq!(receipt.account.displaced, 2);
    assert_eq!(receipt.invented[0].text, "generated");
}
