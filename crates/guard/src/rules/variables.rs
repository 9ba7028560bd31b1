//! Variables that stand for words of a command line: options, settings, aliases.
//!
//! They are judged as if the words stood there.

use super::environment::check;
use super::outputs::leaves;
use crate::policy::{Judged, Refusal, Role, rule};
use crate::shell::state::State;
use crate::shell::text::{self, ANY, HOME, SECRET, brief};
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

/// Settings that name where things are installed or written.
const PLACES: &[&str] = &[
    "BUN_INSTALL",
    "BUNDLE_BIN",
    "BUNDLE_PATH",
    "CARGO_INSTALL_ROOT",
    "COMPOSER_VENDOR_DIR",
    "COVERAGE_FILE",
    "DENO_INSTALL_ROOT",
    "GEM_HOME",
    "PIP_LOG",
    "PIP_PREFIX",
    "PIP_REPORT",
    "PIP_ROOT",
    "PIP_SRC",
    "PIP_TARGET",
    "NPM_CONFIG_PREFIX",
    "PIPX_BIN_DIR",
    "PIPX_HOME",
    "PYTHONUSERBASE",
    "UV_PROJECT_ENVIRONMENT",
    "UV_TOOL_BIN_DIR",
    "UV_TOOL_DIR",
];

/// Caches and stores of package managers. What cannot be told is where they are anyway, in the home folder.
const CACHES: &[&str] = &[
    "CABAL_DIR",
    "CARGO_HOME",
    "CCACHE_DIR",
    "COMPOSER_HOME",
    "CONAN_HOME",
    "COREPACK_HOME",
    "CYPRESS_CACHE_FOLDER",
    "DENO_DIR",
    "DOTNET_CLI_HOME",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOTMPDIR",
    "GRADLE_USER_HOME",
    "JULIA_DEPOT_PATH",
    "LLVM_PROFILE_FILE",
    "MIX_HOME",
    "MYPY_CACHE_DIR",
    "NUGET_PACKAGES",
    "PIP_CACHE_DIR",
    "PLAYWRIGHT_BROWSERS_PATH",
    "PNPM_HOME",
    "POETRY_CACHE_DIR",
    "POETRY_VIRTUALENVS_PATH",
    "PYTHONPYCACHEPREFIX",
    "RUFF_CACHE_DIR",
    "RUSTUP_HOME",
    "R_LIBS_USER",
    "SCCACHE_DIR",
    "STACK_ROOT",
    "UV_CACHE_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "WORKON_HOME",
    "YARN_CACHE_FOLDER",
    "YARN_GLOBAL_FOLDER",
    "npm_config_cache",
];

/// Files that a program reads first and runs as code.
const STARTUP: &[&str] = &[
    "JULIA_LOAD_PATH",
    "MAKEFILES",
    "OCTAVE_SITE_INITFILE",
    "OCTAVE_VERSION_INITFILE",
    "R_ENVIRON",
    "R_ENVIRON_USER",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SCREENRC",
];

/// Variables that name what a program writes: caches, histories, profiles, archives.
const WRITTEN: &[&str] = &[
    "BUNDLE_PATH",
    "BUN_INSTALL",
    "CARGO_HOME",
    "CCACHE_DIR",
    "CCACHE_LOGFILE",
    "COMPOSER_HOME",
    "COREPACK_HOME",
    "COVERAGE_FILE",
    "CYPRESS_CACHE_FOLDER",
    "DENO_DIR",
    "GCOV_PREFIX",
    "GEM_HOME",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOTMPDIR",
    "GRADLE_USER_HOME",
    "HISTFILE",
    "LESSHISTFILE",
    "LLVM_PROFILE_FILE",
    "MPLCONFIGDIR",
    "NODE_COMPILE_CACHE",
    "NODE_REPL_HISTORY",
    "NODE_V8_COVERAGE",
    "PIP_CACHE_DIR",
    "PLAYWRIGHT_BROWSERS_PATH",
    "POETRY_HOME",
    "PRE_COMMIT_HOME",
    "PYTHONPYCACHEPREFIX",
    "PYTHON_HISTORY",
    "RUSTUP_HOME",
    "SCCACHE_DIR",
    "SQLITE_HISTORY",
    "TAPE",
    "WORKON_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "YARN_CACHE_FOLDER",
];

