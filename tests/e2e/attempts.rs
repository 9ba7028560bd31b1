//! More ways out of a sandbox than a shell knows, tried by every kind of role: what is refused is refused by
//! the operating system, for the guard does not see into a script of the project.

use crate::sandbox::{has_landlock, run};
use crate::support::TestProject;

/// Prints a line for every attempt that succeeded.
const GIT: &str = r#"#!/bin/sh
R=$OVERSTORY_PROJECT_ROOT
G=$R/.git
W=$R/.overstory/worktrees
me=$(git rev-parse HEAD)
try() { name=$1; shift; if sh -c "$*" >/dev/null 2>&1; then echo "through:$name"; fi; }
try packed-refs "echo $me refs/heads/main > $G/packed-refs"
try pack-refs "git pack-refs --all"
try ref-file "echo $me > $G/refs/heads/main"
try ref-lock "echo $me > $G/refs/heads/main.lock"
try ref-link "ln -sf $G/refs/heads/main $G/refs/heads/other"
try through-own-name "git symbolic-ref refs/heads/overstory/mallory/s refs/heads/main && git update-ref refs/heads/overstory/mallory/s HEAD~1"
try through-link "ln -s ../../main $G/refs/heads/overstory/mallory/l && echo $me > $G/refs/heads/overstory/mallory/l"
try commit-on-main "git symbolic-ref HEAD refs/heads/main && git commit -q --allow-empty -m evil"
git symbolic-ref HEAD refs/heads/overstory/mallory/t-1 2>/dev/null
try reset-main "git branch -f main HEAD~1"
try rename-branch "git branch -m main gone"
try delete-branch "git branch -D overstory/other/t-2"
try other-ref "git update-ref refs/heads/overstory/other/t-2 HEAD"
try other-head "git update-ref --no-deref worktrees/other/HEAD HEAD"
try main-head "git update-ref --no-deref main-worktree/HEAD HEAD"
try head-file "echo $me > $G/HEAD"
try other-head-file "echo $me > $G/worktrees/other/HEAD"
try other-index "cp $G/worktrees/mallory/index $G/worktrees/other/index"
try main-index "git --git-dir=$G --work-tree=$R rm -q --cached README.md"
try other-worktree "echo x > $W/other/README.md"
try worktree-move "git worktree move $W/other $W/moved"
try worktree-lock "git worktree lock $W/other"
try worktree-prune "rm $G/worktrees/other/gitdir"
try reflog "echo x >> $G/logs/refs/heads/main"
try reflog-head "echo x >> $G/logs/HEAD"
try reflog-expire "git reflog expire --expire=now refs/heads/main && ! git reflog exists refs/heads/main"
try stash "git update-ref refs/stash HEAD"
try notes "git notes add -m evil HEAD"
try tag-ref "git update-ref refs/tags/evil HEAD"
try remote-ref "git update-ref refs/remotes/origin/main HEAD"
try kept-ref "git update-ref refs/grove/saved/mallory/x HEAD"
try replace "git replace HEAD HEAD~1"
try graft "echo $me > $G/info/grafts"
try shallow "echo $me > $G/shallow"
try attributes "echo '* filter=x' > $G/info/attributes"
try exclude "echo '*' > $G/info/exclude"
try sparse "git sparse-checkout set --no-cone x"
try config-file "printf '[alias]\nst = !sh\n' >> $G/config"
try config-move "cp $G/config \$TMPDIR/c && mv \$TMPDIR/c $G/config"
try config-worktree "git config --worktree user.evil 1"
try config-worktree-file "echo x > $G/config.worktree"
try config-global "git config --global user.evil 1"
try include "git config include.path /tmp/evil"
try remote "git remote add evil /tmp/evil"
try branch-config "git branch --set-upstream-to=main"
try hook-file "echo x > $G/hooks/post-checkout && chmod +x $G/hooks/post-checkout"
try hooks-path "git config core.hooksPath ."
try description "echo x > $G/description"
try fetch-head "echo x > $G/FETCH_HEAD"
try orig-head "echo x > $G/ORIG_HEAD"
try module "mkdir -p $G/modules/evil"
try gc "git gc -q"
try push "git push -q $R HEAD:refs/heads/pushed"
try bundle "git bundle create $R/x.bundle HEAD"
try maintenance "git maintenance register"
"#;

const STORES: &str = r#"
D=$R/.overstory
forge="import sqlite3,sys; c=sqlite3.connect(sys.argv[1], timeout=1); c.execute('CREATE TABLE evil (x)'); c.commit()"
for store in mail sessions events merge-queue metrics grove; do
  try "forge-$store" "python3 -c \"$forge\" $D/$store.db"
  try "journal-$store" "echo x > $D/$store.db-journal"
  try "log-$store" "echo x >> $D/$store.db-wal"
  try "swap-$store" "cp $D/$store.db \$TMPDIR/s.db && mv \$TMPDIR/s.db $D/$store.db"
