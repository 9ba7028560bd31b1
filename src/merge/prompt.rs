//! What is said to a model that is to merge one file. Pure.

use crate::types::merge::MergeTier;

use super::assist::ContestedFile;
use super::history::PastMerge;
use super::places::Place;

/// Longer accounts of what the work was for are cut.
const INTENT_LIMIT: usize = 6000;
/// How many earlier conflicts are told of.
const MOST_PAST: usize = 5;
/// How many lines around a single place are shown.
const NEAR: usize = 30;

/// What every answer is checked for.
const RULES: &str = "Rules:\n\
    - Print the complete merged file and nothing else: no explanation, no code fence, no \
    conflict markers.\n\
    - Keep what both sides added. Every line that one side added or kept must be there, unless \
    the other side deleted it on purpose; where both rewrote one line, the new line must hold \
    the changes of both. An equal line that both added at different places stays at both.\n\
    - Change nothing else. Outside of the contested places each line stands as the side that \
    changed it has it; where both only inserted lines, those of TARGET come first. Add no comment \
    about the merge. Do not edit any file yourself.";

/// Puts the question together.
pub(super) fn prompt(
    tier: MergeTier,
    file: &ContestedFile,
    intent: &str,
    past: &[PastMerge],
) -> String {
    let task = match tier {
        MergeTier::Reimagine => {
            "The work of a branch is to be done again on top of the present version of a file. The \
             present checkout is your working directory, for reading."
        }
        MergeTier::CleanMerge | MergeTier::AutoResolve | MergeTier::AiResolve => {
            "Two branches changed the same lines of a file. Merge them."
        }
    };
    let mut parts = vec![format!("{task}\nFile: {}", file.path), RULES.to_owned()];
    parts.extend(known(intent, past));
    let places: Vec<String> = file
        .hunks
        .iter()
        .map(|hunk| format!("- line {} of TARGET", hunk.start_line))
        .collect();
    if !places.is_empty() {
        parts.push(format!("Contested places:\n{}", places.join("\n")));
    }
    for (name, text) in [
        ("BASE", &file.base),
        ("TARGET", &file.ours),
        ("BRANCH", &file.theirs),
    ] {
        parts.push(format!(
            "===== {name} begins =====\n{text}\n===== {name} ends ====="
        ));
    }
    parts.push(format!("Now print the merged {}.", file.path));
    parts.join("\n\n")
}

/// Puts the question about a single place together.
pub(super) fn place_prompt(place: &Place, intent: &str, past: &[PastMerge]) -> String {
    let hunk = &place.hunk;
    let around = |lines: &[String]| lines.join("\n");
    let near = place.result.before.len().saturating_sub(NEAR);
    let mut parts = vec![
        format!(
            "Two branches changed the same lines of {}. Merge these lines.",
            hunk.file
        ),
        "Rules:\n\
         - Print only the merged lines that shall stand in this place: no line of what comes before or \
         after, no explanation, no code fence, no conflict markers.\n\
         - Keep what both sides added. Where both rewrote one line, the new line must hold the changes \
         of both.\n\
         - Change nothing else. Do not edit any file."
            .to_owned(),
    ];
    parts.extend(known(intent, past));
    let before = place.result.before.get(near..).unwrap_or_default();
    let after: Vec<String> = place.result.after.iter().take(NEAR).cloned().collect();
    for (name, text) in [
        ("LINES BEFORE (not to be printed)", &around(before)),
        ("BASE", &hunk.base),
        ("TARGET", &hunk.text),
        ("BRANCH", &hunk.incoming),
        ("LINES AFTER (not to be printed)", &around(&after)),
    ] {
        parts.push(format!(
            "===== {name} begin =====\n{text}\n===== {name} end ====="
        ));
    }
    parts.push("Now print the merged lines.".to_owned());
    parts.join("\n\n")
}

/// What the branch is for, and how earlier conflicts in the same files were resolved.
fn known(intent: &str, past: &[PastMerge]) -> Vec<String> {
    let mut parts = Vec::new();
    let intent = cut(intent.trim(), INTENT_LIMIT);
    if !intent.is_empty() {
        parts.push(format!("What the branch is for:\n{intent}"));
    }
    let resolved = past.iter().filter(|merge| merge.resolved);
    let resolved = resolved.take(MOST_PAST).map(PastMerge::to_text);
    let resolved: Vec<String> = resolved.map(|text| format!("- {text}")).collect();
    if !resolved.is_empty() {
        let resolved = resolved.join("\n");
        parts.push(format!("Earlier conflicts in these files:\n{resolved}"));
    }
    parts
}

fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
