//! The review: what is shown, what each key decides, and what must not be possible.

use grove::engine::command::Command;
use grove::engine::event::EngineEvent;
use grove::engine::review::{CodeLine, Decision, Driven, Place, PlaceKind, Proposal, ReviewView};
use grove::engine::view::MergeState;
use grove::engine::view::{UndoView, UndoWay};
use insta::assert_snapshot;

use crate::driver::{Run, ScreenDriver, screen};
use crate::fixtures::{afternoon, everything, merges, receipt, review};

fn opened() -> ScreenDriver {
    afternoon().keys("3j<enter>")
}

/// The review of something else than the usual.
fn with(view: ReviewView) -> ScreenDriver {
    screen()
        .review(view)
        .engine_all(everything())
        .keys("3j<enter>")
}

fn decisions(run: &Run) -> Vec<(&str, Option<&Decision>)> {
    run.commands
        .iter()
        .filter_map(|command| match command {
            Command::Decide {
                place, decision, ..
            } => Some((place.as_str(), decision.as_ref())),
            _ => None,
        })
        .collect()
}

fn accepts(run: &Run) -> Vec<&Vec<(String, Decision)>> {
    run.commands
        .iter()
        .filter_map(|command| match command {
            Command::AcceptReview { decisions, .. } => Some(decisions),
            _ => None,
        })
        .collect()
}

#[test]
fn review_in_every_size() {
    for (cols, rows) in [(80, 24), (120, 36), (200, 60)] {
        let picture = opened().size(cols, rows).keys("b").snapshot();
        assert_snapshot!(format!("review_{cols}x{rows}"), picture);
    }
}

#[test]
fn the_other_shapes_and_a_file_decided_as_a_whole() {
    assert_snapshot!("review_unified", opened().keys("<tab>").snapshot());
    assert_snapshot!("review_with_base", opened().keys("<tab><tab>]").snapshot());
    let file = opened().size(80, 24).keys("]]");
    assert_snapshot!("review_of_a_deleted_file", file.snapshot());
    let run = opened().keys("]]t").run();
    assert!(run.contains("docs/old.md is deleted; 5 lines of it go with it."));
    let run = opened().keys("]]o").run();
    assert!(run.contains("docs/old.md stays as main has it"));
    let run = opened().keys("]]b").run();
    assert!(run.contains("only one version of this file can be there"));
    assert_eq!(decisions(&run), []);
}

#[test]
fn what_a_merge_driver_made_can_be_taken_and_what_it_left_out_is_said() {
    let mut view = review();
    view.places.truncate(1);
    let place = &mut view.places[0];
    place.kind = PlaceKind::Driven;
    place.file = "deps.lock".to_owned();
    let lines = ["made = 1", "made = 2"].map(|text| CodeLine {
        text: text.to_owned(),
        ..CodeLine::default()
    });
    place.driven = Some(Driven {
        name: "lockfile".to_owned(),
        lines: lines.to_vec(),
        ours_go: 2,
        theirs_go: 1,
    });
    place.is_editable = false;
    let open = with(view.clone()).run();
    assert!(open.contains("The merge driver lockfile merged deps.lock: 3 lines that it left out."));
    assert!(open.contains("b the merge driver's"), "{}", open.text());
    let run = with(view.clone()).keys("b").run();
    assert_eq!(decisions(&run), [("readme", Some(&Decision::Both))]);
    assert!(run.contains("choice: the merge driver's"), "{}", run.text());
    assert!(
        run.contains("made = 2") && run.contains("deps.lock lands as the merge driver made it")
    );
    assert!(
        run.contains("2 lines of ours and 1 of theirs go"),
        "{}",
        run.text()
    );
    let run = with(view).keys("B").run();
    assert_eq!(decisions(&run), []);
    assert!(run.contains("ours, theirs or the merge driver's"));
}

#[test]
fn each_key_decides_the_place_in_sight() {
    let run = opened().keys("o]t[b[B]]").run();
    assert_eq!(
        decisions(&run),
        [
            ("readme", Some(&Decision::Ours)),
            ("orders", Some(&Decision::Theirs)),
            ("readme", Some(&Decision::Both)),
            ("readme", Some(&Decision::BothReversed)),
        ]
    );
    assert!(run.contains("hunk 3/3"));
    let run = opened().keys("o<backspace>").run();
    assert_eq!(decisions(&run).last(), Some(&("readme", None)));
    assert!(run.contains("displaced lines left: 12"));
}

