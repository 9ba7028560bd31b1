//! What is said to a model that is to merge one file. Pure.

use crate::types::merge::MergeTier;

use super::assist::ContestedFile;
use super::history::PastMerge;

/// Longer accounts of what the work was for are cut.
const INTENT_LIMIT: usize = 6000;

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
    let mut parts = vec![
        format!("{task}\nFile: {}", file.path),
        "Rules:\n\
         - Print the complete merged file and nothing else: no explanation, no code fence, no \
         conflict markers.\n\
         - Keep what both sides added. Every line that one side added or kept must be there, unless \
         the other side deleted it on purpose; where both rewrote one line, the new line must hold \
         the changes of both.\n\
         - Change nothing else. Do not edit any file yourself."
            .to_owned(),
    ];
    if !intent.trim().is_empty() {
        parts.push(format!(
            "What the branch is for:\n{}",
            cut(intent.trim(), INTENT_LIMIT)
        ));
    }
    let good: Vec<String> = past
        .iter()
        .filter(|merge| merge.resolved)
        .take(5)
        .map(|merge| format!("- {}", merge.to_text()))
        .collect();
    if !good.is_empty() {
        parts.push(format!(
            "Earlier conflicts in these files:\n{}",
            good.join("\n")
        ));
    }
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

fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
