//! Variables whose value is a command, or that switch the guard, the sandbox or git's refusal to push off.
//!
//! Values that are commands are judged as commands.

use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Variables whose value some program runs.
const COMMANDS: &[&str] = &[
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "MANPAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "GIT_PROXY_COMMAND",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "LESSOPEN",
    "LESSCLOSE",
    "PROMPT_COMMAND",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC",
    "CARGO",
    "RUSTDOC",
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTDOC",
    "CARGO_DOC_BROWSER",
    "CARGO_REGISTRY_CREDENTIAL_PROVIDER",
    "FCEDIT",
    "HGEDITOR",
    "HGMERGE",
    "JJ_EDITOR",
    "SVN_EDITOR",
    "SVN_MERGE",
    "SVN_SSH",
    "RSYNC_RSH",
    "RSYNC_CONNECT_PROG",
    "CVS_RSH",
    "FZF_DEFAULT_COMMAND",
    "FZF_CTRL_T_COMMAND",
    "FZF_ALT_C_COMMAND",
    "SKIM_DEFAULT_COMMAND",
    "ACK_PAGER",
    "ACK_PAGER_COLOR",
    "AWS_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "GH_PAGER",
    "GH_EDITOR",
    "GH_BROWSER",
    "KUBE_EDITOR",
    "KUBECTL_EXTERNAL_DIFF",
    "PERL5SHELL",
    "PERLDOC_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "RI_PAGER",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER",
    "CCACHE_PREFIX",
    "CCACHE_PREFIX_CPP",
    "CCACHE_COMPILER",
    "CMAKE_C_COMPILER_LAUNCHER",
    "CMAKE_CXX_COMPILER_LAUNCHER",
    "GOCACHEPROG",
    "PARALLEL_SHELL",
    "PKG_CONFIG",
];

/// Folders in which programs, or code for them, are looked up.
const SEARCHED: &[&str] = &[
    "PATH",
    "PYTHONPATH",
    "NODE_PATH",
    "PERL5LIB",
    "PERLLIB",
    "RUBYLIB",
    "CLASSPATH",
];

/// What lies in such folders must be the system's, the user's or the project's.
pub(crate) fn searched(w: &Walker<'_>, name: &str, folders: &str, st: &State) -> Judged<()> {
    let shared = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
    let everybodys = |folder: &str| {
        let path = std::path::Path::new(folder);
        folder.starts_with('/')
            && shared.iter().any(|place| path.starts_with(place))
            && !w.paths.is_of_project(path)
            && !w.policy.temp.iter().any(|base| path.starts_with(base))
    };
    // Nobody names the folders of the system by the way from the worktree.
    let strange = |folder: &str| {
        !folder.starts_with(['/', '~', '$']) && text::is_known(folder) && w.is_foreign(folder, st)
    };
    let anothers = |folder: &str| st.cwd.iter().any(|place| w.paths.is_beside(folder, place));
    let folders = || folders.split(':').filter(|folder| !folder.is_empty());
    let what = if folders().any(everybodys) {
        "a folder everybody can write"
    } else if folders().any(|folder| strange(folder) || anothers(folder)) {
        "a folder that is not of your project"
    } else {
        return Ok(());
    };
    Err(Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} would load programs from {what}; name them in full",
            text::brief(name)
        ),
    ))
}

