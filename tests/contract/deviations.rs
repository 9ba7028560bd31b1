//! Cases that are not compared, each with its reason.

/// Commands whose recorded behaviour belongs to a way of working that grove replaces, or that
/// other tests look at.
const OTHER_COMMANDS: &[&str] = &[
    "clean",
    "coordinator",
    "discover",
    "log",
    "merge",
    "monitor",
    "nudge",
    "orchestrator",
    "stop",
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
        "status-twice",
        "status shows what it observes and writes nothing back",
    ),
    (
        "edge-data",
        "t-logs",
        "an unreadable date is shown instead of ending the program",
    ),
    (
        "fresh",
        "w-log-trace",
        "set up by a command that is not compared",
    ),
    (
        "fresh",
        "w-logs",
        "set up by a command that is not compared",
    ),
    (
        "fresh",
        "w-logs-tools",
        "set up by a command that is not compared",
    ),
    (
        "edge-legacy",
        "merge-list",
        "set up by a command that is not compared",
    ),
];

/// Why a case is left out, if it is.
pub(crate) fn reason(scenario: &str, case: &str, argv: &[String]) -> Option<&'static str> {
    let command = argv.first().map_or("", String::as_str);
    let cleaning = argv
        .iter()
        .take(2)
        .map(String::as_str)
        .eq(["worktree", "clean"]);
    if OTHER_COMMANDS.contains(&command) || cleaning {
        return Some("another command");
    }
    CASES
        .iter()
        .find(|(name, known, _)| *name == scenario && *known == case)
        .map(|(_, _, why)| *why)
}
