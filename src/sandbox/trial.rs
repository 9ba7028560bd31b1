//! Proving a sandbox by trying: a child process inside of it attempts what must fail.

use super::{Rules, Support, support, within};
use crate::config::Network;
use crate::platform::fs;
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

/// What the child attempts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trial {
    pub rules: Rules,
    /// A folder that must be writable.
    pub inside: PathBuf,
    /// A folder that must not be writable, with a file `there` in it.
    pub outside: PathBuf,
    /// A file that must not be readable.
    pub secret: PathBuf,
    /// Files with logins and keys of the user, which must not be readable either.
    pub logins: Vec<PathBuf>,
    /// A process that must not be signalled or looked into; none where the system cannot refuse that.
    pub process: Option<i32>,
    /// Whether modes, owners and times must stay; where the system can refuse that.
    #[serde(default)]
    pub attributes: bool,
    /// An abstract socket that must not be reached; none where the system cannot refuse that.
    pub abstract_socket: Option<String>,
    /// A port that must not be reached; none when the network is left open or cannot be closed.
    pub port: Option<u16>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Everything was as it must be; the words name what was tried.
    Holds(Vec<String>),
    /// It was not; the sentence says what happened.
    Leaks(String),
    /// There is nothing to try here.
    Absent(String),
}

/// Runs the attempts inside the sandbox.
pub fn attempt(trial: &Trial) -> Result<(), String> {
    within(&trial.rules, |_| try_all(trial)).map_err(|e| e.to_string())?
}

fn try_all(trial: &Trial) -> Result<(), String> {
    let canary = trial.inside.join("canary");
    write(&canary).map_err(|e| format!("a write to {} failed: {e}", canary.display()))?;
    change_attributes(&canary)
        .map_err(|e| format!("changing the time of {} failed: {e}", canary.display()))?;
    let there = trial.outside.join("there");
    let mut went_through = Vec::new();
    let mut must_fail = |what: String, went: bool| {
        if went {
            went_through.push(what);
        }
    };
    let new = trial.outside.join("new");
    must_fail(format!("writing {}", new.display()), write(&new).is_ok());
    must_fail(
        format!("changing {}", there.display()),
        write(&there).is_ok(),
    );
    if trial.attributes {
        must_fail(
            format!("changing the time of {}", there.display()),
            change_attributes(&there).is_ok(),
        );
    }
    must_fail(
        format!("truncating {}", there.display()),
        std::fs::File::options()
            .write(true)
            .open(&there)
            .and_then(|file| file.set_len(0))
            .is_ok(),
    );
    let stolen = trial.inside.join("stolen");
    must_fail(
        format!("moving {}", there.display()),
        std::fs::rename(&there, &stolen).is_ok(),
    );
    must_fail(
        format!("linking {}", there.display()),
        std::fs::hard_link(&there, &stolen).is_ok(),
    );
    must_fail(
        format!("removing {}", there.display()),
        std::fs::remove_file(&there).is_ok(),
    );
    for file in trial.logins.iter().chain([&trial.secret]) {
        must_fail(
            format!("reading {}", file.display()),
            std::fs::File::open(file).is_ok(),
        );
    }
    if let Some(pid) = trial.process {
        must_fail(format!("signalling process {pid}"), can_signal(pid));
        let environment = PathBuf::from(format!("/proc/{pid}/environ"));
        must_fail(
            format!("looking into process {pid}"),
            std::fs::read(environment).is_ok(),
        );
    }
    if let Some(name) = &trial.abstract_socket {
        must_fail(format!("reaching socket @{name}"), can_reach(name));
    }
    if let Some(port) = trial.port {
        must_fail(
            format!("connecting to port {port}"),
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
        );
    }
    if went_through.is_empty() {
        Ok(())
    } else {
        Err(format!("not refused: {}", went_through.join(", ")))
    }
}