pub(crate) fn check(w: &mut Walker<'_>, name: &str, value: &str, st: &State) -> Judged<()> {
    let name = name.split(['[', text::BRACKET]).next().unwrap_or(name);
    let shown = || text::brief(name);
    if is_guard_variable(name) {
        return Err(Refusal::new(
            rule::PROTECTED,
            format!(
                "{} identifies this agent to the guard; leave it as it is",
                shown()
            ),
        ));
    }
    if name.starts_with("GIT_CONFIG") {
        let harmless = matches!(name, "GIT_CONFIG_NOSYSTEM")
            || matches!(name, "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM") && value == "/dev/null";
        if !harmless {
            return Err(Refusal::new(
                rule::PROTECTED,
                "git's configuration for this agent is fixed; use plain git commands",
            ));
        }
        return Ok(());
    }
    let containers = matches!(name, "DOCKER_HOST" | "DOCKER_CONTEXT" | "CONTAINER_HOST");
    if containers && !super::containers::is_here(value) {
        return Err(super::network::unguarded("another container host"));
    }
    let preloads = name.starts_with("LD_PRELOAD")
        || name.starts_with("DYLD_INSERT")
        || matches!(
            name,
            "LD_AUDIT"
                | "BASH_ENV"
                | "ENV"
                | "ZDOTDIR"
                | "GIT_EXEC_PATH"
                | "GIT_TEMPLATE_DIR"
                | "PERL5OPT"
                | "PERL5DB"
                | "PYTHONSTARTUP"
                | "PYTHONBREAKPOINT"
                | "RUBYOPT"
                | "SHELLOPTS"
                | "BASHOPTS"
                | "PS0"
                | "PS1"
                | "PS2"
                | "PS4"
                | "PROMPT"
                | "RPROMPT"
                | "BASH_ALIASES"
                | "BASH_CMDS"
                | "BASH_FUNC"
        ) && !value.is_empty();
    if preloads || name.starts_with("BASH_FUNC_") && !value.is_empty() {
        // `PYTHONBREAKPOINT=0` and a plain `PS4` are harmless.
        let prompt = name.starts_with("PS") || name.ends_with("PROMPT");
        let plain =
            name == "PYTHONBREAKPOINT" && text::is_known(value) && !value.contains(['$', '`', '.'])
                || prompt
                    && text::is_known(value)
                    && !value.contains("$(")
                    && !value.contains(['`', '@'])
                || matches!(name, "RUBYOPT" | "PERL5OPT")
                    && value
                        .chars()
                        .all(|c| c.is_alphanumeric() || "-W:".contains(c))
                    && !value.contains(['r', 'I'])
                || name == "ENV"
                    && value
                        .chars()
                        .all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        if !plain {
            return Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{} would load code into other programs; run the command without it",
                    shown()
                ),
            ));
        }
        return Ok(());
    }
    super::variables::judge(w, name, value, st)?;
    // Where a tool writes: only absolute values mean a file to git, the others are folders of builds.
    let traces = name.starts_with("GIT_TRACE") && value.starts_with('/');
    let builds = matches!(
        name,
        "CARGO_TARGET_DIR" | "CARGO_BUILD_TARGET_DIR" | "DESTDIR" | "npm_config_prefix" | "GOBIN"
    );
    if (traces || builds && w.role.writes()) && !value.is_empty() && value != "/dev/null" {
        w.write_path(value, st)?;
    }
    if SEARCHED.contains(&name) {
        searched(w, name, value, st)?;
    }
    match name {
        "MAKEFLAGS" | "GNUMAKEFLAGS" | "MFLAGS" if !value.is_empty() => {
            super::runners::make::judge_flags(value)?;
        }
        "CFLAGS"
        | "CXXFLAGS"
        | "CPPFLAGS"
        | "LDFLAGS"
        | "CGO_CFLAGS"
        | "CGO_CXXFLAGS"
        | "CGO_LDFLAGS"
        | "CGO_CPPFLAGS"
        | "RUSTFLAGS"
        | "RUSTDOCFLAGS"
        | "CARGO_ENCODED_RUSTFLAGS"
        | "CARGO_BUILD_RUSTFLAGS" => {
            super::compiling::compilers::judge_flags(value)?;
        }
        "GOFLAGS"
            if ["exec", "vettool", "overlay"]
                .iter()
                .any(|flag| value.contains(flag)) =>
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "GOFLAGS would run another program; use plain build options",
            ));
        }
        // Build tools run these; a compiler's plain name is what they are for.
        "CC" | "CXX" | "CPP" | "LD" | "AR" | "AS" | "NM" | "RANLIB" | "HOSTCC" | "FC" | "MAKE"
        | "STRIP"
            if !value.is_empty() && !super::compiling::compilers::is_tool_name(value) =>
        {
            w.script(value, &mut st.for_program())?;
        }
        _ => {}
    }
    if name == "NODE_OPTIONS"
        && (value.contains("require")
            || value.contains("import")
            || value.contains("loader")
            || value.contains("-r")
            || text::is_any(value))
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "NODE_OPTIONS would load code into other programs; run the command without it",
        ));
    }
    if name.eq_ignore_ascii_case("npm_config_script_shell")
        && !matches!(
            value,
            "sh" | "bash" | "/bin/sh" | "/bin/bash" | "/usr/bin/bash" | ""
        )
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} would run every script through another program; leave it out",
                shown()
            ),
        ));
    }
    if (name.ends_with("_OPTS") || name.ends_with("_OPTIONS"))
        && let Some(agent) = foreign_agent(value, w, st)
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} would load {agent} into other programs; use one of your worktree",
                shown()
            ),
        ));
    }
    if matches!(name, "GIT_SSH_COMMAND" | "GIT_SSH") && is_plain_ssh(value) {
        return Ok(());
    }
    // How go logs in, when that is no command.
    let logs_in = name == "GOAUTH" && !value.is_empty() && !matches!(value, "off" | "netrc");
    let runner = name.starts_with("CARGO_TARGET_")
        && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"));
    if (COMMANDS.contains(&name) || runner || logs_in)
        && !value.is_empty()
        && (name == "PROMPT_COMMAND"
            || !matches!(
                value,
                "cat"
                    | "true"
                    | ":"
                    | "less"
                    | "vi"
                    | "vim"
                    | "nano"
                    | "more"
                    | "sccache"
                    | "ccache"
                    | "pkg-config"
            ))
    {
        if super::git::todo_lists::edits(name) {
            super::git::todo_lists::judge(w, value, st)?;
        }
        let role = w.role;
        let result = w.script(&with_file(name, value), &mut st.for_program());
        w.role = role;
        result?;
    }
    Ok(())
}