done
try approve "grove merge --branch overstory/mallory/t-1"
try land "grove merge --all"
try undo "grove merge undo"
try stop-other "grove stop other"
try clean "grove clean --all"
try repair "grove doctor --fix"
try settings "echo 'sandbox: off' >> $D/config.local.yaml"
try spec "echo x >> $D/specs/t-1.md"
try definition "echo x >> $D/agent-defs/builder.md"
try current-run "echo x > $D/current-run.txt"
try cast "cat $D/casts/other/1.cast"
try token "cat $D/serve-token"
try other-settings "cat $D/hosts/other/settings"
try gate-caches "mkdir -p $D/gate-caches && echo x > $D/gate-caches/x"
try scratch "mkdir -p $D/scratch/1"
"#;

/// System calls. Each function ends well when it got through.
const CALLS: &str = r"import ctypes, mmap, os, socket, struct, sys
R = os.environ['OVERSTORY_PROJECT_ROOT']
host, readme = int(sys.argv[1]), R + '/README.md'
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *args):
    done = libc.syscall(number, *args)
    if done < 0: raise OSError(ctypes.get_errno(), 'refused')
    return done

def open_writable(): os.open(readme, os.O_WRONLY)
def open_both(): mmap.mmap(os.open(readme, os.O_RDWR), 1)[0] = 120
def truncating(): os.open(readme, os.O_RDONLY | os.O_TRUNC)
def truncate(): os.truncate(readme, 0)
def ftruncate(): os.ftruncate(os.open(readme, os.O_RDONLY), 0)
def reopen(): os.open('/proc/self/fd/%d' % os.open(readme, os.O_RDONLY), os.O_WRONLY)
def path_fd(): os.open('/proc/self/fd/%d' % os.open(readme, os.O_PATH), os.O_WRONLY)
def by_folder(): os.open('README.md', os.O_WRONLY, dir_fd=os.open(R, os.O_RDONLY))
def by_cwd():
    os.chdir(R); os.open('README.md', os.O_WRONLY)
def unnamed():
    fd = os.open(R, os.O_TMPFILE | os.O_RDWR); os.link('/proc/self/fd/%d' % fd, R + '/evil')
def link_out():
    open('mine', 'w').close(); os.link('mine', R + '/evil')
def link_in():
    os.link(readme, 'linked'); os.open('linked', os.O_WRONLY)
def exchange():
    open('mine', 'w').close(); call(316, -100, b'mine', -100, readme.encode(), 2)
def move_out():
    open('mine', 'w').close(); os.rename('mine', R + '/evil')
def symlink_out(): os.symlink('x', R + '/evil')
def fifo(): os.mkfifo(R + '/evil')
def device(): os.mknod('evil-device', 0o60600, os.makedev(8, 0))
def bind_socket(): socket.socket(socket.AF_UNIX).bind(R + '/evil')
def chroot(): os.chroot(R)
def mount_as_root_of_its_own():
    call(272, 0x10020000); call(165, b'none', b'/mnt', b'tmpfs', 0, None)
def bind_as_root_of_its_own():
    call(272, 0x10020000); call(165, b'/tmp', R.encode(), None, 4096, None)
def prepare_a_mount():
    # Landlock refuses the mount; by then, overlayfs has emptied the folder `work` in `workdir`.
    os.makedirs('upper', exist_ok=True)
    call(272, 0x10020000); fd = call(430, b'overlay', 0)
    for key, value in ((b'lowerdir', b'/usr'), (b'upperdir', os.path.abspath('upper').encode()), (b'workdir', R.encode())):
        call(431, fd, 1, key, value, 0)
    call(431, fd, 6, None, None, 0)
def mount_namespace(): call(272, 0x00020000)
def mount(): call(165, b'none', b'/mnt', b'tmpfs', 0, None)
def open_tree(): call(428, -100, R.encode(), 1)
def by_handle():
    handle = struct.pack('Ii', 128, 0) + b'\0' * 128
    buffer, ident = ctypes.create_string_buffer(handle), ctypes.c_int()
    call(303, -100, readme.encode(), buffer, ctypes.byref(ident), 0)
    call(304, os.open(R, os.O_RDONLY), buffer, os.O_WRONLY)
def attach(): call(101, 16, host, 0, 0)
def seize(): call(101, 0x4206, host, 0, 0)
def read_memory():
    buffer = ctypes.create_string_buffer(1)
    local = struct.pack('PN', ctypes.addressof(buffer), 1); remote = struct.pack('PN', 0x400000, 1)
    call(310, host, local, 1, remote, 1, 0)
