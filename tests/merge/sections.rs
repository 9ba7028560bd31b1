//! Formats in which no indentation shows what belongs to what: tables of settings, headings, keys with flat items, rows
//! with columns. What one side put into a section does not land in another one, whichever side came first.

use crate::support::{BRANCH, Sandbox, held_both_ways, lands_both_ways, text};
use grove::merge::Conclusion;

#[test]
fn an_entry_of_the_last_section_does_not_go_under_a_heading_that_the_other_side_added() {
    for (file, base, entry, section) in [
        (
            "Cargo.toml",
            "[package]\nname = \"x\"\n\n[dependencies]\nserde = \"1\"\n",
            "tokio = \"1\"\n",
            "\n[profile.release]\nlto = true\n",
        ),
        (
            "setup.cfg",
            "[a]\nx = 1\n",
            "# why\ny = 2\n",
            "\n[b]\nz = 3\n",
        ),
        (
            "x.conf",
            "[http]\nport=1\n",
            "debug=true\n",
            "[db]\nhost=q\n",
        ),
        (
            "c.toml",
            "[[bin]]\nname = \"a\"\n",
            "path = \"x\"\n",
            "\n[[bin]]\nname = \"b\"\n",
        ),
        ("a.yml", "steps:\n- a\n", "- b\n", "other:\n- c\n"),
        (
            "T.md",
            "# T\n\n## Open\n\n- a\n",
            "- b is broken\n",
            "\n## Done\n\n- z\n",
        ),
        (
            "R.md",
            "# T\n\nUsage\n-----\n\nRun it.\n",
            "\nUse `--fast` to skip the checks.\n",
            "\nLicence\n-------\n\nMIT\n",
        ),
        (
            "R.md",
            "# T\n\n## Usage\n\nRun it.\n",
            "\n### Options\n\nUse `--fast` to skip the checks.\n",
            "\n## Licence\n\nMIT\n",
        ),
    ] {
        lands_both_ways(
            file,
            base,
            &format!("{base}{entry}"),
            &format!("{base}{section}"),
            &format!("{base}{entry}{section}"),
        );
    }
}

#[test]
fn a_section_below_a_reworded_entry_does_not_take_what_the_other_side_put_after_the_entry() {
    lands_both_ways(
        "R.md",
        "## A\n\n- one thing here\n",
        "## A\n\n- one thing there\n\n## B\n\n- z\n",
        "## A\n\n- one thing here\n- two\n",
        "## A\n\n- one thing there\n- two\n\n## B\n\n- z\n",
    );
    lands_both_ways(
        "a.yml",
        "steps:\n- run the a\n",
        "steps:\n- run the b\nother:\n- c\n",
        "steps:\n- run the a\n- d\n",
        "steps:\n- run the b\n- d\nother:\n- c\n",
    );
}

#[test]
fn an_entry_and_a_section_of_one_side_stand_below_the_entry_of_the_other() {
    let base = "[a]\nx = 1\n";
    lands_both_ways(
        "c.ini",
        base,
        &format!("{base}y = 2\n\n[b]\nz = 3\n"),
        &format!("{base}w = 4\n"),
        &format!("{base}w = 4\ny = 2\n\n[b]\nz = 3\n"),
    );
    // With entries and a section of both, no order has each entry in its section.
    held_both_ways(
        "c.ini",
        base,
        &format!("{base}y = 2\n\n[b]\nz = 3\n"),
        &format!("{base}w = 4\n\n[c]\nv = 5\n"),
    );
}

#[test]
fn a_heading_that_both_sides_added_is_not_there_twice() {
    let log = |entries: &str| format!("# Changes\n\n{entries}## 1.0\n\n- x\n");
    held_both_ways(
        "CHANGELOG.md",
        &log(""),
        &log("## 1.1\n\n### Added\n\n- a thing\n\n"),
        &log("## 1.1\n\n### Fixed\n\n- some fault\n\n"),
    );
}

#[test]
fn a_row_beside_columns_that_the_other_side_added_or_moved_is_held() {
    held_both_ways(
        "a.csv",
        "id,name\n1,a\n",
        "id,name,age\n1,a,5\n",
        "id,name\n1,a\n2,b\n",
    );
    held_both_ways(
        "a.md",
        "| a | b |\n| - | - |\n| 1 | 2 |\n",
        "| a | b | c |\n| - | - | - |\n| 1 | 2 | 3 |\n",
        "| a | b |\n| - | - |\n| 1 | 2 |\n| 4 | 5 |\n",
    );
    // As many cells, but in another order.
    held_both_ways(
        "a.md",
        "| a | b |\n| - | - |\n| 1 | 2 |\n",
        "| b | a |\n| - | - |\n| 2 | 1 |\n",
        "| a | b |\n| - | - |\n| 1 | 2 |\n| 4 | 5 |\n",
    );
    // Other words in as many cells.
    lands_both_ways(
        "a.csv",
        "id,name\n1,old name\n",
        "id,name\n1,new name\n",
        "id,name\n1,old name\n2,b\n",
        "id,name\n1,new name\n2,b\n",
    );
}

