//! A look at every merge of a repository: how each is planned, that its account balances, and what
//! stays contested. In one process, so that thousands take seconds; `merge_replay.py` goes the whole way.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use git2::{Repository, Sort};
use grove::git::{Oid, Repo};
use grove::merge::{Declared, MergeOutcome, MergeTrees, Source, account, plan_commits};

/// `GROVE_SURVEY=GIT_DIR [GROVE_SURVEY_LIMIT=N] [GROVE_SURVEY_SKIP=N] cargo test --test merge survey --
/// --ignored --nocapture` prints a line for each two-parent merge that git cannot make alone, its
/// contested places with `GROVE_SURVEY_SHOW=1`, and the shares by the first word of the merges' subjects.
#[test]
#[ignore = "looks at a repository that GROVE_SURVEY names"]
fn survey() {
    let Ok(dir) = std::env::var("GROVE_SURVEY") else {
        return;
    };
    let number = |name: &str, otherwise: usize| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let (skip, limit) = (
        number("GROVE_SURVEY_SKIP", 0),
        number("GROVE_SURVEY_LIMIT", usize::MAX),
    );
    let shows = std::env::var_os("GROVE_SURVEY_SHOW").is_some();
    let raw = Repository::open(&dir).unwrap();
    let repo = Repo::open(dir.as_ref()).unwrap();
    let mut shares: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut problems = 0;
    for (id, ours, theirs, kind) in merges(&raw).into_iter().skip(skip).take(limit) {
        let outcome = plan_commits(&repo, ours, theirs).unwrap();
        let name = match &outcome {
            MergeOutcome::Clean(_) => "clean",
            MergeOutcome::Resolved(_) => "resolved",
            MergeOutcome::ContentDisplaced(_) => "displaced",
            MergeOutcome::Failed(_) => "failed",
        };
        for group in [kind.as_str(), "all"] {
            let shares = shares.entry(group.to_owned()).or_default();
            *shares.entry(name).or_default() += 1;
        }
        let text = described(&repo, &outcome, [ours, theirs], shows);
        problems += usize::from(text.contains("UNACCOUNTED"));
        if name != "clean" || text.contains("UNACCOUNTED") {
            println!("{id} {kind} {name}\n{text}");
        }
    }
    for (kind, shares) in &shares {
        println!("{kind}: {shares:?}");
    }
    assert_eq!(problems, 0);
}

fn merges(raw: &Repository) -> Vec<(Oid, Oid, Oid, String)> {
    let mut walk = raw.revwalk().unwrap();
    walk.set_sorting(Sort::TOPOLOGICAL).unwrap();
    walk.push_glob("refs/*").unwrap();
    let mut found = Vec::new();
    for id in walk {
        let commit = raw.find_commit(id.unwrap()).unwrap();
        if commit.parent_count() == 2 {
            let subject = commit.summary().unwrap_or_default().unwrap_or_default();
            let kind = subject.split_whitespace().next().unwrap_or("none");
            found.push((
                commit.id(),
                commit.parent_id(0).unwrap(),
                commit.parent_id(1).unwrap(),
                kind.to_owned(),
            ));
        }
    }
    found
}

/// What is wrong with a plan, and on demand what it leaves open.
fn described(repo: &Repo, outcome: &MergeOutcome, sides: [Oid; 2], shows: bool) -> String {
    let mut text = String::new();
    let Some(plan) = outcome.plan() else {
        return format!("  {outcome:?}\n");
    };
    let [ours, theirs] = sides.map(|side| repo.tree_of(side).unwrap());
    let trees = MergeTrees {
        base: plan.base_tree,
        ours,
        theirs,
        result: plan.tree,
    };
    let declared = Declared {
        displaced: &plan.displaced,
        woven: &plan.woven,
        settled: &plan.conflict_files,
        versions: &plan.versions,
        source: Source::Engine,
        ..Declared::default()
    };
    for line in account(repo, trees, declared).unwrap().unaccounted {
        writeln!(text, "  UNACCOUNTED {line:?}").unwrap();
    }
    for hunk in plan.displaced.iter().filter(|_| shows) {
        writeln!(
            text,
            "  {} {:?} at {}",
            hunk.file, hunk.kind, hunk.start_line
        )
        .unwrap();
        for (mark, lines) in [(' ', &hunk.base), ('<', &hunk.text), ('>', &hunk.incoming)] {
            for line in lines.lines().take(14) {
                writeln!(text, "    {mark} {line}").unwrap();
            }
        }
    }
    text
}
