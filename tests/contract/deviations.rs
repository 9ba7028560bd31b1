//! Cases that are not compared, each with its reason.

/// Single cases: scenario, case, reason.
const CASES: &[(&str, &str, &str)] = &[
    (
        "edge-data",
        "doctor-consistency",
        "process id 0 is no living process",
    ),
    (
        "edge-data",
        "mail-check-inject",
        "control characters of a mail are not put before an agent",
    ),
    (
        "edge-data",
        "status-twice",
        "status shows what it observes and writes nothing back",
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
    (
        "midrun",
        "status-twice",
        "status shows what it observes and writes nothing",
    ),
    (
        "fresh",
        "e-mon-start",
        "grove works as root as well; what it refuses there is a monitor that is switched off",
    ),
];

/// Why a case is left out, if it is.
pub(crate) fn reason(scenario: &str, case: &str) -> Option<&'static str> {
    CASES
        .iter()
        .find(|(name, known, _)| *name == scenario && *known == case)
        .map(|(_, _, why)| *why)
}