const DOCKERFILE: &str = "FROM rust:1.80 AS build\nWORKDIR /src\nCOPY . .\nRUN cargo build --release\n\nFROM debian:12 AS run\nCOPY --from=build /src/app /app\n";

#[test]
fn what_goes_on_with_a_stage_of_a_dockerfile_stays_in_it() {
    let stage = "\nFROM alpine:3.20 AS test\nRUN apk add bash\n";
    let step = "RUN apt-get install -y curl\n";
    lands_both_ways(
        "Dockerfile",
        DOCKERFILE,
        &format!("{DOCKERFILE}{stage}"),
        &format!("{DOCKERFILE}{step}"),
        &format!("{DOCKERFILE}{step}{stage}"),
    );
    // The same where another stage follows.
    let base = DOCKERFILE.replace("\n\n", "\n");
    let stage = stage.trim_start();
    let (build, run) = base.split_at(base.find("FROM debian").unwrap());
    lands_both_ways(
        "Dockerfile",
        &base,
        &format!("{build}{stage}{run}"),
        &format!("{build}{step}{run}"),
        &format!("{build}{step}{stage}{run}"),
    );
}

#[test]
fn two_stages_of_a_dockerfile_are_whole_and_what_goes_on_with_one_on_both_sides_is_held() {
    let one = "\nFROM alpine:3.20 AS test\nRUN apk add bash\n";
    let two = "\nFROM node:22 AS docs\nRUN npm ci\n";
    let sides = [one, two].map(|stage| format!("{DOCKERFILE}{stage}"));
    let sandbox = Sandbox::new(&[("Dockerfile", DOCKERFILE)]);
    sandbox.commit(BRANCH, &[("Dockerfile", text(&sides[1]))], "b");
    sandbox.commit("main", &[("Dockerfile", text(&sides[0]))], "m");
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    let merged = sandbox.show("main", "Dockerfile");
    assert!(merged.contains(one) && merged.contains(two), "{merged}");
    held_both_ways(
        "Dockerfile",
        DOCKERFILE,
        &format!("{DOCKERFILE}RUN apt-get install -y curl\n{one}"),
        &format!("{DOCKERFILE}RUN adduser app\n{two}"),
    );
}

/// What an event of a calendar has below its number.
fn event_of<'t>(calendar: &'t str, uid: &str) -> &'t str {
    let (_, after) = calendar.split_once(&format!("UID:{uid}\n")).unwrap();
    after.split_once("END:VEVENT\n").unwrap().0
}

#[test]
fn what_one_side_put_into_a_block_with_a_named_end_is_not_in_one_that_the_other_side_added() {
    let block = |what: &str, lines: &str| format!("BEGIN:{what}\n{lines}END:{what}\n");
    let event = |uid: &str, more: &str| {
        let lines = format!("UID:{uid}\nSUMMARY:Of {uid}\n{more}");
        block("VEVENT", &lines)
    };
    let calendar = |events: &[String]| {
        let lines = format!("VERSION:2.0\n{}", events.concat());
        block("VCALENDAR", &lines)
    };
    let (alarm, place) = (block("VALARM", "TRIGGER:-PT15M\n"), "LOCATION:Here\n");
    let second = event("2", "");
    for (base, one, two) in [
        (
            vec![event("1", "")],
            vec![event("1", &alarm), event("3", "")],
            vec![event("1", place)],
        ),
        (
            vec![event("1", "")],
            vec![event("1", ""), event("3", &alarm)],
            vec![event("1", place)],
        ),
        (
            vec![event("1", ""), second.clone()],
            vec![event("1", &alarm), event("3", ""), second.clone()],
            vec![event("1", place), second],
        ),
    ] {
        let [base, one, two] = [base, one, two].map(|events| calendar(&events));
        for (ours, theirs) in [(&one, &two), (&two, &one)] {
            let sandbox = Sandbox::new(&[("a.ics", &base)]);
            sandbox.commit(BRANCH, &[("a.ics", text(theirs))], "work");
            sandbox.commit("main", &[("a.ics", text(ours))], "m");
            let report = sandbox.merge();
            if report.conclusion != Conclusion::Landed {
                assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
                continue;
            }
            let found = sandbox.show("main", "a.ics");
            assert!(event_of(&found, "1").contains(place), "{found}");
            for uid in ["1", "3"] {
                let has = |calendar: &str| event_of(calendar, uid).contains(&alarm);
                assert_eq!(has(&found), has(&one), "{uid}: {found}");
            }
        }
    }
}
