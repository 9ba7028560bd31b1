//! Processes and sessions: signals, terminal multiplexers, services, schedulers, and other agents.
//!
//! An agent may stop the jobs its own command started, by `%n` or `$!`, and those whose numbers it has left in a file
//! of its worktree; everything else is not its own.

use super::flags::parse;
use super::{agents, installers, models, versions};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, JOB, brief};
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    if let Some(agent) = agents::of_name(name) {
        return Some(agents::judge(agent, args));
    }
    let judged = models::judge(w.role, name, args)
        .or_else(|| versions::judge(name, args))
        .or_else(|| installers::judge(w, name, call, st));
    if let Some(judged) = judged {
        return Some(judged);
    }
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    Some(match name {
        "kill" => kill(args),
        "pkill" if names_pid_file(w, args, st) || names_own_parent(args) => Ok(()),
        "skill" | "snice" | "xkill" | "killall" | "killall5" | "pkill" | "slay" | "fkill"
        | "kill-port" | "pskill" => {
            let asks = name == "killall" && args.iter().any(|arg| arg == "-l" || arg == "--list")
                || args.iter().any(|arg| arg == "--help" || arg == "--version");
            if asks { Ok(()) } else { Err(not_own(name)) }
        }
        "fuser"
            if args.iter().any(|arg| {
                arg == "--kill"
                    || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('k')
            }) =>
        {
            Err(not_own(name))
        }
        "fuser" => Ok(()),
        "renice" | "reptyr" | "ptrace" | "gcore" => Err(not_own(name)),
        "tmux" => tmux(args),
        "screen"
        | "zellij"
        | "byobu"
        | "dtach"
        | "abduco"
        | "tmate"
        | "mosh"
        | "wezterm"
        | "kitty"
        | "ttyd"
        | "gotty"
        | "xterm"
        | "uxterm"
        | "rxvt"
        | "urxvt"
        | "alacritty"
        | "ghostty"
        | "foot"
        | "konsole"
        | "gnome-terminal"
        | "xfce4-terminal"
        | "x-terminal-emulator"
        | "terminator"
        | "tilix" => {
            let lists = matches!(args, [only] if matches!(only.as_str(), "-ls" | "-list" | "--version" | "-v" | "list-sessions" | "ls"));
            if lists { Ok(()) } else { Err(sessions(name)) }
        }
        "systemctl" | "service" | "launchctl" | "rc-service" | "loginctl" | "supervisorctl"
        | "initctl" | "sv" | "pm2" | "brew-services" => {
            let reads = match name {
                "service" => args
                    .iter()
                    .any(|arg| arg == "status" || arg == "--status-all"),
                _ => matches!(
                    first,
                    "" | "status"
                        | "is-active"
                        | "is-enabled"
                        | "list-units"
                        | "list-unit-files"
                        | "show"
                        | "cat"
                        | "list"
                        | "print"
                        | "avail"
                        | "logs"
                        | "list-sessions"
                        | "is-failed"
                        | "ls"
                        | "jlist"
                        | "list-timers"
                ),
            };
            if reads {
                Ok(())
            } else {
                Err(Refusal::new(
                    rule::PROCESS,
                    "services are not the agent's to start or stop; run what you need as a job of your own",
                ))
            }
        }
        "crontab" | "at" | "batch" | "atrm" | "systemd-run" | "shutdown" | "reboot" | "halt"
        | "poweroff"
            if matches!(args, [only] if only == "--help" || only == "--version") =>
        {
            Ok(())
        }
        "crontab" if matches!(args, [only] if only == "-l") => Ok(()),
        "atq" => Ok(()),
        "at" if matches!(args, [only] if only == "-l") => Ok(()),
        "crontab" | "at" | "batch" | "atrm" | "systemd-run" | "anacron" | "schtasks"
        | "watchman-make" => Err(Refusal::new(
            rule::PROCESS,
            "commands for later would run unguarded; run the command now",
        )),
        "shutdown" | "reboot" | "halt" | "poweroff" | "init" | "telinit" | "pm-suspend"
        | "logout-session" => Err(Refusal::new(
            rule::PROCESS,
            "the machine is not yours to stop; ask your lead by mail",
        )),
        "start-stop-daemon" | "daemonize" | "daemon" | "setsid-daemon" => Err(Refusal::new(
            rule::PROCESS,
            "a daemon would run on after you; start the program as a job of your own command",
        )),
        "open" | "xdg-open" | "gnome-open" | "kde-open" | "wslview" | "explorer.exe"
        | "cygstart" | "kstart5" | "gtk-launch" | "exo-open" | "i3-msg" | "swaymsg" | "hyprctl"
        | "dbus-send" | "qdbus" => opened(name, args),
        // The bus of the machine or the desktop starts what it is asked for.
        "gdbus" | "busctl" if matches!(first, "call" | "emit" | "set-property" | "capture") => {
            opened(name, args)
        }
        "gio" => super::desktop_files::judge(w, args, st),
        "write" | "wall" | "mesg" => Err(Refusal::new(
            rule::PROCESS,
            "terminals of others are not written to; send messages with grove mail",
        )),
        "overmind" | "foreman" | "honcho" if first == "kill" => Err(not_own(name)),
        _ => return None,
    })
}

