//! What a model or a person wrote is looked at place by place: nothing lost here is made up for by something
//! that is back there, and what is new is listed.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Choices, Conclusion, ConflictResolver, ContestedFile, Decision, MergeItem, MergeOutcome,
    MergeReport, OnDisplaced, Review, execute_reviewed, execute_with_resolver, plan,
};
use grove::types::merge::MergeTier;

struct Says<'a>(&'a str);

impl ConflictResolver for Says<'_> {
    fn answer(
        &self,
        _: &MergeItem,
        _: MergeTier,
        _: &ContestedFile,
        _: &std::path::Path,
    ) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

fn asked(sandbox: &Sandbox, answer: &str) -> MergeReport {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    execute_with_resolver(&context, &item(BRANCH), &Says(answer), &mut |_| {}).unwrap()
}

fn with(base: &str, ours: &str, theirs: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("f.rs", base)]);
    sandbox.commit(BRANCH, &[("f.rs", text(theirs))], "theirs");
    sandbox.commit("main", &[("f.rs", text(ours))], "ours");
    sandbox
}

const BASE: &str = "fn a() {\n    x = 0;\n}\nfn mid() {\n    check(user)?;\n    m();\n}\nfn z() {\n    y = 0;\n}\n";
const OURS: &str = "fn a() {\n    check(user)?;\n    x = 1;\n}\nfn mid() {\n    check(user)?;\n    m();\n}\nfn z() {\n    y = 1;\n}\n";
const THEIRS: &str = "fn a() {\n    x = 2;\n}\nfn mid() {\n    m();\n}\nfn z() {\n    y = 2;\n}\n";

#[test]
fn an_answer_that_trades_an_added_line_for_a_deleted_one_elsewhere_does_not_land() {
    let sandbox = with(BASE, OURS, THEIRS);
    let traded = "fn a() {\n    x = 1;\n    x = 2;\n}\nfn mid() {\n    check(user)?;\n    m();\n}\nfn z() {\n    y = 1;\n    y = 2;\n}\n";
    let report = asked(&sandbox, traded);
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(said.contains("check(user)?;"), "{said}");

    let honest = "fn a() {\n    check(user)?;\n    x = 1;\n    x = 2;\n}\nfn mid() {\n    m();\n}\nfn z() {\n    y = 1;\n    y = 2;\n}\n";
    let report = asked(&sandbox, honest);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "f.rs"), honest);
    let receipt = report.receipt.unwrap();
    assert!(receipt.invented.is_empty() && receipt.brought_back.is_empty());
}

const LOCKED: [&str; 3] = [
    "fn up() {\n    a();\n    b();\n}\nfn work(x) {\n    use(x);\n}\nfn tail() {\n    z();\n}\n",
    "fn up() {\n    a();\n    lock();\n    save();\n    b();\n}\nfn work(x, tax) {\n    use(x);\n}\nfn tail() {\n    z();\n}\n",
    "fn up() {\n    a();\n    b();\n}\nfn work(x, tip) {\n    use(x);\n}\nfn tail() {\n    z();\n    log();\n}\n",
];

