//! What a person has decided belongs to the branch: every way of merging goes by it, and what landed without being asked
//! can be decided afterwards.

use grove::config;
use grove::coordinator::decisions;
use grove::coordinator::landing::{self, Landed};
use grove::db::MergeQueueStore;
use grove::engine::event::EngineEvent;
use grove::engine::review::Decision;
use grove::engine::view::{LookedOver, MergeState, MergeView};
use grove::merge::{Conclusion, MergeReport, OnDisplaced};
use grove::platform::ProjectPaths;
use grove::types::merge::{MergeStatus, PlaceProposal, SettledBy};

use crate::engine::{Front, all, held};
use crate::support::{BRANCH, Change, GONE, Sandbox, text};

/// Merges the branch as `grove merge --branch` does.
fn merge(sandbox: &Sandbox, policy: OnDisplaced) -> MergeReport {
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let config = config::load(&paths.root).unwrap().config;
    let mut context = landing::context(&paths, &config, "main");
    context.on_displaced = policy;
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    let row = queue.by_branch(BRANCH).unwrap().unwrap();
    match landing::land(&paths, &context, &row, None, &mut |_| {}).unwrap() {
        Some(Landed::Report(report)) => *report,
        other => panic!("{other:?}"),
    }
}

const POLICIES: [OnDisplaced; 3] = [
    OnDisplaced::Hold,
    OnDisplaced::Escalate,
    OnDisplaced::Commit,
];

#[test]
fn what_is_decided_of_every_place_lands_so_whatever_the_policy_and_however_it_is_merged() {
    for policy in POLICIES {
        let (sandbox, id) = held();
        let mut front = Front::on(&sandbox);
        let view = front.load(id);
        let decisions = [Decision::Both, Decision::Ours, Decision::Ours];
        let decisions = all(&view, &decisions);
        for (place, decision) in decisions.clone() {
            front.decide(id, &place, decision);
        }
        drop(front);
        // What nobody has accepted is a draft.
        let report = merge(&sandbox, policy);
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        let said = "every contested place is decided, and nobody has accepted that";
        let is_said = report.warnings.iter().any(|it| it.starts_with(said));
        assert!(is_said, "{policy:?}: {:?}", report.warnings);
        let paths = ProjectPaths::new(sandbox.root().to_path_buf());
        decisions::accept(&paths, id, &decisions).unwrap();
        let report = merge(&sandbox, policy);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let receipt = report.receipt.unwrap();
        assert_eq!(receipt.settled_by, Some(SettledBy::Person), "{policy:?}");
        assert_eq!(
            sandbox.read("f"),
            "a\nb ours\nb theirs\nc\nd\ne\nf ours\ng\n",
            "{policy:?}"
        );
        assert_eq!(sandbox.read("gone"), "x\ny\n");
    }
}

#[test]
fn what_a_person_has_begun_to_decide_waits_for_that_person_whatever_the_policy() {
    for policy in POLICIES {
        let (sandbox, id) = held();
        let before = sandbox.tip("main");
        let mut front = Front::on(&sandbox);
        let view = front.load(id);
        front.decide(id, &view.places[0].key, Decision::Ours);
        drop(front);
        let report = merge(&sandbox, policy);
        assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
        let said = "1 of 3 contested places are decided";
        let is_said = report.warnings.iter().any(|it| it.starts_with(said));
        assert!(is_said, "{policy:?}: {:?}", report.warnings);
        assert_eq!(sandbox.tip("main"), before);
    }
}

/// How the queue shows the branch.
fn shown(front: &mut Front) -> MergeView {
    front.wait(|event| match event {
        EngineEvent::Merge(views) => views.into_iter().find(|view| view.branch == BRANCH),
        _ => None,
    })
}

#[test]
fn what_landed_without_asking_waits_for_a_look_and_can_stay() {
    let (sandbox, id) = held();
    let report = merge(&sandbox, OnDisplaced::Commit);
    let receipt = report.receipt.unwrap();
    assert_eq!(receipt.settled_by, Some(SettledBy::Policy));
    let landed = sandbox.tip("main");
    let mut front = Front::on(&sandbox);
    let view = shown(&mut front);
    assert_eq!(view.state, MergeState::Merged);
    assert_eq!(view.looked_over, LookedOver::Waits);
    let review = front.load(id);
    assert_eq!(
        review.landed.as_deref(),
        Some(receipt.merged_commit.as_str())
    );
    assert_eq!(review.places.len(), 3);
    let stands = |place: &grove::engine::review::Place| place.decision == Some(Decision::Theirs);
    assert!(review.places.iter().all(stands));
    assert_eq!(review.places[0].ours.lines[0].text, "b ours");
    let decisions = vec![Decision::Theirs; 3];
    let said = front
        .accept(&review, all(&review, &decisions))
        .unwrap()
        .unwrap();
    assert!(said.starts_with("stays as it landed"), "{said}");
    assert_eq!(sandbox.tip("main"), landed);
    drop(front);
    let mut front = Front::on(&sandbox);
    let view = shown(&mut front);
    assert!(
        matches!(view.looked_over, LookedOver::Kept { .. }),
        "{view:?}"
    );
}

