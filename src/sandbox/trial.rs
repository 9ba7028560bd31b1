//! Proving a sandbox by trying: a child process inside of it attempts what must fail.

use super::{Rules, Support, support, within};
use crate::config::Network;
use crate::platform::{fs, random};
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
    /// Files and folders of the project that must stay as they are. Nothing of them is changed by the attempt.
    #[serde(default)]
    pub closed: Vec<PathBuf>,
    /// Files that must not be readable: keys and logins of the user, and what coordinates agents.
    pub hidden: Vec<PathBuf>,
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
    for place in &trial.closed {
        must_fail(format!("writing {}", place.display()), can_write(place));
    }
    for file in &trial.hidden {
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

/// Whether a file can be opened for writing, or one can be made in a folder; it is removed at once.
fn can_write(place: &Path) -> bool {
    let mut options = std::fs::File::options();
    options.write(true);
    if !place.is_dir() {
        return options.open(place).is_ok();
    }
    // Git takes no file for a ref that ends like this.
    let name = format!(".grove-canary-{}.lock", random::alphanumeric(12));
    let new = place.join(name);
    let is_made = options.create_new(true).open(&new).is_ok();
    if is_made && let Err(e) = std::fs::remove_file(&new) {
        tracing::error!("{} was left behind: {e}", new.display());
    }
    is_made
}

/// Where a trial takes place.
#[derive(Debug)]
pub struct Ground<'a> {
    /// The rules that are tried.
    pub rules: Rules,
    /// A folder that these open.
    pub inside: &'a Path,
    /// A folder of the trial's own that they do not.
    pub outside: &'a Path,
    /// What else must stay as it is.
    pub closed: Vec<PathBuf>,
}

/// Tries rules in a child process; `run` starts this program with the words it is given and tells what it printed.
pub fn try_out(
    ground: Ground<'_>,
    run: impl FnOnce(&str) -> Result<(), String>,
) -> Result<Finding, fs::FsError> {
    let support = support();
    if let Support::None(why) = support {
        return Ok(Finding::Absent(why));
    }
    let Ground { mut rules, .. } = ground;
    let secret = ground.outside.join("secret");
    fs::write_atomic(&secret, "canary\n")?;
    fs::write_atomic(&ground.outside.join("there"), "canary\n")?;
    // There is always something that is hidden, also where the user has no login.
    rules.hidden.push(secret);
    let mut tried: Vec<String> = ["writes", "reads"].map(str::to_owned).into();
    let mut trial = Trial {
        inside: ground.inside.to_owned(),
        outside: ground.outside.to_owned(),
        closed: ground.closed,
        hidden: samples(&rules),
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
    tried.push(format!("{} places of the project", trial.closed.len()));
    tried.push(format!("{} hidden files", trial.hidden.len()));
    Ok(match run(&serde_json::json!(trial).to_string()) {
        Ok(()) => Finding::Holds(tried),
        Err(why) => Finding::Leaks(why),
    })
}

/// How deep a hidden folder is looked into for a file that can be read.
const DEEPEST: usize = 3;

/// A file of each place that is hidden, where this process can read one. What the rules open in there is none.
fn samples(rules: &Rules) -> Vec<PathBuf> {
    let is_open = |path: &Path| {
        let written = rules.write.iter().chain(&rules.opened);
        let mut open = rules.read.iter().chain(written);
        open.any(|open| path.starts_with(open))
    };
    let hidden = rules.hidden.iter();
    // What a store itself is a link to is hidden; what links in it lead to may be known to stay readable.
    hidden
        .filter_map(|place| sample(&place.canonicalize().ok()?, DEEPEST, &is_open))
        .collect()
}

fn sample(place: &Path, depth: usize, is_open: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let kind = place.symlink_metadata().ok()?.file_type();
    if kind.is_file() {
        let is_readable = !is_open(place) && std::fs::File::open(place).is_ok();
        return is_readable.then(|| place.to_owned());
    }
    let below = depth.checked_sub(1).filter(|_| kind.is_dir())?;
    let entries = std::fs::read_dir(place).ok()?;
    entries
        .flatten()
        .find_map(|entry| sample(&entry.path(), below, is_open))
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
        let name = format!("grove-canary-{}", random::alphanumeric(12));
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
