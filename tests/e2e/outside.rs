//! Reaching outside, from inside of every role: each attempt runs as a script of the project, which the guard cannot
//! see into, and is refused by the operating system or by the host that it asks.

use crate::sandbox::{has_landlock, recorded_with};
use crate::support::{TestProject, alive};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

/// Prints `went:NAME` for every attempt that succeeded.
const ATTEMPTS: &str = r#"#!/bin/sh
R=$OVERSTORY_PROJECT_ROOT
. TARGETS
host=$$
until tr '\0' ' ' < /proc/$host/cmdline | grep -q ' host .*--session'; do host=$(cut -d' ' -f4 /proc/$host/stat); done
G=$(git rev-parse --absolute-git-dir) HEAD=$(cat "$G/HEAD")
export G R host V_HOST V_CLI V_SOCKET V_TREE ABSTRACT PORT
try() { name=$1; shift; if timeout 20 sh -c "$*" >/dev/null 2>&1; then echo "went:$name"; fi; }
try write "echo x > $R/evil"
try append "echo x >> $R/README.md"
try truncate "truncate -s 0 $R/README.md"
try open-truncate ": > $R/README.md"
try in-place "dd if=/dev/zero of=$R/README.md bs=1 count=1 conv=notrunc"
try remove "rm -f $R/README.md"
try rename "mv $R/README.md $R/moved"
try rename-out "mv $R/README.md $TMPDIR/stolen"
try rename-in "echo x > $TMPDIR/new && mv -f $TMPDIR/new $R/README.md && grep -q x $R/README.md"
try hard-link "ln $R/README.md $TMPDIR/hard && echo x >> $TMPDIR/hard"
try hard-link-in "echo x > $TMPDIR/mine && ln $TMPDIR/mine $R/evil"
try symlink "ln -sf $R/README.md $TMPDIR/soft && echo x >> $TMPDIR/soft"
try symlink-folder "ln -sf $R $TMPDIR/way && echo x > $TMPDIR/way/evil"
try symlink-in "ln -s /etc/passwd $R/evil"
try mkdir "mkdir $R/evil.d"
try fifo "mkfifo $R/evil"
try bind-socket "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"$R/evil\")'"
try pipe-in-git "mkfifo $G/evil"
try pipe-for-head "rm $G/HEAD && mkfifo $G/HEAD"
try pipe-in-objects "mkfifo $R/.git/objects/info/evil"
try pipe-moved "mkdir $TMPDIR/p && mkfifo $TMPDIR/p/HEAD && mv $TMPDIR/p $G/evil"
try link-in-git "ln -s /tmp/pipe $G/evil"
try link-in-objects "ln -s /tmp/pipe $R/.git/objects/info/evil"
try pipe-in-worktree "mkfifo ./evil"
try pipe-moved-to-worktree "mkdir $TMPDIR/q && mkfifo $TMPDIR/q/AGENTS.md && mv $TMPDIR/q ./evil"
git rev-parse --verify -q HEAD > /dev/null || echo "$HEAD" > "$G/HEAD"
mkfifo "$TMPDIR/pipe" || echo "went:no-pipe-of-its-own"
try proc-root "echo x > /proc/self/root$R/evil"
try proc-cwd "echo x > /proc/$V_CLI/cwd/evil"
try other-worktree "echo x > $V_TREE/evil"
try other-settings "cat $R/.overstory/hosts/other/launch.json || cat $R/.overstory/hosts/other/*"
try update-ref "git -C $R update-ref refs/heads/main HEAD~1"
try symbolic-ref "git -C $R symbolic-ref HEAD refs/heads/evil"
try new-branch "git -C $R branch evil"
try tag "git -C $R tag evil"
try pack-refs "git -C $R pack-refs --all"
try config "git -C $R config user.evil 1"
try worktree "git -C $R worktree add $TMPDIR/evil-tree"
try hook "echo x > $R/.git/hooks/pre-commit"
try exclude "echo x >> $R/.git/info/exclude"
try other-index "echo x > $R/.git/worktrees/other/index"
try commit "git -C $R commit --allow-empty -m evil"
try store "echo x >> $R/.overstory/sessions.db"
try lock-starts "flock -s $R/.overstory/start.lock true"
try lock-merges "flock -s $R/.overstory/merge-main.lease true"
try lock-store "exec 5<$R/.overstory/sessions.db"
try settings "echo x >> $R/.overstory/config.yaml"
try secret "cat $HOME/.ssh/id_test"
try secret-by-root "cat /proc/self/root$HOME/.ssh/id_test"
try home "echo x > $HOME/evil"
try device "echo x > /dev/kmsg"
try mount "mount -t tmpfs none $R"
try namespaces "unshare -Urm sh -c 'mount -t tmpfs none $R'"
try signal-host "kill -0 $host"
try stop-host "kill -STOP $host"
try kill-other "kill -0 $V_HOST || kill -0 $V_CLI"
try look-into-host "head -c 1 /proc/$host/environ"
try host-memory "head -c 1 /proc/$host/mem"
try host-files "readlink /proc/$host/fd/0"
try chmod "chmod a+w $R/README.md"
try chmod-link "ln -sf $R/README.md $TMPDIR/soft-mode && chmod 600 $TMPDIR/soft-mode"
try chmod-by-number "exec 5<$R/README.md && chmod 600 /proc/self/fd/5"
try chown "chown $(id -u) $R/README.md"
try touch "touch -d 2001-01-01 $R/README.md"
try touch-now "touch $R/README.md"
try touch-other-worktree "touch $V_TREE"
try no-address "env -u GROVE_HOST_SOCKET grove stop other --force"
try pretend "env -u GROVE_HOST_SOCKET GROVE_ACTING_FOR=other grove mail send --to orchestrator --subject forged --body x"
try bare "env -i PATH=$PATH HOME=$HOME grove --project $R stop other --force"
try others-host "GROVE_HOST_SOCKET=$V_SOCKET grove mail send --to orchestrator --subject forged --body x"
try attach "env -u GROVE_HOST_SOCKET grove attach other </dev/null"
touch "$TMPDIR/own" && chmod 700 "$TMPDIR/own" && touch -d 2001-01-01 "$TMPDIR/own" || echo "went:not-even-own"
[ -n "$WRITES" ] || try own-worktree "echo x > ./own"
python3 - <<'PY'
import ctypes, fcntl, json, mmap, os, resource, signal, socket, struct
env = os.environ
R, host = env["R"], int(env["host"])
readme = R + "/README.md"
def attempt(name, f):
    try:
        f()
        print("went:" + name)
    except BaseException:
        pass