#[test]
fn what_landed_without_asking_is_decided_otherwise_by_a_commit_on_top_of_what_came_since() {
    let (sandbox, id) = held();
    merge(&sandbox, OnDisplaced::Commit);
    assert_eq!(sandbox.read("f"), "a\nb theirs\nc\nd\ne\nf theirs\ng\n");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.commit("main", &[("later", text("later\n"))], "later");
    let before = sandbox.tip("main");
    let mut front = Front::on(&sandbox);
    let review = front.load(id);
    let decisions = [Decision::Ours, Decision::Both, Decision::Ours];
    let said = front
        .accept(&review, all(&review, &decisions))
        .unwrap()
        .unwrap();
    let name = format!("overstory/ann/review-{id}");
    assert!(
        said.starts_with(&format!("is decided: {name} landed on main")),
        "{said}"
    );
    assert_eq!(
        sandbox.show("main", "f"),
        "a\nb ours\nc\nd\ne\nf ours\nf theirs\ng\n"
    );
    assert_eq!(sandbox.show("main", "gone"), "x\ny\n");
    assert_eq!(sandbox.show("main", "later"), "later\n");
    assert_eq!(sandbox.tip("main^1"), before);
    drop(front);
    let mut front = Front::on(&sandbox);
    let view = shown(&mut front);
    let LookedOver::Decided { branch, .. } = view.looked_over else {
        panic!("{view:?}");
    };
    assert_eq!(branch, name);
    // It is an entry like any other, with a receipt and an undo of its own.
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
    let row = queue.by_branch(&name).unwrap().unwrap();
    assert_eq!(row.entry.status, MergeStatus::Merged);
}

#[test]
fn what_a_model_answered_is_there_again_for_the_branch_and_decides_nothing() {
    let (sandbox, id) = held();
    let paths = ProjectPaths::new(sandbox.root().to_path_buf());
    let key = Front::on(&sandbox).load(id).places[0].key.clone();
    let proposal = PlaceProposal {
        text: "b of both\n".to_owned(),
        lost: Vec::new(),
        by: "claude".to_owned(),
    };
    let keep = |answer: Option<Result<PlaceProposal, String>>| {
        decisions::keep_answer(&paths, id, &key, answer.as_ref()).unwrap();
    };
    keep(Some(Err("grove was left".to_owned())));
    let place = |front: &mut Front| front.load(id).places.swap_remove(0);
    let mut front = Front::on(&sandbox);
    assert_eq!(
        place(&mut front).answer,
        Some(Err("grove was left".to_owned()))
    );
    keep(Some(Ok(proposal.clone())));
    let now = place(&mut front);
    assert_eq!((now.answer, now.decision), (Some(Ok(proposal)), None));
    assert_eq!(front.load(id).places[1].answer, None);
    keep(None);
    assert_eq!(place(&mut front).answer, None);
}

#[test]
fn a_contested_file_that_one_side_renamed_is_known_by_both_names() {
    let base: String = (0..30).map(|n| format!("line {n} of a text\n")).collect();
    let [ours, theirs] =
        ["ours", "theirs"].map(|word| base.replace("line 9 of", &format!("line 9 {word} of")));
    let sides = |main: &[Change<'_>], branch: &[Change<'_>]| {
        let sandbox = Sandbox::new(&[("docs/old.md", &base), ("f", "f\n")]);
        sandbox.commit(BRANCH, branch, "theirs");
        sandbox.commit("main", main, "ours");
        let found = grove::merge::contested(&sandbox.repo(), "main", BRANCH);
        let places = found.unwrap().unwrap().places.into_iter();
        let names: Vec<_> = places.map(|place| (place.hunk.file, place.was)).collect();
        names
    };
    fn moved(side: &str) -> [Change<'_>; 2] {
        [("docs/old.md", GONE), ("docs/new.md", text(side))]
    }
    fn stays(side: &str) -> [Change<'_>; 1] {
        [("docs/old.md", text(side))]
    }
    let both = [("docs/new.md".to_owned(), Some("docs/old.md".to_owned()))];
    assert_eq!(sides(&stays(&ours), &moved(&theirs)), both);
    assert_eq!(sides(&moved(&ours), &stays(&theirs)), both);
    let same = [("docs/old.md".to_owned(), None)];
    assert_eq!(sides(&stays(&ours), &stays(&theirs)), same);
}
