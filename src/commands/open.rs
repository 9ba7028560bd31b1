//! The full screen: `grove` without a command.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::leave::Leaving;
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::config;
use crate::engine::{self, EngineOptions};
use crate::git::{GitError, Repo};
use crate::merge::CallOff;
use crate::platform::{ProjectPaths, clock, env, fs, hangup};
use crate::tui::{self, ExitReason, LeaderEnv, Pace, Settings, TuiOptions};

/// Opens the full screen of the project around the current folder.
pub fn run(ctx: &Context) -> CliResult {
    let root = place(ctx)?;
    let mut reason = show(&root)?;
    while reason == ExitReason::Demo {
        super::demo::run(ctx, super::demo::Args::default())?;
        reason = show(&root)?;
    }
    if let ExitReason::Quit { handover: true } = reason {
        let paths = ProjectPaths::new(&root);
        match super::coordinator::start_in_background(&paths, false) {
            Ok(pid) => ctx.out.note(format!(
                "the coordinator goes on in the background (pid {pid})"
            )),
            Err(e) => ctx.out.note(e.text(true).trim_end()),
        }
    }
    Ok(Outcome::Done)
}

/// The project, or the repository that could become one.
fn place(ctx: &Context) -> CliResult<PathBuf> {
    let root = ctx.paths()?.root;
    if config::config_path(&root).is_file() {
        // A configuration that cannot be read is said before the screen opens.
        config::load(&root)?;
        return Ok(root);
    }
    let repo = match Repo::discover(&ctx.cwd) {
        Ok(repo) => Some(repo),
        Err(error @ GitError::Unsupported { .. }) => return Err(error.into()),
        Err(_) => None,
    };
    if repo.as_ref().is_some_and(Repo::is_bare) {
        return Err(
            CliError::validation("this is a bare repository: agents need a checkout")
                .hint("clone it, and run grove in the clone"),
        );
    }
    Ok(repo.and_then(|r| r.main_root()).unwrap_or(root))
}

/// Runs the screen on this terminal until the user leaves.
pub(crate) fn show(root: &Path) -> CliResult<ExitReason> {
    show_as(root, options_here())
}

/// The same for the demo, which ends with its screen.
pub(crate) fn show_demo(root: &Path) -> CliResult<ExitReason> {
    let mut options = options_here();
    options.settings.ends_with_screen = true;
    show_as(root, options)
}

fn show_as(root: &Path, tui_options: TuiOptions) -> CliResult<ExitReason> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(CliError::new("the full screen needs a terminal")
            .hint("`grove status` shows the project, `grove --help` all commands"));
    }
    let call_off = CallOff::default();
    let options = EngineOptions {
        root: root.to_owned(),
        look_only: false,
        call_off: call_off.clone(),
    };
    let (handle, engine) = engine::start(options).map_err(CliError::from)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::from)?;
    let result = runtime.block_on(tui::run(handle, tui_options));
    let alone = match result {
        Ok(ExitReason::Signal | ExitReason::TerminalLost) => true,
        Ok(ExitReason::Quit { .. } | ExitReason::Demo | ExitReason::EngineGone) => false,
        // What the screen fails on may be that its terminal is gone.
        Err(_) => hangup::is_input_gone(),
    };
    let leaving = Leaving {
        engine,
        call_off,
        paths: ProjectPaths::new(root.to_owned()),
        alone,
    };
    leaving.wait(&runtime)?;
    let reason = result.map_err(|e| CliError::new(e.to_string()))?;
    match reason {
        ExitReason::Quit { .. }
        | ExitReason::Demo
        | ExitReason::Signal
        | ExitReason::TerminalLost => Ok(reason),
        ExitReason::EngineGone => Err(CliError::new("the engine stopped; agents keep running")
            .hint("start grove again: it shows them as they are")),
    }
}

fn options_here() -> TuiOptions {
    let mut options = TuiOptions::new(Arc::new(|| clock::now().0));
    let term = env::var("TERM");
    options.depth = tui::Depth::detect(
        env::var("NO_COLOR").as_deref(),
        env::var("COLORTERM").as_deref(),
        term.as_deref(),
    );
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(env::var)
        .unwrap_or_default();
    let locale = locale.to_lowercase();
    // A plain POSIX locale on a terminal that is known to draw UTF-8 is mostly an unset one.
    options.ascii = !(locale.contains("utf-8") || locale.contains("utf8") || locale.is_empty());
    options.theme = env::var("GROVE_THEME").unwrap_or_else(|| "grove-dark".to_owned());
    options.keymap_text = keys_file().and_then(|p| fs::read_optional(&p).ok().flatten());
    options.leader_env = LeaderEnv {
        zellij: env::var("ZELLIJ").is_some(),
        wsl: env::var("WSL_DISTRO_NAME").is_some(),
        editor_terminal: env::var("TERM_PROGRAM").is_some_and(|p| p == "vscode"),
        macos: cfg!(target_os = "macos"),
        cjk: ["zh", "ja", "ko"].iter().any(|l| locale.starts_with(l)),
    };
    if env::var("SSH_CONNECTION").is_some() {
        options.pace = Pace::REMOTE;
    }
    options.settings = Settings {
        utc_offset_s: utc_offset(),
        editor: ["VISUAL", "EDITOR"]
            .into_iter()
            .find_map(env::var)
            .filter(|editor| !editor.trim().is_empty()),
        ..Settings::default()
    };
    options.stats_file = env::var("GROVE_TUI_STATS").map(PathBuf::from);
    options
}

fn keys_file() -> Option<PathBuf> {
    let base = env::var("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home().map(|h| h.join(".config")))?;
    Some(base.join("grove/keys.toml"))
}

/// Seconds east of UTC, as `date` says; a static program cannot ask the C library.
fn utc_offset() -> i32 {
    let output = std::process::Command::new("date").arg("+%z").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    let parse = |text: &str| -> Option<i32> {
        let sign = if text.starts_with('-') { -1 } else { 1 };
        let hours: i32 = text.get(1..3)?.parse().ok()?;
        let minutes: i32 = text.get(3..5)?.parse().ok()?;
        Some(sign * (hours * 3600 + minutes * 60))
    };
    text.ok().as_deref().and_then(parse).unwrap_or(0)
}
