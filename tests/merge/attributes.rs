//! What the project's attributes say about merging: files that are not texts to be merged, and files that a program
//! of the user's merges.
#![cfg(unix)]

use std::path::Path;

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, ConflictResolver, ContestedFile, Decision, MergeError, MergeItem,
    MergeOutcome, MergeReport, OnDisplaced, Review, contested, execute_reviewed,
    execute_with_resolver, plan,
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
        made: Vec::new(),
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
fn what_merges_files_without_the_attribute_is_a_driver_like_any_other() {
    let default = |name: &str, attributes: &str| {
        let sandbox = with(attributes, Some(("keep", "true")));
        sandbox.git(&["config", "merge.default", name]);
        sandbox
    };
    let sandbox = default("keep", "");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let hunk = &report.displaced[0];
    assert_eq!(hunk.kind, DisplacedKind::Driven);
    assert_eq!((&*hunk.driver, &*hunk.text), ("keep", "theirs = 1\n"));
    let report = decided(&sandbox, Decision::Theirs);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let theirs = format!("{BASE}theirs = 1\n");
    assert_eq!(sandbox.show("main", "deps.lock"), theirs);

    let report = default("binary", "").merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    assert_eq!(report.displaced[0].kind, DisplacedKind::Binary);

    for (name, attributes) in [("binary", "*.lock merge\n"), ("none", ""), ("union", "")] {
        let report = default(name, attributes).merge();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    }
}

#[test]
fn conflict_markers_that_a_driver_leaves_never_land_whatever_its_exit_code() {
    let marked = "{ echo '<<<<<<< ours'; cat %A; echo '======='; cat %B; echo '>>>>>>> theirs'; } > %A.new; \
                  mv %A.new %A";
    let with_markers = || with("*.lock merge=mark\n", Some(("mark", marked)));
    let sandbox = with_markers();
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    assert_eq!(report.conflict_files, ["deps.lock"]);
    let [hunk] = report.displaced.as_slice() else {
        panic!("{report:#?}");
    };
    assert_eq!((hunk.kind, &*hunk.driver), (DisplacedKind::Binary, "mark"));
    assert_eq!(hunk.text, "ours = 1\n");
    assert_eq!(sandbox.state(), before);

    let report = decided(&sandbox, Decision::Ours);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let ours = format!("{BASE}ours = 1\n");
    assert_eq!(sandbox.show("main", "deps.lock"), ours);

    let sandbox = with_markers();
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let theirs = format!("{BASE}theirs = 1\n");
    assert_eq!(sandbox.show("main", "deps.lock"), theirs);
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

/// A driver that writes down that it ran, and makes something else each time if it is told to.
fn counting(makes: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[
        (".gitattributes", "*.lock merge=gen\n"),
        ("deps.lock", BASE),
        ("f", BASE),
    ]);
    let log = sandbox.root().join(".git/ran");
    let driver = format!("echo ran >> '{}'; {makes}", log.display());
    let driver = driver.replace("LOG", &log.display().to_string());
    sandbox.git(&["config", "merge.gen.driver", &driver]);
    let side = |word: &str| {
        let lock = format!("{BASE}{word} = 1\n");
        (lock, BASE.replace("two", word))
    };
    for (branch, word) in [(BRANCH, "theirs"), ("main", "ours")] {
        let (lock, f) = side(word);
        sandbox.commit(branch, &[("deps.lock", text(&lock)), ("f", text(&f))], word);
    }
    sandbox
}

fn runs(sandbox: &Sandbox) -> usize {
    sandbox.read(".git/ran").lines().count()
}

struct Keeps;

impl ConflictResolver for Keeps {
    fn answer(
        &self,
        _item: &MergeItem,
        _tier: MergeTier,
        file: &ContestedFile,
        _dir: &Path,
    ) -> Result<String, String> {
        Ok(file.ours.replace("ours\n", "ours\ntheirs\n"))
    }
}

#[test]
fn a_driver_runs_once_for_a_merge_and_what_it_made_then_is_what_lands() {
    let sandbox = counting("cat %A %B | sort -u > %A.new; wc -l < 'LOG' >> %A.new; mv %A.new %A");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let report = execute_with_resolver(&context, &item(BRANCH), &Keeps, &mut |_| {}).unwrap();
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::AiResolve),
        "{report:#?}"
    );
    assert_eq!(runs(&sandbox), 1);
    assert!(sandbox.show("main", "deps.lock").ends_with("1\n"));
    assert!(sandbox.show("main", "f").contains("ours\ntheirs\n"));
}

#[test]
fn a_driver_that_makes_something_else_than_what_was_reviewed_lands_nothing() {
    for (makes, is_same) in [
        ("cat %A %B | sort -u > %A.new; mv %A.new %A", true),
        (
            "cat %A %B | sort -u > %A.new; wc -l < 'LOG' >> %A.new; mv %A.new %A",
            false,
        ),
    ] {
        let sandbox = counting(makes);
        let open = contested(&sandbox.repo(), "main", BRANCH).unwrap().unwrap();
        let review = Review {
            target: open.target,
            branch: open.branch,
            choices: Choices::Hunks(vec![Decision::Both; open.places.len()]),
            tier: MergeTier::AutoResolve,
            made: open.made,
        };
        let before = sandbox.tip("main");
        let landed = execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {});
        if is_same {
            assert_eq!(landed.unwrap().conclusion, Conclusion::Landed);
            continue;
        }
        assert!(
            matches!(&landed, Err(MergeError::DriverDiffers { file }) if file == "deps.lock"),
            "{landed:#?}"
        );
        assert_eq!(sandbox.tip("main"), before);
    }
}

#[test]
fn what_a_driver_wrote_is_not_said_to_be_kept_twice() {
    for decision in [Decision::Both, Decision::Theirs] {
        let sandbox = with("*.lock merge=own\n", Some(("own", "echo merged > %A")));
        let report = decided(&sandbox, decision);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let receipt = report.receipt.unwrap();
        assert!(receipt.kept_twice.is_empty(), "{receipt:#?}");
        assert!(
            !report
                .warnings
                .iter()
                .any(|it| it.contains("twice") || it.contains("moved")),
            "{:?}",
            report.warnings
        );
    }
}

/// It stood in the user's checkout, and git put the versions of the file there.
#[test]
fn a_driver_stands_beside_the_checkout_and_finds_the_projects_scripts() {
    let sandbox = with("*.lock merge=own\n", None);
    let script = "#!/bin/sh\npwd > \"$1/stood\"; ls -A > \"$1/saw\"; cat \"$3\" >> \"$2\"\n";
    sandbox.write("tools/driver.sh", script);
    let notes = tempfile::tempdir().unwrap();
    let command = format!("sh tools/driver.sh '{}' %A %B", notes.path().display());
    sandbox.git(&["config", "merge.own.driver", &command]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(sandbox.show("main", "deps.lock").contains("theirs = 1"));
    let noted = |name: &str| std::fs::read_to_string(notes.path().join(name)).unwrap();
    let stood = std::path::PathBuf::from(noted("stood").trim_end());
    let scratch = sandbox
        .root()
        .canonicalize()
        .unwrap()
        .join(".overstory/scratch");
    assert_eq!(stood.parent(), Some(&*scratch));
    assert!(noted("saw").contains("merge_file"), "{}", noted("saw"));
    assert!(!stood.exists());
    let there = std::fs::read_dir(sandbox.root()).unwrap();
    let names = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(
        !names
            .into_iter()
            .any(|name| name.starts_with(".merge_file"))
    );
}