/// Programs of the desktop are started by the desktop, and so without a guard.
pub(super) fn opened(name: &str, args: &[String]) -> Judged<()> {
    let asks =
        matches!(args, [only] if matches!(only.as_str(), "--help" | "--version" | "--manual"));
    if asks {
        return Ok(());
    }
    Err(Refusal::new(
        rule::PROCESS,
        format!(
            "{name} starts a program of the desktop, without a guard; name the file in your mail instead"
        ),
    ))
}

fn not_own(name: &str) -> Refusal {
    Refusal::new(
        rule::PROCESS,
        format!(
            "{} could stop processes of other agents; keep the number of your own (CMD & echo $! > \"$TMPDIR/pid\") and kill \"$(cat \"$TMPDIR/pid\")\", or kill %1 or $! in the same command",
            brief(name)
        ),
    )
}

fn sessions(name: &str) -> Refusal {
    Refusal::new(
        rule::PROCESS,
        format!("{name} sessions belong to the orchestrator; run the command as a job of your own"),
    )
}

fn kill(args: &[String]) -> Judged<()> {
    let mut rest = args;
    let mut harmless = false;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "-l" | "-L" | "--list" | "--table" | "--help" => return Ok(()),
            "-0" => {
                harmless = true;
                rest = more;
            }
            "-s" | "--signal" | "-n" => {
                harmless = more.first().is_some_and(|signal| signal == "0");
                rest = more.get(1..).unwrap_or_default();
            }
            "--" => {
                rest = more;
                break;
            }
            flag if flag.starts_with('-') && rest.len() == args.len() => rest = more,
            _ => break,
        }
    }
    if harmless {
        return Ok(());
    }
    let own = |target: &String| {
        // A leading dash means the group of it.
        let number = target.strip_prefix('-').unwrap_or(target);
        target.starts_with('%') && !target.contains('/')
            || is_job(number)
            || text::is_number(number)
    };
    if rest.iter().all(own) {
        Ok(())
    } else {
        Err(not_own("kill"))
    }
}

/// Whether this is the number of a process this command started, or its own.
fn is_job(number: &str) -> bool {
    !number.is_empty() && number.chars().all(|c| c == JOB)
}

/// `pkill -P $$`: the children of this command, or of a job of it; whatever else is asked for picks among them.
fn names_own_parent(args: &[String]) -> bool {
    let flags = parse(
        args,
        "PgGFnstuUdr",
        &[
            "parent",
            "signal",
            "pgroup",
            "group",
            "session",
            "terminal",
            "euid",
            "uid",
            "pidfile",
            "ns",
            "nslist",
            "runstates",
            "cgroup",
            "env",
            "older",
        ],
    );
    let parents = flags.values(&["P", "parent"]);
    // A letter that takes a value would swallow the next word.
    let plain = args.iter().all(|arg| {
        !arg.starts_with('-')
            || matches!(
                arg.as_str(),
                "-P" | "--parent" | "-f" | "--full" | "-x" | "-e" | "-9"
            )
            || arg.strip_prefix("-P").is_some_and(is_job)
            || arg.strip_prefix("--parent=").is_some_and(is_job)
            || arg.strip_prefix('-').is_some_and(is_signal)
    });
    plain && !parents.is_empty() && parents.iter().all(|parent| parent.split(',').all(is_job))
}

/// `pkill -TERM -F server.pid`: nothing else picks processes.
fn names_pid_file(w: &Walker<'_>, args: &[String], st: &State) -> bool {
    let mut words = args.iter().map(String::as_str);
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "-F" | "--pidfile" => files.extend(words.next()),
            "--signal" => {
                words.next();
            }
            "-L" | "-e" | "--logpidfile" | "--echo" => {}
            _ => match (word.strip_prefix("--pidfile="), word.strip_prefix('-')) {
                (Some(file), _) => files.push(file),
                (None, Some(signal)) if is_signal(signal) => {}
                (None, _) => return false,
            },
        }
    }
    !files.is_empty() && files.into_iter().all(|file| w.is_pid_file(file, st))
}

/// `9`, `TERM`, `SIGHUP`; one letter is an option.
fn is_signal(name: &str) -> bool {
    let number = name.bytes().all(|c| c.is_ascii_digit());
    let word = name.len() > 2
        && name
            .bytes()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    !name.is_empty() && (number || word)
}

fn tmux(args: &[String]) -> Judged<()> {
    let flags = parse(args, "LSfcT", &[]);
    let reads = matches!(
        flags.first(),
        "ls" | "list-sessions"
            | "lsp"
            | "list-panes"
            | "lsw"
            | "list-windows"
            | "list-clients"
            | "has-session"
            | "has"
            | "capture-pane"
            | "capturep"
            | "display-message"
            | "display"
            | "show-options"
            | "show"
            | "list-keys"
            | "list-commands"
            | "info"
            | "show-environment"
    );
    let asks = flags.operands.is_empty() && flags.has(&["V"]);
    if asks
        || reads
            && !args.iter().any(|arg| arg == ";" || arg.ends_with(';'))
            && !args.iter().any(|arg| arg.contains("#("))
    {
        Ok(())
    } else {
        Err(sessions("tmux"))
    }
}