#[test]
fn accepting_waits_for_every_place_and_says_how_many_are_left() {
    for keys in [
        "<enter>",
        "o<enter>",
        "o]t<enter>",
        "o]t]o<backspace><enter>",
    ] {
        let run = opened().keys(keys).run();
        assert_eq!(accepts(&run).len(), 0, "{keys}");
        assert!(run.contains("no decision yet"), "{keys}\n{}", run.text());
        assert!(
            !run.contains("Enter accept"),
            "no hint for what does not work"
        );
    }
    let run = opened().keys("o]t]o<enter>").run();
    let expected: Vec<(String, Decision)> = [
        ("readme", Decision::Ours),
        ("orders", Decision::Theirs),
        ("gone", Decision::Ours),
    ]
    .map(|(key, decision)| (key.to_owned(), decision))
    .to_vec();
    assert_eq!(accepts(&run), [&expected]);
    assert!(run.contains("landing: checking every line"));
}

#[test]
fn the_status_bar_lets_go_of_a_refusal_once_the_place_is_decided() {
    let bar = |run: &Run| run.row(run.buffer.area.height - 1);
    let refused = opened().keys("<enter>").run();
    assert!(bar(&refused).contains("3 places have no decision yet"));
    let decided = opened().keys("<enter>o").run();
    assert!(
        !bar(&decided).contains("no decision yet"),
        "{}",
        bar(&decided)
    );
    let looked = opened().keys("<enter>]").run();
    assert!(
        !bar(&looked).contains("no decision yet"),
        "{}",
        bar(&looked)
    );
}

#[test]
fn lines_that_nobody_has_decided_about_are_not_shown_as_gone() {
    let run = opened().run();
    assert!(
        run.contains("not decided: 3 lines of ours, or 2 lines of theirs"),
        "{}",
        run.text()
    );
    let nothing = opened().keys("]t").run();
    assert!(!nothing.contains("not decided"), "{}", nothing.text());
    let result = nothing.find("result").unwrap().1;
    let below = (result..35).any(|y| nothing.row(y).contains("(nothing)"));
    assert!(below, "{}", nothing.text());
}

#[test]
fn ours_for_the_rest_says_whose_lines_do_not_land() {
    let run = opened().keys("]bO").run();
    assert!(run.contains("ours for 2 places: 2 lines of builder-api will go"));
    let decided = decisions(&run);
    assert!(decided.contains(&("readme", Some(&Decision::Ours))));
    assert!(decided.contains(&("orders", Some(&Decision::Both))));
    assert!(decided.contains(&("gone", Some(&Decision::Ours))));
}

#[test]
fn the_next_place_without_a_decision_is_one_key_away() {
    assert!(opened().keys("]o[}").run().contains("hunk 3/3"));
    assert!(opened().keys("]]o}").run().contains("hunk 1/3"));
    let run = opened().keys("T}").run();
    assert!(run.contains("no other place is without a decision"));
    assert!(!run.row(34).contains("next open"), "{}", run.row(34));
}

#[test]
fn the_only_hunk_offers_no_other() {
    let mut view = review();
    view.places.truncate(1);
    let run = with(view).keys("]").run();
    assert!(run.contains("this is the only hunk"), "{}", run.text());
    assert!(!run.row(34).contains("] hunk"), "{}", run.row(34));
}

#[test]
fn of_a_file_without_lines_a_version_goes_and_no_line() {
    let mut view = review();
    view.places.truncate(2);
    view.places[0].kind = PlaceKind::Binary;
    let open = with(view.clone()).run();
    assert!(open.contains("displaced lines left: 4"), "{}", open.text());
    let run = with(view.clone()).keys("t]o").run();
    assert!(
        run.contains("Enter accepts: 1 version of a file goes"),
        "{}",
        run.text()
    );
    let run = with(view).keys("t]t").run();
    let both = "4 lines of ours go, 1 version of a file goes";
    assert!(run.contains(both), "{}", run.text());
}