/// Whether a variable names something a program writes.
fn is_written(name: &str) -> bool {
    WRITTEN.contains(&name)
        || [
            "_CACHE_DIR",
            "_CACHE_FOLDER",
            "_CACHE_HOME",
            "_CACHE_PATH",
            "_PROFILE_FILE",
            "_LOG_FILE",
            "_LOGFILE",
        ]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Whether a place is a hidden folder of a home, or the one of go.
fn is_own_folder(place: &str) -> bool {
    let rest = place
        .strip_prefix(HOME)
        .and_then(|rest| rest.strip_prefix('/'));
    rest.is_some_and(|rest| {
        let first = rest.split('/').next().unwrap_or(rest);
        (first == "go" || first.len() > 1 && first.starts_with('.'))
            && rest.split('/').all(|part| part != "..")
    })
}

/// Settings of npm that name where it writes.
const NPM_PLACES: &[&str] = &[
    "cache",
    "prefix",
    "logs_dir",
    "tmp",
    "userconfig",
    "globalconfig",
    "store_dir",
    "pack_destination",
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
        let mut judged = w.script(&code, &mut st.for_program());
        // Options of an archive may say where it is unpacked.
        if name == "TAR_OPTIONS" && judged.is_ok() && w.role.writes() {
            judged = w.script(&format!("tar {value} -xf x"), &mut st.for_program());
        }
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
        let everywhere = setting == "global" && !matches!(value, "false" | "0")
            || setting == "location" && value == "global";
        if everywhere && w.role.writes() {
            return Err(Refusal::new(
                rule::OUTSIDE,
                format!("{name} would install for everybody; install into the project"),
            ));
        }
        if NPM_PLACES.contains(&setting.as_str()) && w.role.writes() && leaves(value) {
            return w.write_path(value, st);
        }
        if NPM_PROGRAMS.contains(&setting.as_str()) {
            return w.script(value, &mut st.for_program()).map(|_| ());
        }
    }
    if name == "TOX_OVERRIDE"
        && let Some((key, code)) = value.split_once('=')
        && key.contains("commands")
    {
        return w.script(code, &mut st.for_program()).map(|_| ());
    }
    if name == "GOFLAGS" && w.role.writes() {
        let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
        return super::outputs::judge(w, "go", &words, st);
    }
    if name.starts_with("CARGO_ALIAS_") {
        let code = format!("cargo {value}");
        return w.script(&code, &mut st.for_program()).map(|_| ());
    }
    if is_written(name) && leaves(value) && w.role.writes() {
        // The tools' own folders of a home are where they are anyway.
        for place in value.split(':').filter(|place| !place.is_empty()) {
            w.read_path(place, st)?;
            if !is_own_folder(place) {
                w.write_path(place, st)?;
            }
        }
        return Ok(());
    }
    if PLACES.contains(&name) && w.role.writes() {
        return w.write_path(value, st);
    }
    let elsewhere = value.starts_with('/') && text::is_known(value) && value != "/dev/null";
    if CACHES.contains(&name) && elsewhere && w.role.writes() && !value.starts_with(text::HOME) {
        return w.write_path(value.split(':').next().unwrap_or(value), st);
    }
    // What this very command wrote, and what comes through a pipe, is not the project's.
    if STARTUP.contains(&name) {
        let foreign = value.split_whitespace().any(|file| {
            let written = w
                .key(file, st)
                .is_some_and(|key| w.written.contains_key(&key));
            let device = file.starts_with("/dev/");
            file != "/dev/null"
                && (written || device || w.is_foreign(file, st) || text::is_any(file))
        });
        if foreign {
            return Err(loads(name));
        }
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
