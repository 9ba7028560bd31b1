//! Cases that are not compared, each with its reason.

/// Commands whose recorded behaviour belongs to a way of working that grove replaces, or that
/// other tests look at.
const OTHER_COMMANDS: &[&str] = &[
    "coordinator",
    "discover",
    "monitor",
    "orchestrator",
    "supervisor",
];

/// Single cases: scenario, case, reason.
const CASES: &[(&str, &str, &str)] = &[
    (
        "edge-data",
        "doctor-consistency",
        "process id 0 is no living process",
    ),
    (
        "edge-data",
        "t-logs",
        "an unreadable date is shown instead of ending the program",
    ),
    (
        "midrun",
        "merge-real-clean",
        "quality gates run on the merged tree before the target moves, and these cannot pass",
    ),
    (
        "midrun",
        "t-merge-real-clean",
        "quality gates run on the merged tree before the target moves, and these cannot pass",
    ),
    (
        "midrun",
        "merge-real-all",
        "quality gates run on the merged tree before the target moves, and these cannot pass",
    ),
    (
        "midrun",
        "merge-real-conflict",
        "a contested merge is held at the tier that was tried; no model is asked",
    ),
    (
        "midrun",
        "t-merge-real-conflict",
        "a contested merge is held at the tier that was tried; no model is asked",
    ),
    (
        "midrun",
        "merge-then-dry",
        "an entry whose merge was killed is queued again",
    ),
];

/// Why a case is left out, if it is.
pub(crate) fn reason(scenario: &str, case: &str, argv: &[String]) -> Option<&'static str> {
    let command = argv.first().map_or("", String::as_str);
    if OTHER_COMMANDS.contains(&command) {
        return Some("another command");
    }
    CASES
        .iter()
        .find(|(name, known, _)| *name == scenario && *known == case)
        .map(|(_, _, why)| *why)
}
