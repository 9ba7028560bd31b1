//! An agent that is refused the same thing again and again is named where no screen looks.

use crate::support::{GROVE, SHORT, TestProject, wait_until};

#[test]
fn status_names_who_is_refused_the_same_thing_again_and_again() {
    let project = TestProject::initialised();
    let push = "- run: \"git push origin main\"\n";
    project.sling("ann", &format!("{push}{push}{push}- hang\n"));
    project.sling("ben", "- run: \"git push origin main\"\n- hang\n");
    let said = wait_until(
        "the third refusal is stored",
        SHORT,
        || Some(project.grove_ok(&["status"])).filter(|text| text.contains("3 times")),
        || project.report(),
    );
    let line = "     Needs you: the guard refused it 3 times (";
    assert_eq!(said.matches(line).count(), 1, "{said}");
    assert!(said.contains("see grove guard log --agent ann"), "{said}");
    assert!(!said.contains("--agent ben"), "{said}");
    // An agent that looks there itself hides nothing, nor does a part of it.
    let of_agent = project
        .command(GROVE)
        .env("GROVE_ACTING_FOR", "ann")
        .args(["guard", "log", "--agent", "ann"])
        .output()
        .unwrap();
    assert!(of_agent.status.success(), "{of_agent:?}");
    project.grove_ok(&["guard", "log", "--agent", "ben"]);
    project.grove_ok(&["guard", "log", "--since", "1h"]);
    assert!(project.grove_ok(&["status"]).contains(line));
    project.grove_ok(&["guard", "log", "--agent", "ann"]);
    assert!(!project.grove_ok(&["status"]).contains(line), "it was seen");
}
