//! `watchdog.pid`: which process watches this project, in the form both programs understand.
//!
//! Both programs make the file by linking a finished one to its name, so it is exclusive and never
//! half written: one whose process is gone is nobody's, and so is one that names no process at all.

use crate::platform::liveness::{self, Liveness};
use crate::platform::{FsError, ProjectPaths, fs};
use crate::process::tree::{self, Signal};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another watchdog may take to end.
const END: Duration = Duration::from_secs(5);

/// Result of trying to become the watchdog.
#[derive(Debug)]
pub enum Claim {
    Mine(PidFile),
    /// Another process watches; `None` when it is not known which.
    HeldBy(Option<i64>),
}

/// A held file; dropping it gives it back.
#[derive(Debug)]
pub struct PidFile {
    path: PathBuf,
    text: String,
    took_over: bool,
}

impl PidFile {
    /// A sentence about a file in its place that named no process, if there was one.
    pub fn taken_over(&self) -> Option<String> {
        self.took_over.then(|| {
            let file = self.path.display();
            format!("{file} named no process and has been replaced")
        })
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_if(&self.path, &self.text) {
            tracing::warn!("{} stays behind: {e}", self.path.display());
        }
    }
}

/// Where the file is.
pub fn path(paths: &ProjectPaths) -> PathBuf {
    paths.file("watchdog.pid")
}

/// The living process that watches this project.
pub fn holder(paths: &ProjectPaths) -> Result<Option<i64>, FsError> {
    Ok(match read(&path(paths))? {
        Some((_, Some(pid))) if !is_gone(pid) => Some(pid),
        Some(_) | None => None,
    })
}

/// A sentence about a file that names no process at all, which whoever watches next replaces.
pub fn unreadable(paths: &ProjectPaths) -> Result<Option<String>, FsError> {
    let path = path(paths);
    let is_odd = matches!(read(&path)?, Some((_, None)));
    Ok(is_odd.then(|| format!("{} names no process: it is replaced", path.display())))
}

/// The process that the content of the file names; `None` where no process can have such an id.
pub fn pid_in(content: &[u8]) -> Option<i64> {
    let pid: i32 = std::str::from_utf8(content).ok()?.trim().parse().ok()?;
    (pid > 0).then_some(i64::from(pid))
}

/// Whether the recorded process is no more: it has ended, or its pid belongs to a program that is
/// neither of those that watch.
fn is_gone(pid: i64) -> bool {
    let arguments = i32::try_from(pid).map(tree::arguments).unwrap_or_default();
    liveness::runs(pid) == Some(false) || (!arguments.is_empty() && !may_watch(&arguments))
}

/// Whether a command line is one of grove's or ov's.
fn may_watch(arguments: &[String]) -> bool {
    arguments.iter().any(|a| {
        let name = Path::new(a).file_name().and_then(|n| n.to_str());
        name.is_some_and(|n| n == "ov" || n.starts_with("grove")) || a.contains("overstory")
    })
}

/// The file's content and the pid in it.
type Named = (Vec<u8>, Option<i64>);

fn read(path: &Path) -> Result<Option<Named>, FsError> {
    Ok(fs::read_bytes_optional(path)?.map(|content| {
        let pid = pid_in(&content);
        (content, pid)
    }))
}

/// Becomes the watchdog if nobody alive is.
pub fn claim(paths: &ProjectPaths) -> Result<Claim, FsError> {
    let path = path(paths);
    let own = i64::from(std::process::id());
    let text = format!("{own}\n");
    let mut took_over = false;
    let mine = |path, text, took_over| {
        Claim::Mine(PidFile {
            path,
            text,
            took_over,
        })
    };
    // Each round either wins, finds a living holder, or removes what a dead one has left.
    for _ in 0..16 {
        if fs::link_new(&path, &text)? {
            return Ok(mine(path, text, took_over));
        }
        match read(&path)? {
            None => {}
            Some((_, Some(pid))) if pid == own => return Ok(mine(path, text, took_over)),
            Some((stale, Some(pid))) if is_gone(pid) => {
                fs::remove_if(&path, &stale)?;
            }
            Some((_, Some(pid))) => return Ok(Claim::HeldBy(Some(pid))),
            Some((unreadable, None)) => {
                took_over |= fs::remove_if(&path, &unreadable)?;
            }
        }
    }
    Ok(Claim::HeldBy(None))
}

