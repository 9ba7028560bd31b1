//! A branch that changes grove's own settings: a person lands it, and nobody else.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{
    Arrival, Conclusion, MergeProgress, MergeReport, OwnSettings, TrainObserver, execute_train,
};

const CONFIG: &str = ".overstory/config.yaml";

/// Ann's branch turns the sandbox off; Bob's does ordinary work.
fn project() -> Sandbox {
    let sandbox = Sandbox::new(&[(CONFIG, "sandbox: strict\n"), ("a", "a\n")]);
    let changes = [
        (CONFIG, text("sandbox: off\n")),
        ("b", text("b\n")),
        (".overstory/README.md", text("words\n")),
    ];
    sandbox.commit(BRANCH, &changes, "work");
    sandbox.commit("overstory/bob/t-2", &[("c", text("c\n"))], "work");
    sandbox
}

fn waits(report: &MergeReport) {
    assert_eq!(report.conclusion, Conclusion::NeedsPerson, "{report:#?}");
    let said = report.error_message.clone().unwrap();
    assert!(said.contains(CONFIG) && !said.contains("README"), "{said}");
    assert!(said.contains(&format!("grove merge --branch {BRANCH}")));
}

#[test]
fn a_branch_that_turns_its_sandbox_off_does_not_land_by_itself() {
    let sandbox = project();
    let before = sandbox.state();
    waits(&sandbox.merge());
    assert_eq!(sandbox.state(), before);
}

#[derive(Default)]
struct Ends(Vec<(usize, MergeReport)>);

impl TrainObserver for Ends {
    fn progress(&mut self, _: usize, _: MergeProgress<'_>) {}
    fn arrived(&mut self, arrival: Arrival) {
        self.0.push((arrival.index, arrival.result.unwrap()));
    }
}

#[test]
fn a_train_leaves_it_behind_wherever_it_stands() {
    for order in [[BRANCH, "overstory/bob/t-2"], ["overstory/bob/t-2", BRANCH]] {
        let sandbox = project();
        let mut ends = Ends::default();
        execute_train(&sandbox.context(), &order.map(item), None, &mut ends).unwrap();
        assert_eq!(ends.0.len(), 2);
        for (index, report) in &ends.0 {
            if order[*index] == BRANCH {
                waits(report);
            } else {
                assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
            }
        }
        assert_eq!(sandbox.show("main", CONFIG), "sandbox: strict\n");
    }
}

#[test]
fn a_person_lands_it_and_is_told_what_changes() {
    let sandbox = project();
    let mut context = sandbox.context();
    context.own_settings = OwnSettings::Land;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(report.warnings.join("\n").contains(CONFIG), "{report:#?}");
    assert_eq!(sandbox.show("main", CONFIG), "sandbox: off\n");
}

#[test]
fn settings_that_the_target_has_already_hold_nothing_up() {
    let sandbox = project();
    sandbox.commit("main", &[(CONFIG, text("sandbox: off\n"))], "a person's");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

/// Ann's branch gives Claude Code a hook.
#[test]
fn a_branch_that_starts_programs_when_the_user_runs_an_agent_cli_waits_too() {
    let hook = ".claude/settings.json";
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let changes = [(hook, text("{\"hooks\": {}}\n")), ("b", text("b\n"))];
    sandbox.commit(BRANCH, &changes, "work");
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::NeedsPerson, "{report:#?}");
    assert_eq!(
        report.error_message.unwrap(),
        format!(
            "{BRANCH} changes settings by which agent CLIs start programs as the user who runs them here: {hook}; \
             only a person lands that, after a look at them: grove merge --branch {BRANCH}"
        )
    );
    assert_eq!(sandbox.state(), before);
    let mut context = sandbox.context();
    context.own_settings = OwnSettings::Land;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert!(report.warnings.join("\n").contains(hook), "{report:#?}");
}

/// What a merge of the branch would be held for; nothing has moved then.
fn held_for(sandbox: &Sandbox) -> String {
    let before = sandbox.state();
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::NeedsPerson, "{report:#?}");
    assert_eq!(sandbox.state(), before);
    report.error_message.unwrap()
}