#[test]
fn many_places_are_counted_instead_of_marked() {
    let mut view = review();
    let place = view.places[0].clone();
    view.places = (0..200)
        .map(|n| Place {
            key: format!("p{n}"),
            file: format!("src/many/m{n:03}.rs"),
            ..place.clone()
        })
        .collect();
    let run = with(view).size(80, 24).keys("o").run();
    let head = run.row(1);
    assert!(
        head.contains("hunk 1/200 1 decided src/many/m000.rs"),
        "{head}"
    );
    assert!(head.contains("would displace"), "{head}");
}

#[test]
fn long_lines_can_be_read_to_their_end() {
    let mut view = review();
    let long = format!("x = {}END 漢字", "word ".repeat(40));
    view.places[0].ours.lines[1].text = long;
    let start = || with(view.clone()).size(80, 24);
    let run = start().run();
    assert!(!run.contains("END"), "{}", run.text());
    assert!(run.row(22).contains("> right"), "{}", run.row(22));
    let run = start().keys(">>>>>>>>>>>>").snapshot();
    assert!(run.contains("END 漢字"), "{run}");
    assert_snapshot!("review_sideways", run);
    let run = start().keys(">>>>>>>>>>>>>").run();
    assert!(run.contains("shown to their end"), "{}", run.text());
    let run = start().keys("><<").run();
    assert!(run.contains("shown from their beginning"), "{}", run.text());
    let short = with(review()).run();
    assert!(!short.row(34).contains("> right"), "{}", short.row(34));
}

#[test]
fn a_failed_proposal_is_said_once_and_the_keys_stay() {
    let result = Err("claude is not installed".to_owned());
    let failed = EngineEvent::Proposal {
        id: 2,
        place: "readme".to_owned(),
        result,
    };
    let run = opened().keys("I").engine(failed.clone()).run();
    let text = run.text();
    assert_eq!(text.matches("claude is not installed").count(), 1, "{text}");
    assert!(text.contains("Decide: o ours"), "{text}");
    let elsewhere = opened().keys("I]").engine(failed).run();
    assert!(elsewhere.contains("claude is not installed"));
}

#[test]
fn what_has_landed_shows_its_receipt_at_once() {
    let mut items = merges();
    items[1].state = MergeState::Merged;
    items[1].receipt = Some(receipt());
    let landed = opened()
        .keys("T<enter>")
        .engine(EngineEvent::Accepted {
            id: 2,
            result: Ok("landed on main as 8c1fd3a2; 3 lines are gone".to_owned()),
        })
        .engine(EngineEvent::Merge(items));
    assert_snapshot!("review_landed_with_receipt", landed.size(80, 24).snapshot());
}

#[test]
fn theirs_for_the_rest_says_how_many_lines_go() {
    let run = opened().keys("oT").run();
    assert!(run.contains("theirs for 2 places: 9 lines of main will go"));
    assert!(run.contains("Enter accepts: 9 lines of ours and 2 of theirs go"));
    assert_eq!(decisions(&run).len(), 3);
}

#[test]
fn an_edit_in_the_editor_decides_and_says_what_is_not_in_it() {
    let run = opened()
        .editor(Ok("## Start\nNode 22, PostgreSQL 16\n"))
        .keys("e")
        .run();
    assert_eq!(run.edits.len(), 1);
    assert_eq!(run.edits[0].file, "README.md");
    assert!(
        run.edits[0].text.starts_with("## Prerequisites\n"),
        "both is where to start"
    );
    let text = "## Start\nNode 22, PostgreSQL 16\n".to_owned();
    let written = Decision::Text {
        text,
        proposed: false,
    };
    assert_eq!(decisions(&run), [("readme", Some(&written))]);
    assert!(
        run.contains("edited; 4 lines of both sides are not in it"),
        "{}",
        run.text()
    );

    let run = opened()
        .editor(Err("vi ended with exit status: 1"))
        .keys("e")
        .run();
    assert!(run.contains("nothing changed: vi ended"));
    assert_eq!(decisions(&run), []);
}