#[test]
fn an_answer_that_moves_a_line_which_nobody_contested_does_not_land() {
    let good = LOCKED[1]
        .replace("tax", "tax, tip")
        .replace("z();", "z();\n    log();");
    let moved = [
        // After what it was put before, in the other order, and into another function.
        good.replace(
            "    lock();\n    save();\n    b();\n",
            "    b();\n    save();\n    lock();\n",
        ),
        good.replace("    save();\n    b();\n", "    b();\n    save();\n"),
        good.replace("    log();\n", "")
            .replace("{\n    use(x)", "{\n    log();\n    use(x)"),
        good.replace("    log();\n", "")
            .replace("b();\n", "b();\n    log();\n"),
    ];
    for answer in moved {
        let sandbox = with(LOCKED[0], LOCKED[1], LOCKED[2]);
        let report = asked(&sandbox, &answer);
        assert_eq!(report.conclusion, Conclusion::Held, "{answer}");
        let said = report.warnings.last().unwrap();
        assert!(said.contains("ai-resolve rejected"), "{said}");
    }
    let sandbox = with(LOCKED[0], LOCKED[1], LOCKED[2]);
    let report = asked(&sandbox, &good);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

#[test]
fn a_person_who_puts_back_what_a_side_deleted_is_told_so_though_the_line_is_elsewhere_too() {
    let base = "guard();\nx = 0;\nend();\nguard();\n";
    let sandbox = with(
        base,
        "guard();\nx = 1;\nend();\nguard();\n",
        "x = 2;\nend();\nguard();\n",
    );
    let MergeOutcome::ContentDisplaced(plan) = plan(&sandbox.repo(), "main", BRANCH).unwrap()
    else {
        panic!("nothing is contested");
    };
    let own = Decision::Text("guard();\nx = 1;\nx = 2;\n".to_owned());
    let review = Review {
        target: plan.target,
        branch: plan.branch,
        choices: Choices::Hunks(vec![own; plan.displaced.len()]),
        tier: MergeTier::AutoResolve,
        made: Vec::new(),
    };
    let report = execute_reviewed(&sandbox.context(), &item(BRANCH), &review, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let back = report.receipt.unwrap().brought_back;
    assert_eq!(back.len(), 1, "{back:?}");
    assert_eq!(
        (&*back[0].text, &*back[0].removed_by),
        ("guard();", "branch")
    );
}

#[test]
fn a_line_that_a_model_made_up_is_listed() {
    let sandbox = with("a\nx = 0\nb\n", "a\nx = 1\nb\n", "a\nx = 2\nb\n");
    let report = asked(&sandbox, "a\nx = 1\nx = 2\nlaunch(x)\nb\n");
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let said = "f.rs: a line that no version has was written: launch(x)";
    assert!(
        report.warnings.iter().any(|warning| warning == said),
        "{report:#?}"
    );
    let invented = report.receipt.unwrap().invented;
    assert_eq!(invented.len(), 1);
    assert_eq!(
        (&*invented[0].file, &*invented[0].text),
        ("f.rs", "launch(x)")
    );
}

#[test]
fn a_line_that_is_left_as_a_comment_only_is_not_there() {
    for comment in ["# x = 1", "// x = 1", "y = 9 # x = 1"] {
        let sandbox = with("a\nx = 0\nb\n", "a\nx = 1\nb\n", "a\nx = 2\nb\n");
        let report = asked(&sandbox, &format!("a\nx = 2\n{comment}\nb\n"));
        assert_eq!(
            report.conclusion,
            Conclusion::Held,
            "{comment}: {report:#?}"
        );
        assert_eq!(report.displaced[0].text, "x = 1\n");
    }
}

#[test]
fn places_are_told_apart_though_a_side_repeats_what_stands_next_to_one() {
    let sandbox = with(
        "one\n}\nold\ntwo\nold\nend\n",
        "one\nours\ntwo\n}\nours\nend\n",
        "one\n}\ntheirs\ntwo\ncheck\ntheirs\nend\n",
    );
    let report = asked(
        &sandbox,
        "one\nours\ntwo\ntheirs\n}\nours\ncheck\ntheirs\nend\n",
    );
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(said.contains("theirs"), "{said}");
    let honest = "one\nours\ntheirs\ntwo\n}\nours\ncheck\ntheirs\nend\n";
    let report = asked(&sandbox, honest);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

#[test]
fn a_line_that_our_rules_make_of_both_is_right_in_an_answer_too() {
    let base = "fn a(x, y) {\nmid one\nmid two\nx = 0\nend\n";
    let sandbox = with(
        base,
        &base.replace("(x,", "(x: u8,").replace("x = 0", "x = 1"),
        &base.replace("y)", "y: u8)").replace("x = 0", "x = 2"),
    );
    let answer = "fn a(x: u8, y: u8) {\nmid one\nmid two\nx = 1\nx = 2\nend\n";
    let report = asked(&sandbox, answer);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

/// The lines of one side inside of the block of the other: all are there, and the answer was refused.
#[test]
fn an_answer_that_sets_a_kept_line_deeper_lands() {
    let sandbox = with(
        "fn a() {\n    x = 0;\n    done();\n}\n",
        "fn a() {\n    x = 1;\n    done();\n}\n",
        "fn a() {\n    if on {\n        x = 2;\n        done();\n    }\n}\n",
    );
    let nested =
        "fn a() {\n    if on {\n        x = 1;\n        x = 2;\n        done();\n    }\n}\n";
    let report = asked(&sandbox, nested);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "f.rs"), nested);
    let written = report.receipt.unwrap().invented;
    let written: Vec<&str> = written.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(written, ["        x = 1;"], "and it is listed");
}

/// One line set deeper stands for one.
#[test]
fn an_answer_that_drops_one_of_two_equal_lines_does_not_land_though_it_sets_the_other_deeper() {
    let sandbox = with(
        "fn a() {\n    x = 0;\n}\n",
        "fn a() {\n    retry();\n    x = 1;\n    retry();\n}\n",
        "fn a() {\n    if on {\n        x = 2;\n    }\n}\n",
    );
    let dropped =
        "fn a() {\n    if on {\n        retry();\n        x = 1;\n        x = 2;\n    }\n}\n";
    let report = asked(&sandbox, dropped);
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(said.contains("retry();"), "{said}");
}
