//! `groups.json` with what other versions and hands have put into it.

use crate::support::{Finished, TestProject};
use serde_json::{Value, json};

const FILE: &str = ".overstory/groups.json";

fn project(text: &str) -> TestProject {
    let project = TestProject::initialised();
    project.write(FILE, text);
    project
}

fn stored(project: &TestProject) -> Value {
    serde_json::from_str(&project.read(FILE)).unwrap()
}

fn create(project: &TestProject) -> Finished {
    project.grove(&["group", "create", "new", "t-9", "--skip-validation"])
}

fn group(id: &str) -> Value {
    json!({"id": id, "name": format!("name of {id}"), "memberIssueIds": ["t-1"], "status": "active",
        "createdAt": "2026-03-01T12:00:00.000Z", "completedAt": null})
}

#[test]
fn fields_of_other_versions_survive_a_change_of_any_group() {
    let (mut first, mut second) = (group("group-1"), group("group-2"));
    first["owner"] = json!({"team": "a", "pager": [1, 2.5]});
    second["owner"] = json!("b");
    // A field in front of all others stays there.
    let text = format!(
        "[{{\"color\": \"red\", {}, {second}]",
        &first.to_string()[1..]
    );
    let project = project(&text);
    project.grove_ok(&["group", "add", "group-2", "t-2", "--skip-validation"]);
    let done = create(&project);
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (Some(0), ""),
        "{done:#?}"
    );
    let now = stored(&project);
    first["color"] = json!("red");
    second["memberIssueIds"] = json!(["t-1", "t-2"]);
    assert_eq!((&now[0], &now[1]), (&first, &second));
    assert_eq!(now[2]["name"], "new");
    let keys: Vec<_> = now[0].as_object().unwrap().keys().collect();
    assert_eq!((keys[0].as_str(), keys[1].as_str()), ("color", "id"));
    // What is printed is the contract's.
    let list = project.grove(&["group", "list", "--json"]).json();
    assert!(list["groups"][0].get("owner").is_none(), "{list}");
}

#[test]
fn one_odd_entry_does_not_hide_the_other_groups() {
    let mut paused = group("group-paused");
    paused["status"] = json!("paused");
    let mut never = group("group-never");
    never["completedAt"] = json!("");
    let before = json!([group("group-1"), paused, 7, never]);
    let project = project(&before.to_string());
    let list = project.grove(&["group", "list", "--json"]);
    let ids: Vec<Value> = list.json()["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["id"].clone())
        .collect();
    assert_eq!(ids, ["group-1", "group-never"]);
    assert_eq!(list.code, Some(0), "{list:#?}");
    assert_eq!(list.stderr.matches("group-paused").count(), 1, "{list:#?}");
    assert_eq!(list.stderr.matches("entry 3").count(), 1, "{list:#?}");
    assert_eq!(list.stderr.lines().count(), 2, "{list:#?}");

    let done = create(&project);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert_eq!(done.stderr.lines().count(), 2, "{done:#?}");
    let now = stored(&project);
    assert_eq!(&now.as_array().unwrap()[..4], before.as_array().unwrap());
    assert_eq!(now[4]["name"], "new");
}

#[test]
fn groups_that_are_no_list_are_not_written_over() {
    for text in ["[{\"id\": 7}, half", "{not json", "{\"groups\": []}"] {
        let project = project(text);
        let list = project.grove(&["group", "list", "--json"]);
        assert_eq!(
            (list.code, list.stdout.trim()),
            (Some(0), "[]"),
            "{list:#?}"
        );
        assert!(list.stderr.contains("groups.json"), "{list:#?}");
        for args in [
            &["group", "create", "new", "t-9", "--skip-validation"][..],
            &["group", "add", "group-1", "t-9", "--skip-validation"],
            &["group", "remove", "group-1", "t-9"],
        ] {
            let done = project.grove(args);
            assert_eq!(
                (done.code, done.stdout.as_str()),
                (Some(1), ""),
                "{done:#?}"
            );
            assert_eq!(done.stderr.lines().count(), 1, "{done:#?}");
            assert!(
                done.stderr.contains("groups.json is not a list"),
                "{done:#?}"
            );
            assert_eq!(project.read(FILE), text);
        }
    }
}