#[test]
fn a_text_that_is_not_merged_line_by_line_is_shown_and_can_be_written() {
    let mut view = review();
    view.places[0].kind = PlaceKind::Whole;
    let open = with(view.clone()).size(80, 24).run();
    let said = "is not merged line by line: main's version stays";
    assert!(open.contains(said), "{}", open.text());
    assert!(open.contains("## Prerequisites"), "{}", open.text());
    let written = "## Start\nNode 22\n";
    let run = with(view.clone()).editor(Ok(written)).keys("e").run();
    let first = view.places[0].ours.lines[0].text.clone();
    assert!(run.edits[0].text.starts_with(&first));
    let theirs = &view.places[0].theirs.lines[0].text;
    assert!(!run.edits[0].text.contains(theirs), "one version only");
    let decision = Decision::Text {
        text: written.to_owned(),
        proposed: false,
    };
    assert_eq!(decisions(&run), [("readme", Some(&decision))]);
    let run = with(view).keys("b").run();
    let said = "only one version of this file can be there: ours, theirs or one that you write";
    assert!(run.contains(said), "{}", run.text());
    assert_eq!(decisions(&run), []);
}

#[test]
fn conflict_markers_that_an_editor_leaves_decide_nothing_and_the_next_edit_goes_on_from_them() {
    let left = "<<<<<<< main\n## Prerequisites\n=======\n## Quick start\n>>>>>>> builder-api\n";
    let run = opened().editor(Ok(left)).keys("ee").run();
    assert_eq!(decisions(&run), []);
    assert!(
        run.contains("a conflict marker is left in the text: <<<<<<< main"),
        "{}",
        run.text()
    );
    assert_eq!(run.edits[1].text, left);
    let earlier = opened().editor(Ok(left)).keys("te").run();
    assert_eq!(decisions(&earlier), [("readme", Some(&Decision::Theirs))]);
}

#[test]
fn a_row_under_a_title_that_a_person_writes_is_no_conflict_marker() {
    let written = "A title\n=======\n\nNode 22, PostgreSQL 16\n";
    let run = opened().editor(Ok(written)).keys("e").run();
    let decision = Decision::Text {
        text: written.to_owned(),
        proposed: false,
    };
    assert_eq!(
        decisions(&run),
        [("readme", Some(&decision))],
        "{}",
        run.text()
    );
    // In code there are no titles.
    let run = opened().editor(Ok(written)).keys("]e").run();
    assert_eq!(decisions(&run), []);
}

#[test]
fn what_is_said_of_a_proposal_is_what_taking_it_says() {
    let proposed = |text: &str| EngineEvent::Proposal {
        id: 2,
        place: "readme".to_owned(),
        result: Ok(Proposal {
            text: text.to_owned(),
            lost: Vec::new(),
            by: "claude".to_owned(),
        }),
    };
    let place = &review().places[0];
    let all: Vec<&str> = place
        .ours
        .lines
        .iter()
        .chain(&place.theirs.lines)
        .map(|line| line.text.as_str())
        .collect();
    let run = opened().engine(proposed(&all.join("\n"))).run();
    assert!(
        run.contains("Every line of both sides is in it."),
        "{}",
        run.text()
    );
    // The words of the first line are there, the line is not.
    let (first, rest) = all.split_first().unwrap();
    let other = format!("{}\n{}", first.replace(' ', "\n"), rest.join("\n"));
    let run = opened().engine(proposed(&other)).run();
    assert!(!run.contains("Every line of both sides"), "{}", run.text());
    assert!(
        run.contains("1 line is not in it as it was, only rewritten"),
        "{}",
        run.text()
    );
    let taken = opened().engine(proposed(&other)).keys("p]o]o").run();
    assert!(taken.contains("1 line of ours"), "{}", taken.text());
}

#[test]
fn without_an_editor_the_lines_are_written_here_and_tabs_stay() {
    let run = opened().keys("]oe").run();
    assert_snapshot!("review_editing", run.text());
    let run = opened().keys("]oex<ctrl-s>").run();
    let text = "xfn reserve(stock: &mut Stock) {\n\tstock.take(1);\n\tstock.log();\n}".to_owned();
    let written = Decision::Text {
        text,
        proposed: false,
    };
    assert_eq!(decisions(&run).last(), Some(&("orders", Some(&written))));
    assert_eq!(decisions(&opened().keys("ex<esc>").run()), []);
}

