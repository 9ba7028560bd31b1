//! `update`, `upgrade`, `ecosystem`: what they report, what they keep, and that they do not hang.

use crate::support::TestProject;

#[test]
fn update_rewrites_what_differs_and_keeps_a_copy() {
    let project = TestProject::initialised();
    project.write(".overstory/agent-defs/scout.md", "mine");
    project.write(".overstory/hooks.json", "{}");
    std::fs::remove_file(project.overstory("README.md")).unwrap();
    let config = project.read(".overstory/config.yaml");
    let look = project.grove(&["update", "--dry-run", "--json"]).json();
    assert_eq!(look["dryRun"], true);
    assert_eq!(
        look["agentDefs"]["updated"],
        serde_json::json!(["scout.md"])
    );
    assert_eq!(project.read(".overstory/agent-defs/scout.md"), "mine");

    let only = project.grove(&["update", "--hooks", "--json"]).json();
    assert_eq!(
        only,
        serde_json::json!({
            "success": true, "command": "update", "dryRun": false,
            "agentDefs": {"updated": [], "unchanged": []},
            "manifest": {"updated": false}, "hooks": {"updated": true},
            "gitignore": {"updated": false}, "readme": {"updated": false},
        })
    );
    assert_eq!(project.read(".overstory/agent-defs/scout.md"), "mine");

    let told = project.grove_ok(&["update"]);
    assert!(told.contains("✓ Updated agent-defs/scout.md"), "{told}");
    assert!(told.contains("✓ Updated README.md"), "{told}");
    let folder = told.split("kept in ").nth(1).unwrap().trim();
    let copy = format!("{folder}agent-defs/scout.md");
    assert_eq!(project.read(&copy), "mine", "{told}");
    assert_eq!(project.read(".overstory/config.yaml"), config);
    let status = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!status.contains("replaced"), "{status}");

    assert_eq!(project.grove_ok(&["update"]), "✓ Already up to date\n");
}

#[test]
fn update_outside_a_project_says_what_to_do() {
    let project = TestProject::new();
    let done = project.grove(&["update"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr
            .contains("Not initialized. Run 'grove init' first."),
        "{done:#?}"
    );
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn upgrade_is_honest_about_what_it_cannot_know() {
    let project = TestProject::new();
    let done = project.grove(&["upgrade", "--check", "--json"]);
    assert_eq!(done.code, Some(1));
    let json = done.json();
    assert_eq!(
        (&json["success"], &json["command"]),
        (&false.into(), &"upgrade".into())
    );
    assert!(
        json["error"].as_str().unwrap().contains("not published"),
        "{json}"
    );
    let none = project
        .grove(&["upgrade", "--all", "--check", "--json"])
        .json();
    assert_eq!(none["packages"], serde_json::json!([]));
}

#[test]
fn companions_are_compared_with_what_npm_knows() {
    let project = TestProject::initialised();
    project.install_script("sd", "echo 0.4.1");
    project.install_script("ml", "echo mulch 1.0.0");
    project.install_script("cn", "exit 3");
    project.install_script(
        "npm",
        "case \"$*\" in *seeds*) echo 0.5.0;; *mulch*) echo 1.0.0;; *) echo 'npm error code E404' >&2; echo 'npm error no such thing' >&2; exit 1;; esac",
    );
    let json = project.grove(&["ecosystem", "--json"]).json();
    let tools = json["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["overstory", "mulch", "seeds", "canopy"]);
    assert_eq!(tools[0]["version"], env!("CARGO_PKG_VERSION"));
    assert!(
        tools[0]["doctorSummary"]["pass"].as_u64().unwrap() > 20,
        "{json}"
    );
    assert_eq!(tools[1]["upToDate"], true);
    assert_eq!(
        (&tools[2]["latest"], &tools[2]["upToDate"]),
        (&"0.5.0".into(), &false.into())
    );
    assert!(tools[3].get("latest").is_none());
    assert_eq!(tools[3]["version"], "unknown");
    assert!(
        tools[3]["latestError"]
            .as_str()
            .unwrap()
            .contains("no such thing"),
        "{json}"
    );
    assert_eq!(
        json["summary"],
        serde_json::json!({"total": 4, "installed": 4, "missing": 0, "outdated": 1})
    );
    let check = project.grove(&["upgrade", "--all", "--check"]);
    assert_eq!(check.code, Some(1), "{check:#?}");
    let json = project.grove(&["upgrade", "--all", "--json"]).json();
    assert_eq!(json["packages"][1]["updated"], true, "{json}");
    assert_eq!(json["packages"][1]["current"], "unknown");
}

#[test]
fn without_companions_nothing_is_missing_that_matters() {
    let project = TestProject::new();
    let json = project.grove(&["ecosystem", "--json"]).json();
    assert_eq!(
        json["tools"][1],
        serde_json::json!({"name": "mulch", "cli": "ml", "npm": "@os-eco/mulch-cli", "installed": false})
    );
    assert!(json["tools"][0].get("doctorSummary").is_none());
    assert!(!project.root().join(".overstory").exists());
}
