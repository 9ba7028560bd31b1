//! An agent and the tracker: its task is claimed, it is told what is known, it records what it learns and
//! closes its own task, and no other.

use crate::support::{LONG, TestProject, wait_until};
use serde_json::Value;

fn json_of(project: &TestProject, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let done = project.grove(&all);
    assert_eq!(done.code, Some(0), "{all:?}: {done:#?}");
    done.json()
}

fn status(project: &TestProject, task: &str) -> String {
    let shown = json_of(project, &["task", "show", task]);
    shown["issue"]["status"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_works_on_its_task_and_on_no_other() {
    let project = TestProject::initialised();
    let create = |title: &str| {
        let made = json_of(&project, &["task", "create", title]);
        made["id"].as_str().unwrap().to_owned()
    };
    let (own, other) = (create("own"), create("other"));
    let known = [
        "expertise",
        "record",
        "d",
        "known before",
        "--type",
        "convention",
    ];
    let known = json_of(&project, &known);
    let gate = project.beside().join("go");
    let script = project.script(
        "ann",
        &format!(
            "steps:\n\
             - run: \"until [ -e {} ]; do sleep 0.05; done\"\n\
             - run: \"grove task close {other}\"\n\
             - run: \"grove task create 'found by ann'\"\n\
             - run: \"grove expertise record d --type convention --content 'learnt by ann'\"\n\
             - run: \"grove task close {own} --reason 'all done'\"\n\
             - done: \"nothing to land\"\n",
            gate.display()
        ),
    );
    let sling = [
        "sling",
        &own,
        "--name",
        "ann",
        "--runtime",
        "script",
        "--spec",
        &script,
    ];
    project.grove_ok(&sling);
    assert_eq!(status(&project, &own), "in_progress");
    let applied: Value =
        serde_json::from_str(&project.read(".overstory/agents/ann/applied-records.json")).unwrap();
    assert_eq!(applied["records"][0]["id"], known["record"]["id"]);
    assert_eq!(applied["taskId"], *own);
    std::fs::write(&gate, "").unwrap();
    wait_until(
        "the agent closes its task",
        LONG,
        || (status(&project, &own) == "closed").then_some(()),
        || project.report(),
    );
    assert_eq!(status(&project, &other), "open");
    let list = json_of(&project, &["task", "list"]);
    let titles: Vec<&str> = list["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["title"].as_str().unwrap())
        .collect();
    assert!(titles.contains(&"found by ann"), "{titles:?}");
    let records = json_of(&project, &["expertise", "search", "learnt"]);
    let record = &records["domains"][0]["records"][0];
    // Where it comes from is the agent's own task, without its saying so.
    assert_eq!(record["evidence"]["seeds"], *own, "{records}");
}