#[test]
fn a_proposal_is_shown_and_decides_nothing_until_it_is_taken() {
    let answer = |result| EngineEvent::Proposal {
        id: 2,
        place: "readme".to_owned(),
        result,
    };
    let proposal = Proposal {
        text: "## Prerequisites\nNode 22, npm run dev\n".to_owned(),
        lost: vec!["Copy .env.example to .env".to_owned()],
        by: "claude".to_owned(),
    };
    let asked = opened().keys("I");
    let run = asked.engine(answer(Ok(proposal.clone()))).run();
    assert!(
        run.commands
            .iter()
            .any(|c| matches!(c, Command::AskAi { .. }))
    );
    assert_eq!(decisions(&run), []);
    assert!(run.contains(" lines are not in it: first Copy .env.example to .env  p takes it."));
    assert_snapshot!("review_proposal", run.text());
    let run = opened()
        .keys("I")
        .engine(answer(Ok(proposal)))
        .keys("p")
        .run();
    assert!(matches!(
        decisions(&run)[..],
        [("readme", Some(Decision::Text { proposed: true, .. }))]
    ));
    let failed = answer(Err("'claude' is not installed or not on PATH".to_owned()));
    let run = opened().keys("I").engine(failed).run();
    assert!(run.contains("no proposal: 'claude' is not installed"));
    assert!(opened().keys("p").run().contains("there is no proposal"));
}

#[test]
fn what_has_moved_is_said_and_decisions_stay() {
    let mut moved = review();
    moved.target_tip = "ffff".repeat(10);
    moved.moved = Some("main has moved, nothing landed: one place is new".to_owned());
    moved.places[2].key = "another".to_owned();
    let run = opened()
        .keys("o]t]o<enter>")
        .engine(EngineEvent::Review {
            id: 2,
            result: Ok(Box::new(moved)),
        })
        .run();
    assert!(run.contains("main has moved, nothing landed: one place is new"));
    assert!(
        run.contains("Enter waits: 1 place has no decision yet"),
        "{}",
        run.text()
    );
}

#[test]
fn a_landing_says_what_became_of_it() {
    let landed = |result| EngineEvent::Accepted { id: 2, result };
    let text = "landed on main as 12345678; 9 lines gone, kept in the receipt";
    let run = opened()
        .keys("T<enter>")
        .engine(landed(Ok(text.to_owned())))
        .run();
    assert_snapshot!("review_landed", run.text());
    let run = opened()
        .keys("T<enter>")
        .engine(landed(Ok(text.to_owned())))
        .keys("u")
        .run();
    assert!(run.commands.contains(&Command::PlanUndo { id: 2 }));
    let run = opened()
        .keys("T<enter>")
        .engine(landed(Err(
            "quality gate test failed; nothing has landed".to_owned()
        )))
        .run();
    assert!(run.contains("quality gate test failed"));
    assert!(run.contains("Enter accepts"), "it can be tried again");
}

#[test]
fn a_revert_is_shown_before_it_lands() {
    let undo = UndoView {
        id: 5,
        branch: "overstory/builder-cfg/sd-109".to_owned(),
        target: "main".to_owned(),
        from: "deed".to_owned(),
        way: UndoWay::Revert {
            commit: "c0ffee".to_owned(),
            on_top: 1,
            patch: ["Revert", "--- a/f", "+++ b/f", "-new", "+old"]
                .map(str::to_owned)
                .to_vec(),
        },
        files: vec!["f".to_owned()],
    };
    let shown = || {
        let event = EngineEvent::Undo(undo.clone());
        afternoon().keys("3Gu").engine(event)
    };
    let run = shown().run();
    assert!(
        run.commands.contains(&Command::PlanUndo { id: 5 }),
        "{:?}",
        run.commands
    );
    assert!(run.contains("l lands it after the gates"));
    let landed = Command::UndoMerge {
        id: 5,
        revert: Some("c0ffee".to_owned()),
    };
    assert!(!shown().keys("<esc>").run().commands.contains(&landed));
    assert!(shown().keys("l").run().commands.contains(&landed));
}