def mapped():
    fd = os.open(readme, os.O_RDWR)
    mmap.mmap(fd, 1, mmap.MAP_SHARED, mmap.PROT_WRITE)[0:1] = b"x"
def reopened():
    fd = os.open(readme, os.O_RDONLY)
    open("/proc/self/fd/%d" % fd, "r+").write("x")
libc = ctypes.CDLL(None, use_errno=True)
def check(result):
    if result < 0: raise OSError(ctypes.get_errno())
def connected(family, address):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(10)
    s.connect(address)
    return s
def frame(kind, body, wanted):
    s = connected(socket.AF_UNIX, env["V_SOCKET"])
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    s.sendall(struct.pack(">IB", len(body), kind) + body)
    head = s.recv(5)
    assert len(head) == 5 and head[4] == wanted
def chmod_by_handle():
    os.fchmod(os.open(readme, os.O_RDONLY), 0o600)
def chown_by_handle():
    os.fchown(os.open(readme, os.O_RDONLY), os.getuid(), os.getgid())
def times_by_handle():
    os.utime(os.open(readme, os.O_RDONLY), (1, 1))
attempt("fchmod", chmod_by_handle)
attempt("fchmodat", lambda: os.chmod("README.md", 0o600, dir_fd=os.open(R, os.O_RDONLY)))
attempt("fchown", chown_by_handle)
attempt("lchown", lambda: os.lchown(readme, os.getuid(), os.getgid()))
attempt("futimens", times_by_handle)
attempt("utime", lambda: os.utime(readme, (1, 1), follow_symlinks=False))
attempt("attribute", lambda: os.setxattr(readme, "user.evil", b"x"))
attempt("limit-of-other", lambda: resource.prlimit(int(env["V_CLI"]), resource.RLIMIT_NOFILE, (3, 3)))
def locked(name, offset):
    fcntl.lockf(open(R + "/.overstory/" + name, "rb"), fcntl.LOCK_SH, 1, offset)
attempt("lock-mail", lambda: locked("mail.db-shm", 120))
attempt("lock-events", lambda: locked("events.db", 0x40000000))
def of_file_system(command, folder, name, source=0):
    fcntl.ioctl(os.open(folder, os.O_RDONLY), command, bytearray(struct.pack("q4088s", source, name)))