def memory_file(): os.open('/proc/%d/mem' % host, os.O_RDWR)
def environment(): open('/proc/%d/environ' % host).read(1) or sys.exit(1)
def take_fd(): call(438, call(434, host, 0), 0, 0)
def of_its_root(): os.open('/proc/%d/root%s' % (host, readme), os.O_WRONLY)
def signal(): os.kill(host, 0)
def by_pidfd(): call(424, call(434, host, 0), 0, None, 0)
def group(): os.killpg(os.getpgid(host), 0)
def memory(): open('/dev/mem', 'rb')
def kernel_log(): open('/dev/kmsg', 'w')
def settings(): open('/proc/sys/kernel/core_pattern', 'w')
def module(): call(313, os.open('/bin/true', os.O_RDONLY), b'', 0)
def trace(): call(298, ctypes.create_string_buffer(128), host, -1, -1, 0)
def bpf(): call(321, 5, ctypes.create_string_buffer(128), 128)
def ring(): call(425, 4, ctypes.create_string_buffer(120))
def in_memory():
    fd = os.memfd_create('evil')
    os.write(fd, b'#!/bin/sh\necho x > ' + R.encode() + b'/evil\n')
    if os.spawnv(os.P_WAIT, '/bin/sh', ['sh', '/proc/%d/fd/%d' % (os.getpid(), fd)]): raise OSError('refused')

names = [name for name, made in list(globals().items()) if callable(made) and getattr(made, '__module__', '') == '__main__']
for name in names:
    if name in ('call',): continue
    pid = os.fork()
    if pid == 0:
        try: globals()[name]()
        except BaseException as error: os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1] == 0: print('through:' + name)
";

fn project() -> TestProject {
    let project = TestProject::initialised();
    let script = format!(
        "{GIT}{STORES}\nhost=$$\nuntil ps -o args= -p $host | grep -q ' host '; do\n\
         host=$(ps -o ppid= -p $host | tr -d ' '); [ $host -gt 1 ] || exit 1\ndone\n\
         python3 \"$OVERSTORY_PROJECT_ROOT/calls.py\" $host\necho all-tried\ntrue\n"
    );
    project.write("attempts.sh", &script);
    project.write("calls.py", CALLS);
    project.commit_all();
    let other = project.overstory("worktrees/other").display().to_string();
    project.git(&["worktree", "add", "-q", "-b", "overstory/other/t-2", &other]);
    for (folder, file) in [("casts/other", "1.cast"), ("", "serve-token")] {
        let folder = project.overstory(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(file), "of others\n").unwrap();
    }
    project.write(
        ".overstory/config.local.yaml",
        "project:\n  qualityGates:\n    - name: Tries\n      command: sh ./attempts.sh\n      description: tries\n",
    );
    project
}

/// What of the project must be as it was.
fn picture(project: &TestProject) -> Vec<String> {
    let refs = project.git(&[
        "for-each-ref",
        "--format=%(refname) %(objectname) %(symref)",
    ]);
    let refs = refs
        .lines()
        .filter(|line| !line.contains("overstory/mallory/"));
    let config = project.git(&["config", "--local", "--list"]);
    let status = project.git(&["status", "--porcelain"]);
    let hooks = std::fs::read_dir(project.root().join(".git/hooks")).map_or(0, Iterator::count);
    let mut picture: Vec<String> = refs.map(str::to_owned).collect();
    picture.extend([config, status, hooks.to_string(), project.read("README.md")]);
    picture
}

fn nothing_goes_through(role: &str) {
    if !has_landlock() {
        return;
    }
    let project = project();
    let before = picture(&project);
    let shown = run(
        &project,
        role,
        "steps:\n- run: \"sh ./attempts.sh\"\n- print: \"end of attempts\"\n- done: \"tried\"\n",
    );
    assert!(shown.contains("all-tried"), "{shown}");
    let through: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.trim().strip_prefix("through:"))
        .collect();
    assert_eq!(through, Vec::<&str>::new(), "{role}: {shown}");
    assert_eq!(picture(&project), before, "{role}");
    assert!(!project.root().join("evil").exists());
}

#[test]
fn a_builder_gets_nowhere_by_git_stores_or_system_calls() {
    nothing_goes_through("builder");
}

#[test]
fn a_reviewer_gets_nowhere_by_git_stores_or_system_calls() {
    nothing_goes_through("reviewer");
}

#[test]
fn a_lead_gets_nowhere_by_git_stores_or_system_calls() {
    nothing_goes_through("lead");
}