#[test]
fn settings_behind_a_link_in_place_of_their_folder_wait_too() {
    let hook = "conf/claude/settings.json";
    let made = || {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        sandbox.commit("main", &[(hook, text("{}\n"))], "settings");
        let links = [
            ("120000", &*sandbox.blob("conf/claude"), ".claude"),
            ("120000", &*sandbox.blob("own"), ".overstory"),
        ];
        sandbox.commit_raw("main", &links, "links");
        sandbox
    };
    // Links with where they lead, files, and what the merge waits for.
    type Case = (
        &'static [(&'static str, &'static str)],
        &'static [&'static str],
        &'static str,
    );
    let cases: [Case; 5] = [
        (
            &[],
            &["conf/claude/settings.json"],
            "conf/claude/settings.json",
        ),
        (&[], &["own/config.yaml"], "own/config.yaml"),
        (
            &[(".claude", "evil")],
            &["evil/settings.json"],
            ".claude, evil/settings.json",
        ),
        (
            &[("sub/.cursor", "../evil")],
            &["evil/mcp.json"],
            "evil/mcp.json, sub/.cursor",
        ),
        (
            &[("conf/claude/hooks", "../../h")],
            &["h/a.sh"],
            "conf/claude/hooks, h/a.sh",
        ),
    ];
    for (links, files, named) in cases {
        let sandbox = made();
        let files: Vec<_> = files.iter().map(|file| (*file, text("new\n"))).collect();
        sandbox.commit(BRANCH, &files, "work");
        let blobs = links.iter().map(|(link, to)| (sandbox.blob(to), *link));
        let blobs: Vec<(String, &str)> = blobs.collect();
        let links = blobs
            .iter()
            .map(|(blob, link)| ("120000", blob.as_str(), *link));
        sandbox.commit_raw(BRANCH, &links.collect::<Vec<_>>(), "links");
        let said = held_for(&sandbox);
        assert!(said.contains(named), "{named}: {said}");
    }
    let sandbox = made();
    sandbox.commit(
        BRANCH,
        &[("own/README.md", text("x\n")), ("docs/x", text("x\n"))],
        "work",
    );
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

#[test]
fn a_link_in_a_folder_that_nobody_changes_tells_what_lies_behind_it() {
    let sandbox = Sandbox::new(&[("deep/er/a", "a\n"), ("conf/settings.json", "{}\n")]);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let link = sandbox.blob("../../conf");
    sandbox.commit_raw("main", &[("120000", &link, "deep/er/.claude")], "a link");
    sandbox.commit(BRANCH, &[("conf/settings.json", text("new\n"))], "work");
    let said = held_for(&sandbox);
    assert!(said.contains(": conf/settings.json; "), "{said}");
}

#[test]
fn links_whose_names_differ_only_in_case_are_each_followed() {
    for evil in ["x/.claude", "X/.claude"] {
        let sandbox = Sandbox::new(&[("a", "a\n")]);
        sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        let blobs = ["x/.claude", "X/.claude"].map(|link| {
            let to = if link == evil { "../evil" } else { "../good" };
            (sandbox.blob(to), link)
        });
        let links = blobs.each_ref();
        let links = links.map(|(blob, link)| ("120000", blob.as_str(), *link));
        sandbox.commit_raw("main", &links, "links");
        sandbox.commit(BRANCH, &[("evil/settings.json", text("{}\n"))], "work");
        let said = held_for(&sandbox);
        assert!(said.contains(": evil/settings.json; "), "{evil}: {said}");
    }
}

#[test]
fn a_submodule_in_place_of_the_folder_of_settings_waits_too() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let id = "1".repeat(40);
    sandbox.commit_raw(BRANCH, &[("160000", &id, "web/.claude")], "a submodule");
    let said = held_for(&sandbox);
    assert!(said.contains(": web/.claude; "), "{said}");
}
