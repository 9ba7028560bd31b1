//! Variables that stand for words of a command line: options, settings, aliases.
//!
//! They are judged as if the words stood there.

use super::environment::check;
use crate::policy::{Judged, Refusal, Role, rule};
use crate::shell::state::State;
use crate::shell::text::{ANY, SECRET, brief};
use crate::shell::walk::Walker;

/// Variables whose value a program puts before its own arguments, and the rest of a harmless command line.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("ACK_OPTIONS", "ack", "x"),
    ("BAT_OPTS", "bat", "x"),
    ("FZF_DEFAULT_OPTS", "fzf", ""),
    ("GREP_OPTIONS", "grep", "x x"),
    ("LESS", "less", "x"),
    ("MANOPT", "man", "ls"),
    ("MORE", "more", "x"),
    ("PARALLEL", "parallel", "true ::: x"),
    ("PYTEST_ADDOPTS", "pytest", ""),
    ("SKIM_DEFAULT_OPTIONS", "sk", ""),
    ("TAR_OPTIONS", "tar", "-cf /dev/null ."),
    ("UNZIP", "unzip", "x"),
    ("UNZIPOPT", "unzip", "x"),
    ("ZIPOPT", "zip", "/dev/null x"),
];

/// Variables whose value a program runs as code of its own, or that make it load some.
const CODE: &[&str] = &["EXINIT", "GVIMINIT", "VIMINIT", "YARN_YARN_PATH"];

/// Settings of pip and cargo that name where things are installed or written.
const PLACES: &[&str] = &[
    "CARGO_INSTALL_ROOT",
    "PIP_LOG",
    "PIP_PREFIX",
    "PIP_REPORT",
    "PIP_ROOT",
    "PIP_SRC",
    "PIP_TARGET",
    "NPM_CONFIG_PREFIX",
];

/// Settings of npm whose value is a program.
const NPM_PROGRAMS: &[&str] = &["editor", "git", "shell", "viewer", "browser"];

/// Judges a variable of this kind; others pass.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, value: &str, st: &State) -> Judged<()> {
    if value.is_empty() {
        return Ok(());
    }
    if let Some((_, program, rest)) = OPTIONS.iter().find(|(known, _, _)| *known == name) {
        // `LESS=FRX` leaves the dash away.
        let dash = if matches!(name, "LESS" | "MORE") && !value.starts_with(['-', '+', '$']) {
            "-"
        } else {
            ""
        };
        // What a variable of the environment adds to those that only show and test is left out.
        let harmless = matches!(name, "LESS" | "MORE" | "PYTEST_ADDOPTS");
        let value = if harmless {
            value.replace([ANY, SECRET], "")
        } else {
            value.to_owned()
        };
        let code = format!("{program} {dash}{value} {rest}");
        let role = w.role;
        // The options of a gate are as free as the gate.
        if name == "PYTEST_ADDOPTS" {
            w.role = Role::Writer;
        }
        let judged = w.script(&code, &mut st.for_program());
        w.role = role;
        return judged.map(|_| ());
    }
    if let Some(setting) = name
        .strip_prefix("npm_config_")
        .or_else(|| name.strip_prefix("NPM_CONFIG_"))
    {
        let setting = setting.to_lowercase().replace('-', "_");
        if setting == "node_options" {
            return check(w, "NODE_OPTIONS", value, st);
        }
        if NPM_PROGRAMS.contains(&setting.as_str()) {
            return w.script(value, &mut st.for_program()).map(|_| ());
        }
    }
    if name.starts_with("CARGO_ALIAS_") {
        let code = format!("cargo {value}");
        return w.script(&code, &mut st.for_program()).map(|_| ());
    }
    if PLACES.contains(&name) && w.role.writes() {
        return w.write_path(value, st);
    }
    if name == "MAKEFILES" && value.split_whitespace().any(|file| w.is_foreign(file, st)) {
        return Err(loads(name));
    }
    if loads_code(name, value) {
        return Err(loads(name));
    }
    Ok(())
}

/// Whether the value is, or names, code that another program then runs.
fn loads_code(name: &str, value: &str) -> bool {
    let lower = value.to_lowercase();
    match name {
        "BUN_OPTIONS" => ["preload", "require", "import", "-r"]
            .iter()
            .any(|option| lower.contains(option)),
        "ERL_FLAGS" | "ERL_AFLAGS" | "ERL_ZFLAGS" | "ELIXIR_ERL_OPTIONS" => {
            ["-eval", "-run", "-s ", "-config", "-boot"]
                .iter()
                .any(|option| lower.contains(option))
        }
        // The bus may be a program that is started.
        "DBUS_SESSION_BUS_ADDRESS" | "DBUS_SYSTEM_BUS_ADDRESS" => lower.contains("exec:"),
        "shell_escape" => !matches!(value, "f" | "0" | "n"),
        "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" => runs_on_error(&lower),
        _ => {
            name.starts_with("LUA_INIT")
                || CODE.contains(&name)
                || name.ends_with("_OPTS") && runs_on_error(&lower)
        }
    }
}

/// `-XX:OnError=command`: what a Java machine runs when it ends.
pub(crate) fn runs_on_error(options: &str) -> bool {
    options.to_lowercase().contains("-xx:on")
}

fn loads(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} would run code in other programs; run the command without it",
            brief(name)
        ),
    )
}