/// Tries the rules that `make` gives for two folders, the open and the shut one, in a child process; `run`
/// starts this program with the words it is given and tells what it printed.
pub fn try_out(
    folder: &Path,
    make: impl FnOnce(&Path, &Path) -> Rules,
    run: impl FnOnce(&str) -> Result<(), String>,
) -> Result<Finding, fs::FsError> {
    let support = support();
    if let Support::None(why) = support {
        return Ok(Finding::Absent(why));
    }
    let (open, shut) = (folder.join("open"), folder.join("shut"));
    fs::create_private_dir(&open)?;
    fs::create_private_dir(&shut)?;
    let secret = shut.join("secret");
    fs::write_atomic(&secret, "canary\n")?;
    fs::write_atomic(&shut.join("there"), "canary\n")?;
    let rules = make(&open, &shut);
    let mut tried: Vec<String> = ["writes", "reads"].map(str::to_owned).into();
    let mut logins = logins(&rules.hidden);
    logins.retain(|file| !file.starts_with(&shut));
    let mut trial = Trial {
        inside: open,
        outside: shut,
        secret,
        logins,
        process: None,
        attributes: false,
        abstract_socket: None,
        port: None,
        rules,
    };
    let mut listeners = Listeners::default();
    if support == Support::Full {
        trial.process = Some(std::process::id() as i32);
        trial.attributes = true;
        tried.extend(["attributes", "signals"].map(str::to_owned));
        trial.abstract_socket = listeners.abstract_socket();
        tried.extend(
            trial
                .abstract_socket
                .iter()
                .map(|_| "abstract sockets".to_owned()),
        );
    }
    if matches!(trial.rules.network, Network::Ports(_))
        && super::network_note(&trial.rules.network).is_none()
    {
        trial.port = listeners.port();
        tried.extend(trial.port.iter().map(|_| "connections".to_owned()));
    }
    tried.extend(match trial.logins.len() {
        0 => None,
        count => Some(format!("{count} files with logins")),
    });
    Ok(match run(&serde_json::json!(trial).to_string()) {
        Ok(()) => Finding::Holds(tried),
        Err(why) => Finding::Leaks(why),
    })
}

/// A file of each place that is hidden, where this process can read one.
fn logins(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let readable = |file: &PathBuf| file.is_file() && std::fs::File::open(file).is_ok();
    let sample = |place: &PathBuf| {
        if !place.is_dir() {
            return Some(place.clone()).filter(readable);
        }
        let entries = std::fs::read_dir(place).ok()?;
        entries.flatten().map(|entry| entry.path()).find(readable)
    };
    hidden.iter().filter_map(sample).collect()
}

/// What the child must not reach; open for as long as this lives.
#[derive(Debug, Default)]
struct Listeners {
    tcp: Option<TcpListener>,
    #[cfg(target_os = "linux")]
    socket: Option<std::os::unix::net::UnixListener>,
}

impl Listeners {
    fn port(&mut self) -> Option<u16> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
        let port = listener.local_addr().ok()?.port();
        self.tcp = Some(listener);
        Some(port)
    }

    #[cfg(target_os = "linux")]
    fn abstract_socket(&mut self) -> Option<String> {
        use std::os::unix::net::UnixListener;
        let name = format!("grove-canary-{}", crate::platform::random::alphanumeric(12));
        self.socket = Some(UnixListener::bind_addr(&abstract_address(&name)?).ok()?);
        Some(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn abstract_socket(&mut self) -> Option<String> {
        None
    }
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &str) -> Option<std::os::unix::net::SocketAddr> {
    use std::os::linux::net::SocketAddrExt;
    std::os::unix::net::SocketAddr::from_abstract_name(name).ok()
}

#[cfg(target_os = "linux")]
fn can_reach(name: &str) -> bool {
    abstract_address(name)
        .is_some_and(|address| std::os::unix::net::UnixStream::connect_addr(&address).is_ok())
}

#[cfg(not(target_os = "linux"))]
fn can_reach(_name: &str) -> bool {
    false
}

#[cfg(unix)]
fn can_signal(pid: i32) -> bool {
    rustix::process::Pid::from_raw(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(not(unix))]
fn can_signal(_pid: i32) -> bool {
    false
}

fn write(path: &Path) -> std::io::Result<()> {
    std::fs::write(path, "canary\n")
}

fn change_attributes(path: &Path) -> std::io::Result<()> {
    let file = std::fs::File::open(path)?;
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
}
