//! Programs no other rule knows: refused to readers, judged by their arguments for writers.
//!
//! An argument that names a place outside is refused, because nothing says it is only read.

use crate::commands::{Call, read_only};
use crate::paths::{Zone, names_disk};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, HOME, brief};
use crate::shell::walk::Walker;

/// Places whose files programs read as a matter of course.
const SYSTEM: &[&str] = &[
    "/usr/", "/etc/", "/opt/", "/bin/", "/lib", "/sbin/", "/proc/", "/sys/", "/nix/", "/dev/",
    "/run/", "/snap/",
];

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if super::compiling::compiled::is_compiler(name)
        && let Err(refusal) =
            super::compiling::compiled::judge(w, name, call.args(), call.stdin.as_deref())
    {
        return Some(Err(refusal));
    }
    if let Err(refusal) = super::runners::others::judge(w, name, call, st) {
        return Some(Err(refusal));
    }
    Some(arguments(w, name, call.args(), st).and_then(|()| given_command(w, name, call, st)))
}

/// Lines of an input that are looked at.
const LINES: usize = 64;

/// A program nobody knows may be one that starts the command it is given: what would be refused on its own
/// is refused behind it.
fn given_command(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    if matches!(
        name,
        "tldr" | "cheat" | "man" | "info" | "whatis" | "apropos"
    ) {
        return Ok(());
    }
    let starts = |arg: &String| {
        let program = arg.rsplit('/').next().unwrap_or(arg);
        matches!(program, "git" | "gh" | "glab" | "sudo" | "doas" | "su")
    };
    if let Some(at) = call.args().iter().position(starts) {
        let argv = call.args().get(at..).unwrap_or_default().to_vec();
        w.separate(call, argv, st)?;
    }
    // Programs with a prompt of their own run what stands behind one of these.
    let lines = call.stdin.as_deref().unwrap_or_default().lines();
    for line in lines.map(str::trim).take(LINES) {
        let escaped = ["!", "@exec ", "exec ", "shell "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        if let Some(code) = escaped
            && code
                .split_whitespace()
                .next()
                .is_some_and(|word| starts(&word.to_owned()))
        {
            w.script(code, &mut st.for_program())?;
        }
    }
    let texts = call
        .args()
        .iter()
        .enumerate()
        .filter_map(|(at, arg)| match arg.split_once('=') {
            Some((option, text)) if arg.starts_with('-') => Some((option, text)),
            Some(_) | None => Some((arg.as_str(), call.args().get(at + 1)?.as_str())),
        });
    for (option, text) in texts {
        let program = text.split_whitespace().next().map(str::to_owned);
        if takes_command(name, option)
            && text.contains(' ')
            && program.is_some_and(|program| starts(&program))
        {
            w.script(text, &mut st.for_program())?;
        }
    }
    Ok(())
}

const TEST_RUNNERS: &[&str] = &[
    "rspec",
    "turbo_tests",
    "parallel_rspec",
    "minitest",
    "m",
    "cucumber",
    "behat",
    "behave",
    "bats",
    "busted",
    "phpunit",
    "pest",
    "paratest",
    "codecept",
    "kaocha",
    "prove",
    "shellspec",
    "nextest",
    "gotestsum",
    "ginkgo",
    "wdio",
    "newman",
    "robot",
];

/// Whether an option sounds as if its value were a command.
fn takes_command(name: &str, option: &str) -> bool {
    const NAMES: &[&str] = &[
        "exec", "command", "cmd", "run", "hook", "shell", "script", "success", "preview", "pager",
    ];
    // Of these the short ones take a pattern that picks tests.
    if TEST_RUNNERS.contains(&name) && !option.starts_with("--") || option.contains("example") {
        return false;
    }
    let lower = option.to_lowercase();
    matches!(option, "-c" | "-e" | "-x")
        || lower.starts_with('-')
            && (lower.starts_with("--on") || NAMES.iter().any(|name| lower.contains(name)))
}

fn arguments(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    if name == "./written-here" {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "a program written by this same command would run unread; run it in a second call",
        ));
    }
    let only_asks = matches!(args, [only] if matches!(only.as_str(), "--version" | "-V" | "--help" | "-h" | "version" | "help"));
    if only_asks && !name.starts_with("./") {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only(&format!(
            "runs {}, which is not known to only read",
            brief(name)
        )));
    }
    if args.iter().any(|arg| names_disk(arg)) {
        return Err(super::system::disks(name));
    }
    if w.module.as_deref() != Some(name) {
        super::publish::unknown_publisher(name, args)?;
    }
    outside_arguments(w, name, args, st)
}

/// Refuses arguments that name a place outside the worktree, attached to options or not.
pub(crate) fn outside_arguments(
    w: &mut Walker<'_>,
    name: &str,
    args: &[String],
    st: &State,
) -> Judged<()> {
    if args.iter().any(|arg| {
        matches!(
            arg.trim_start_matches('-'),
            "shell-escape" | "enable-write18"
        )
    }) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} would run commands from a document; leave the option out",
                brief(name)
            ),
        ));
    }
    super::outputs::judge(w, name, args, st)?;
    for arg in args {
        let value = match arg.split_once('=') {
            Some((key, value))
                if key.starts_with('-')
                    || key
                        .chars()
                        .all(|c| c.is_alphanumeric() || c == '_' || c == '-') =>
            {
                value
            }
            _ if arg.starts_with('-') => arg
                .get(2..)
                .filter(|rest| rest.starts_with(['/', '.']))
                .unwrap_or(""),
            _ => arg.as_str(),
        };
        // `html:../x`: a kind stands before the path.
        let value = value
            .rsplit_once([':', '='])
            .map(|(_, last)| last)
            .filter(|last| last.starts_with("../") || *last == "..")
            .unwrap_or(value);
        let names_path = value.starts_with('/')
            || value.starts_with(HOME)
            || value.starts_with("..")
            || value.contains("/../");
        // A path that looks as if it stayed inside may go through a link.
        let linked = !names_path && value.contains('/') && !value.contains("//");
        if !names_path && !linked
            || SYSTEM.iter().any(|place| value.starts_with(place))
            || value.contains(['\n', ' ', '('])
        {
            continue;
        }
        for place in &st.cwd {
            let zone = w.paths.zone(value, place);
            let leaves = matches!(zone, Zone::Above | Zone::Outside | Zone::Disk)
                || zone == Zone::Git && names_path;
            if leaves && !w.is_fresh(value, place) {
                let state = w.paths.is_state(value, place);
                return Err(Refusal::new(
                    if state { rule::STATE } else { rule::OUTSIDE },
                    format!(
                        "{} is given {}, which is outside your worktree; point it at a path inside",
                        brief(name),
                        text::show(&brief(value))
                    ),
                ));
            }
        }
    }
    Ok(())
}