/// The command as it is run: a program that shows differences gets the file first.
fn with_file(name: &str, value: &str) -> String {
    if name.ends_with("EXTERNAL_DIFF") && !text::is_any(value) {
        format!("{value} ./{}", text::PATH)
    } else {
        value.to_owned()
    }
}

/// The agent of a Java machine that is not of the project.
fn foreign_agent(value: &str, w: &Walker<'_>, st: &State) -> Option<String> {
    value.split_whitespace().find_map(|word| {
        let path = ["-javaagent:", "-agentpath:"]
            .iter()
            .find_map(|option| word.strip_prefix(option))?;
        let path = path.split('=').next().unwrap_or(path);
        (w.is_foreign(path, st) || !text::is_known(path)).then(|| text::brief(path))
    })
}

/// Whether git's `ssh` is the usual one with settings that start nothing.
pub(super) fn is_plain_ssh(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let mut settings = false;
    matches!(words.next(), Some("ssh" | "/usr/bin/ssh"))
        && words.all(|word| {
            let setting = std::mem::take(&mut settings);
            let word = word.strip_prefix("-o").unwrap_or(word);
            settings = word.is_empty();
            matches!(word, "" | "-v" | "-q" | "-4" | "-6" | "-T" | "-C")
                || (setting || !word.starts_with('-'))
                    && word.split_once('=').is_some_and(|(name, _)| {
                        matches!(
                            name.to_lowercase().as_str(),
                            "batchmode"
                                | "connecttimeout"
                                | "connectionattempts"
                                | "stricthostkeychecking"
                                | "identitiesonly"
                                | "loglevel"
                                | "serveraliveinterval"
                                | "serveralivecountmax"
                                | "compression"
                        )
                    })
        })
}

fn is_guard_variable(name: &str) -> bool {
    let Some(rest) = name
        .strip_prefix("OVERSTORY_")
        .or_else(|| name.strip_prefix("GROVE_"))
    else {
        return false;
    };
    [
        "AGENT",
        "WORKTREE",
        "GUARD",
        "HOOK",
        "POLICY",
        "TASK_ID",
        "PROJECT_ROOT",
        "CAPABILITY",
        "SOCKET",
    ]
    .iter()
    .any(|word| rest.contains(word))
}