/// Ends the watchdog process that the file names, if it is one: a process that was started as
/// `… watch`. The coordinator's loop is not, it is stopped by its own command. Returns its pid.
pub fn end(paths: &ProjectPaths) -> Result<Option<i64>, FsError> {
    let path = path(paths);
    let Some((text, Some(pid))) = read(&path)? else {
        return Ok(None);
    };
    let Some(process) = i32::try_from(pid).ok().map(liveness::identify) else {
        return Ok(None);
    };
    if pid == i64::from(std::process::id()) || liveness::check(process) == Liveness::Dead {
        return Ok(None);
    }
    if !is_watchdog(&tree::arguments(process.pid)) {
        return Ok(None);
    }
    tree::signal(process, Signal::Terminate);
    if !tree::wait_gone(&[process], END).is_empty() {
        tracing::warn!("the watchdog (pid {pid}) does not end");
        return Ok(None);
    }
    fs::remove_if(&path, &text)?;
    Ok(Some(pid))
}

/// Whether a command line is that of a watchdog: `grove watch`, `ov watch`, or ov's script run by
/// its interpreter.
fn is_watchdog(arguments: &[String]) -> bool {
    let Some(at) = arguments.iter().position(|a| a == "watch") else {
        return false;
    };
    arguments.iter().take(at).any(|a| {
        let name = Path::new(a).file_name().and_then(|n| n.to_str());
        matches!(name, Some("ov" | "overstory" | "grove")) || a.contains("overstory")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, ProjectPaths) {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        (dir, paths)
    }

    #[test]
    fn the_file_names_its_holder_and_goes_with_it() {
        let (_dir, paths) = project();
        let Claim::Mine(mine) = claim(&paths).unwrap() else {
            panic!("a free file was not taken");
        };
        let own = i64::from(std::process::id());
        assert_eq!(fs::read(&path(&paths)).unwrap(), format!("{own}\n"));
        assert_eq!(holder(&paths).unwrap(), Some(own));
        drop(mine);
        assert!(!path(&paths).exists());
    }

    #[test]
    fn a_dead_holder_is_replaced() {
        let (_dir, paths) = project();
        std::fs::write(path(&paths), "999999999\n").unwrap();
        assert_eq!(holder(&paths).unwrap(), None);
        assert!(matches!(claim(&paths).unwrap(), Claim::Mine(_)));
        // A pid that meanwhile belongs to some other program.
        let other = |name: &str| {
            let program = paths.root.join(name);
            std::os::unix::fs::symlink("/bin/sleep", &program).unwrap();
            let child = std::process::Command::new(program).arg("60").spawn();
            child.unwrap()
        };
        for (name, holds) in [("editor", false), ("grove", true)] {
            let mut child = other(name);
            let pid = child.id();
            // The parent goes on a moment before the system shows the new program's words.
            while tree::arguments(pid as i32).is_empty() {
                std::thread::yield_now();
            }
            std::fs::write(path(&paths), format!("{pid}\n")).unwrap();
            assert_eq!(holder(&paths).unwrap().is_some(), holds, "{name}");
            let claimed = claim(&paths).unwrap();
            assert_eq!(
                matches!(claimed, Claim::Mine(_)),
                !holds,
                "{name}: {claimed:?}"
            );
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn a_file_that_names_no_possible_process_is_nobodys() {
        let (_dir, paths) = project();
        let contents: [&[u8]; 8] = [
            b"abc",
            b"12x",
            b"0",
            b"-7",
            b"",
            b"\0",
            b"99999999999999",
            b"\xff\xfe",
        ];
        for content in contents {
            std::fs::write(path(&paths), content).unwrap();
            assert_eq!(holder(&paths).unwrap(), None, "{content:?}");
            assert!(unreadable(&paths).unwrap().is_some(), "{content:?}");
            assert_eq!(end(&paths).unwrap(), None, "{content:?}");
            let Claim::Mine(mine) = claim(&paths).unwrap() else {
                panic!("{content:?} keeps everybody out");
            };
            assert!(mine.taken_over().is_some(), "{content:?}");
            assert!(holder(&paths).unwrap().is_some(), "{content:?}");
        }
        let Claim::Mine(mine) = claim(&paths).unwrap() else {
            panic!("a free file was not taken");
        };
        assert_eq!(mine.taken_over(), None);
    }

    #[test]
    fn a_file_taken_over_by_somebody_else_is_left_alone() {
        let (_dir, paths) = project();
        let Claim::Mine(mine) = claim(&paths).unwrap() else {
            panic!("a free file was not taken");
        };
        std::fs::write(path(&paths), "1\n").unwrap();
        drop(mine);
        assert_eq!(fs::read(&path(&paths)).unwrap(), "1\n");
    }

    #[test]
    fn only_watchdogs_are_taken_for_one() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for yes in [
            "/usr/bin/grove --project /p watch",
            "ov watch --interval 1000",
            "bun run /x/node_modules/@os-eco/overstory-cli/src/index.ts watch",
        ] {
            assert!(is_watchdog(&words(yes)), "{yes}");
        }
        for no in [
            "grove coordinator run",
            "watch ls",
            "vim overstory",
            "grove",
            "sleep 60",
        ] {
            assert!(!is_watchdog(&words(no)), "{no}");
        }
    }
}
