//! Files that the account refuses though nothing in them is contested: they are put to a person as a whole, so that there
//! is no merge that nobody can decide.

use grove::merge::{
    Choices, Conclusion, Decision, MergeReport, OnDisplaced, Review, contested, execute,
    execute_reviewed,
};
use grove::types::merge::MergeTier;

use crate::support::{BRANCH, Sandbox, item, text};

const BLOCK: &str =
    "\nCOMMENT ON seg IS\n'floating interval long words';\n\n--\n-- External functions\n--\n\n";
const REST: &str = "-- Left methods\n\nCREATE FUNCTION left(seg)\nRETURNS bool;\n\ntail;\n";

fn with_block(block: &str) -> String {
    format!("CREATE a;\nx1;\n);\n{block}{REST}")
}

/// One side moves a block to another file and indents what follows it, the other one copies two lines within the block.
/// In `c`, both sides rewrite a line if they are asked to.
fn sandbox(mover_is_target: bool, has_contest: bool) -> Sandbox {
    let base = with_block(BLOCK);
    let sandbox = Sandbox::new(&[
        ("a.sql", &base),
        ("b.sql", "one;\ntwo;\nthree;\nfour;\n"),
        ("c", "c\n"),
    ]);
    let copied = BLOCK.replace(
        "functions\n",
        "functions\n\nCOMMENT ON seg IS\n'floating interval long words';\n",
    );
    let copier = [("a.sql", with_block(&copied))];
    let indented = REST.replace("CREATE", "    CREATE");
    let indented = indented.replace("RETURNS", "    RETURNS");
    let mover = [
        ("a.sql", format!("CREATE a;\nx1;\n);\n{indented}")),
        ("b.sql", format!("one;\ntwo;\n{BLOCK}three;\nfour;\n")),
    ];
    let sides: [&[(&str, String)]; 2] = if mover_is_target {
        [&mover, &copier]
    } else {
        [&copier, &mover]
    };
    for (branch, files) in [BRANCH, "main"].into_iter().zip([sides[1], sides[0]]) {
        let mut changes: Vec<_> = files.iter().map(|(name, it)| (*name, text(it))).collect();
        let own = format!("c of {branch}\n");
        if has_contest {
            changes.push(("c", text(&own)));
        }
        sandbox.commit(branch, &changes, "c");
    }
    sandbox
}

fn decided(sandbox: &Sandbox, decision: &Decision) -> MergeReport {
    let open = contested(&sandbox.repo(), "main", BRANCH).unwrap().unwrap();
    let review = Review {
        target: open.target,
        branch: open.branch,
        choices: Choices::Hunks(vec![decision.clone(); open.places.len()]),
        tier: MergeTier::AutoResolve,
        made: open.made,
    };
    execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap()
}

#[test]
fn a_file_that_the_account_refuses_is_contested_as_a_whole() {
    for mover_is_target in [true, false] {
        for has_contest in [false, true] {
            let start = || sandbox(mover_is_target, has_contest);
            let held = start();
            let before = held.state();
            let report = held.merge();
            assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
            assert_eq!(held.state(), before);
            let open = contested(&held.repo(), "main", BRANCH).unwrap().unwrap();
            let files: Vec<&str> = open.places.iter().map(|it| it.hunk.file.as_str()).collect();
            let expected: &[&str] = if has_contest {
                &["a.sql", "c"]
            } else {
                &["a.sql"]
            };
            assert_eq!(files, expected);
            let said = |said: &String| said.starts_with("a.sql: ") && said.contains("Review");
            assert!(report.warnings.iter().any(said), "{:#?}", report.warnings);
            assert!(open.warnings.iter().any(said), "{:#?}", open.warnings);
            let written = "CREATE all;\n".to_owned();
            for decision in [
                Decision::Ours,
                Decision::Theirs,
                Decision::Text(written.clone()),
            ] {
                let sandbox = start();
                let [ours, theirs] = ["main", BRANCH].map(|side| sandbox.show(side, "a.sql"));
                let report = decided(&sandbox, &decision);
                assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
                let expected = match decision {
                    Decision::Ours => &ours,
                    Decision::Theirs => &theirs,
                    _ => &written,
                };
                assert_eq!(&sandbox.show("main", "a.sql"), expected);
            }
        }
    }
}

#[test]
fn a_file_that_the_account_refuses_is_the_branchs_where_nobody_wants_to_be_asked() {
    let sandbox = sandbox(false, false);
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let theirs = sandbox.show(BRANCH, "a.sql");
    let report = execute(&context, &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "a.sql"), theirs);
    let [gone] = report.displaced.as_slice() else {
        panic!("{report:#?}");
    };
    assert!(gone.text.contains("'floating interval long words';"));
}