#[test]
fn leaving_and_coming_back_loads_anew_and_a_landing_elsewhere_reloads() {
    let run = opened().keys("o<esc>").run();
    assert!(run.contains("1 decision kept"));
    assert!(run.contains("Merge queue"));
    let mut later = merges();
    later[0].state = MergeState::Merged;
    let run = opened().engine(EngineEvent::Merge(later)).run();
    let loads = run
        .commands
        .iter()
        .filter(|c| matches!(c, Command::Review { id: 2 }));
    assert_eq!(loads.count(), 2);
}

#[test]
fn what_cannot_be_reviewed_says_why() {
    let run = afternoon().keys("3<enter>").run();
    let asks = |c: &Command| matches!(c, Command::Review { .. });
    assert!(!run.commands.iter().any(asks), "it is being merged");
    let run = afternoon().keys("3jjj<enter>").run();
    assert!(
        run.contains("the entry is no longer in the queue"),
        "{}",
        run.text()
    );
}

#[test]
fn scrolling_shows_what_is_around_and_stops_at_the_ends() {
    let up = opened().size(80, 24).keys("<pgup><pgup>").run();
    assert!(up.contains("# Orders API"));
    let down = opened().size(80, 24).keys("<pgdn><pgdn><pgdn>").run();
    assert!(down.contains("Call it."), "{}", down.text());
    let back = opened()
        .size(80, 24)
        .keys("<pgdn><pgdn><pgdn><pgup><pgup><pgup><pgup>")
        .run();
    assert_eq!(back.text(), up.text());
}

/// A review as it is opened: nothing is known of its places but their text.
fn unknown() -> ReviewView {
    let mut view = review();
    for place in &mut view.places {
        place.is_looked_up = false;
        place.agent = None;
        place.at_ms = None;
    }
    view
}

fn looked_up(run: &Run) -> Vec<&str> {
    run.commands
        .iter()
        .filter_map(|command| match command {
            Command::LookUp { place, .. } => Some(place.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn only_the_place_in_sight_is_looked_up_and_only_once() {
    let run = with(unknown()).keys("jjo").run();
    assert_eq!(looked_up(&run), ["readme"]);
    assert!(run.contains("Prerequisites"), "{}", run.text());
    let run = with(unknown()).keys("]][").run();
    assert_eq!(looked_up(&run), ["readme", "orders", "gone", "orders"]);
    assert_eq!(looked_up(&opened().keys("]]").run()), Vec::<&str>::new());
}

#[test]
fn what_was_looked_up_appears_and_no_decision_is_lost() {
    let found = |place: Place| EngineEvent::Place {
        id: 2,
        place: Box::new(place),
    };
    let readme = review().places.swap_remove(0);
    let run = with(unknown()).keys("o").run();
    assert!(!run.contains("kept by"), "{}", run.text());
    let run = with(unknown())
        .keys("o")
        .engine(found(readme.clone()))
        .run();
    assert!(run.contains("kept by builder-cfg"), "{}", run.text());
    assert!(run.contains("choice: ours"), "{}", run.text());
    let elsewhere = Place {
        key: "other".to_owned(),
        ..readme
    };
    let run = with(unknown()).engine(found(elsewhere)).run();
    assert!(!run.contains("kept by"), "{}", run.text());
}

#[test]
fn a_line_that_is_cut_between_two_colours_ends_with_a_sign_of_that() {
    let mut view = review();
    let text: String = ('a'..='z').cycle().take(70).collect();
    let place = &mut view.places[0];
    for lines in [&mut place.ours.lines, &mut place.theirs.lines] {
        lines[1].text.clone_from(&text);
        // Where the frame ends on a screen of 120 columns.
        lines[1].changed.clear();
        lines[1].changed.push(50..60);
    }
    let run = with(view).size(120, 36).run();
    let row = (0..36)
        .map(|y| run.row(y))
        .find(|row| row.contains("abcdefgh"));
    let row = row.unwrap();
    assert_eq!(row.matches('…').count(), 2, "{row}");
}