top = R
while not os.path.ismount(top): top = os.path.dirname(top)
# These two can succeed on btrfs only, so when TMPDIR is on one.
attempt("subvolume", lambda: of_file_system(0x5000940E, R, b"evil"))
attempt("snapshot", lambda: of_file_system(0x50009401, env["TMPDIR"], b"copy", os.open(top, os.O_RDONLY)))
attempt("mmap", mapped)
attempt("reopen", reopened)
attempt("ptrace", lambda: check(libc.ptrace(16, host, None, None)))
attempt("process-vm", lambda: os.pread(os.open("/proc/%s/mem" % env["V_CLI"], os.O_RDWR), 1, 4096))
attempt("pidfd-signal", lambda: signal.pidfd_send_signal(os.pidfd_open(host), 0))
attempt("pidfd-getfd", lambda: check(libc.syscall(438, os.pidfd_open(host), 0, 0)))
attempt("abstract-socket", lambda: connected(socket.AF_UNIX, "\0" + env["ABSTRACT"]))
attempt("other-port", lambda: connected(socket.AF_INET, ("127.0.0.1", int(env["PORT"]))))
attempt("watch-other", lambda: frame(1, {"version": 1, "attach": True, "size": [80, 24]}, 64))
attempt("keys-for-other", lambda: frame(2, b"y\r", 64))
attempt("paste-for-other", lambda: frame(3, b"y\r", 64))
attempt("stop-other", lambda: frame(5, {"force": True}, 69))
attempt("nudge-other", lambda: frame(7, {"from": "x", "text": "y"}, 69))
attempt("command-of-other", lambda: frame(9, {"argv": ["status"], "cwd": "/", "stdin": []}, 70))
PY
echo "end of the $OVERSTORY_AGENT_NAME"
"#;

const ROLES: [&str; 6] = [
    "builder",
    "merger",
    "scout",
    "reviewer",
    "lead",
    "supervisor",
];

/// What the agent's script has printed once it is through.
fn attempts_of(project: &TestProject, name: &str) -> Vec<String> {
    let shown = recorded_with(project, name, &format!("end of the {name}"));
    shown
        .lines()
        .filter_map(|line| line.trim().strip_prefix("went:"))
        .map(str::to_owned)
        .collect()
}

/// A project with the script of attempts, the one whom they are after, and what they try to reach.
struct Scene {
    project: TestProject,
    other: (i64, i64),
    _open: (UnixListener, TcpListener),
}

fn scene() -> Scene {
    let project = TestProject::initialised();
    project.write("second.txt", "so that there is a first\n");
    project.write(
        ".overstory/config.local.yaml",
        "sandbox:\n  network: [9]\nproject:\n  qualityGates:\n    - name: Gate\n      command: sh ./attempts.sh\n      description: passes\n",
    );
    std::fs::create_dir_all(project.home().join(".ssh")).unwrap();
    std::fs::write(project.home().join(".ssh/id_test"), "secret\n").unwrap();
    let targets = project.beside().join("targets");
    let script = ATTEMPTS.replace("TARGETS", targets.to_str().unwrap());
    project.write("attempts.sh", &script);
    project.write(".overstory/merge-main.lease", "");
    project.commit_all();
    // The one whom the others are after waits for an answer from a person.
    project.sling_as(
        "builder",
        "other",
        "- ask: \"shall I?\"\n- write: {path: answered.txt, content: x}\n- hang\n",
    );
    let other = project.pids("other").unwrap();
    let socket = project.sql("grove.db", "SELECT socket FROM hosts WHERE agent = 'other'");
    let name = format!("grove-test-{}", other.0);
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let socket_listener = UnixListener::bind_addr(&address).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let text = format!(
        "V_HOST={} V_CLI={} V_SOCKET={} V_TREE={} ABSTRACT={name} PORT={}\n\
         case $OVERSTORY_AGENT_NAME in builder|merger) WRITES=1;; esac\n",
        other.0,
        other.1,
        socket[0][0],
        project.overstory("worktrees/other").display(),
        tcp.local_addr().unwrap().port(),
    );
    std::fs::write(targets, text).unwrap();
    Scene {
        project,
        other,
        _open: (socket_listener, tcp),
    }
}

const STEPS: &str = "- run: \"sh ./attempts.sh\"\n- done: \"tried\"\n";

#[test]
fn no_role_reaches_outside_by_any_of_ninety_ways() {
    if !has_landlock() {
        return;
    }
    let scene = scene();
    let project = &scene.project;
    let (main, readme) = (
        project.git(&["rev-parse", "main"]),
        project.read("README.md"),
    );
    let refs = ["for-each-ref", "refs/heads/main", "refs/tags"];
    let before = project.git(&refs);
    // One is called as its role, but for the name that is grove's own.
    let name = |role| if role == "supervisor" { "sue" } else { role };
    for role in ROLES {
        project.sling_as(role, name(role), STEPS);
    }
    for role in ROLES {
        let went = attempts_of(project, name(role));
        assert_eq!(went, Vec::<String>::new(), "{role}\n{}", project.report());
    }
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    assert_eq!(project.read("README.md"), readme);
    assert_eq!(project.git(&refs), before);
    assert!(!project.root().join("evil").exists());
    the_other_was_left_alone(&scene);
}

fn the_other_was_left_alone(scene: &Scene) {
    let project = &scene.project;
    let answered = project.overstory("worktrees/other/answered.txt");
    assert!(!answered.exists(), "{}", project.report());
    let (host, cli) = scene.other;
    assert!(alive(host) && alive(cli), "{}", project.report());
    let forged = "SELECT count(*) FROM messages WHERE subject = 'forged'";
    assert_eq!(project.sql("mail.db", forged), [["0"]]);
}
