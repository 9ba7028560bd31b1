//! Starting the real git: in place of this process, or beside it for a call that needs a view.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};

use super::aliases;
use super::branches;
use super::place::{self, Place};
use super::publish;
use super::remotes;
use super::turn::{self, Turn};
use super::words::{self, Need};
use crate::platform::env;
use crate::platform::signals::Ending;
use crate::process;

/// As git ends when it cannot go on.
const REFUSED: u8 = 128;
/// What a shell says of a program that is not there.
const NOT_FOUND: u8 = 127;

/// Does the whole work when this program was called by the name of git; `None` when it was not.
pub fn instead_of_git(arguments: &[OsString]) -> Option<ExitCode> {
    let (own_name, words) = arguments.split_first()?;
    if Path::new(own_name).file_name()? != "git" {
        return None;
    }
    let Some(git) = real_git() else {
        return Some(failed(NOT_FOUND, "git was not found on PATH"));
    };
    let of_an_agent = env::var(env::HOST_SOCKET).is_some();
    let said = |options: &[OsString], name: &str| aliases::asked(&git, options, name);
    if let Some(refusal) = of_an_agent
        .then(|| publish::refusal(words, &said))
        .flatten()
    {
        return Some(failed(REFUSED, &refusal));
    }
    let turn = place_of(&git, words).and_then(|(place, need, wish)| {
        if let Some(wish) = wish {
            remotes::refresh(wish);
        }
        if need == Need::Nothing {
            turn::finish_killed(&place);
            return None;
        }
        // Git itself, without a view, says best what cannot be written.
        let turn = Turn::begin(&place, need).ok().flatten()?;
        Some((place, turn))
    });
    Some(match turn {
        Some((place, turn)) => beside(&git, words, &place, turn),
        None => {
            let error = process::replace(git.as_os_str(), words.iter().cloned());
            failed(
                NOT_FOUND,
                &format!("cannot start {}: {error}", git.display()),
            )
        }
    })
}

/// The first git on PATH that is not this program.
fn real_git() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok();
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter_map(|folder| process::find_program(folder.join("git").to_str()?, None))
        .find(|git| git.canonicalize().ok() != own)
}

/// Where the call works, when that is the agent's worktree, for what it needs a view, and what its host is to do first.
fn place_of(git: &Path, words: &[OsString]) -> Option<(Place, Need, Option<Vec<String>>)> {
    let call = words::read(words)?;
    let worktree = env::var(env::WORKTREE_PATH)?;
    if place::CHOSEN
        .iter()
        .any(|name| std::env::var_os(name).is_some())
    {
        return None;
    }
    let folder = std::env::current_dir().ok()?.join(&call.folder);
    let place = place::find(&folder, Path::new(&worktree))?;
    let said = |name: &str| aliases::asked(git, call.options, name);
    let (command, arguments, need) = aliases::followed(&call, said);
    if env::var(env::GIT_FRONT).is_some() {
        // What can be written needs no way round.
        let need = match need {
            Need::State | Need::Branches => Need::Nothing,
            need @ (Need::Nothing | Need::Stash) => need,
        };
        return Some((place, need, None));
    }
    let wish = remotes::wish(&command, &arguments);
    Some((place, need, wish))
}

fn beside(git: &Path, words: &[OsString], place: &Place, turn: Turn) -> ExitCode {
    let mut command = Command::new(git);
    command.args(words).env("GIT_DIR", turn.git_dir());
    if !place.is_at_top {
        command.env("GIT_WORK_TREE", &place.top);
    }
    let ended = wait(command, &turn);
    let left = match turn.end() {
        Ok(gone) => branches::remove(place, &gone),
        // The next call of git does it if this one could not.
        Err(error) => {
            complain(&format!(
                "what git has done is not all put back yet: {error}"
            ));
            Vec::new()
        }
    };
    for text in &left {
        complain(text);
    }
    match ended {
        Ok(status) if status.success() && !left.is_empty() => ExitCode::FAILURE,
        Ok(status) => code(status),
        Err(error) => failed(
            NOT_FOUND,
            &format!("cannot start {}: {error}", git.display()),
        ),
    }
}

/// Waits for git, and hands on to it the signals that ask this process to end.
fn wait(command: Command, turn: &Turn) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut ending = Ending::listen();
        let mut child = tokio::process::Command::from(command).spawn()?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid {
            // Only for the case that this process is killed.
            turn.started(pid).unwrap_or_default();
        }
        loop {
            tokio::select! {
                status = child.wait() => return status,
                signal = ending.signal() => hand_on(pid, signal),
            }
        }
    })
}

fn hand_on(pid: Option<i32>, signal: i32) {
    let process = pid.and_then(Pid::from_raw);
    if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(signal)) {
        // One that has ended meanwhile is waited for next.
        kill_process(process, signal).unwrap_or_default();
    }
}

/// As git ended; of a signal, what a shell says of it.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    ExitCode::from(
        code.and_then(|code| u8::try_from(code).ok())
            .unwrap_or(u8::MAX),
    )
}

fn failed(code: u8, why: &str) -> ExitCode {
    complain(why);
    ExitCode::from(code)
}

fn complain(text: &str) {
    // A closed stderr must not change how the call ends.
    io::stderr()
        .lock()
        .write_all(format!("grove: {text}\n").as_bytes())
        .unwrap_or_default();
}
