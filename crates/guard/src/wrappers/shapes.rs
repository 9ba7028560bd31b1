//! The plain wrappers: their command starts at their first operand, and this is how their options read.

/// A wrapper whose command starts at its first operand.
pub(super) struct Shape {
    /// Short options that take a value.
    pub(super) short: &'static str,
    /// Long options that take a value as the next word.
    pub(super) long: &'static [&'static str],
    /// Operands before the command.
    pub(super) skip: usize,
}

const fn shape(short: &'static str, long: &'static [&'static str], skip: usize) -> Shape {
    Shape { short, long, skip }
}

pub(super) fn shape_of(name: &str) -> Option<Shape> {
    Some(match name {
        "unbuffer" => shape("", &[], 0),
        "nohup" | "setsid" | "builtin" | "fakeroot" | "caffeinate" | "catchsegv" | "rlwrap"
        | "dbus-run-session" | "torsocks" | "proxychains" | "proxychains4" | "ccache"
        | "sccache" | "distcc" | "winpty" | "allocate-pty" | "tsp" | "chronic" | "ifne"
        | "errno" | "not" => shape("ptn", &[], 0),
        "tini" | "dumb-init" | "catatonit" | "run-one" | "run-this-one" | "run-one-constantly"
        | "cronic" | "nq" | "dbus-launch" | "systemd-inhibit" | "eatmydata" | "with-contenv"
        | "authbind" | "zrun" | "softlimit" | "chpst" => shape("pgruecfmdnos", &[], 0),
        "retry" => shape("tdms", &["--times", "--delay", "--until", "--while"], 0),
        "setuidgid" | "envdir" | "lckdo" => shape("", &[], 1),
        "bear" | "scan-build" | "intercept-build" | "heaptrack" | "t-rec" => {
            shape("o", &["--output", "--append", "--config"], 0)
        }
        "exec" => shape("a", &[], 0),
        "nice" => shape("n", &["--adjustment"], 0),
        "ionice" => shape("cnpPu", &["--class", "--classdata"], 0),
        "chrt" => shape("TPD", &[], 1),
        "taskset" => shape("", &[], 1),
        "numactl" => shape("NmCpi", &["--cpunodebind", "--membind"], 0),
        "prlimit" => shape("p", &["--pid"], 0),
        "cpulimit" => shape("lpP", &["--limit"], 0),
        "stdbuf" => shape("ioe", &["--input", "--output", "--error"], 0),
        "timeout" | "gtimeout" => shape("sk", &["--signal", "--kill-after"], 1),
        "time" | "gtime" => shape("fo", &["--format", "--output"], 0),
        "faketime" => shape("f", &[], 1),
        "xvfb-run" => shape("nesfpw", &["--server-args", "--server-num"], 0),
        "valgrind" => shape("", &[], 0),
        "strace" | "ltrace" => shape("aeEoOpPsSuXbI", &["--output", "--trace"], 0),
        "linux32" | "linux64" => shape("", &[], 0),
        "arch" | "setarch" => shape("", &[], 0),
        "busybox" | "toybox" => shape("", &[], 0),
        "pipx" | "uvx" => shape("p", &["--spec", "--from", "--with", "--python", "-p"], 0),
        "direnv" | "mise" | "asdf" | "rtx" => shape("", &[], 0),
        _ => return None,
    })
}

/// Wrappers of which not every option is known, nor which of them take a value.
pub(super) fn is_loose(name: &str) -> bool {
    shape_of(name).is_some_and(|shape| {
        name == "unbuffer" || matches!(shape.short, "ptn" | "pgruecfmdnos" | "tdms")
    })
}

pub(super) fn asks_version(args: &[String]) -> bool {
    matches!(args, [only] if matches!(only.as_str(), "--version" | "--help" | "-V"))
}
