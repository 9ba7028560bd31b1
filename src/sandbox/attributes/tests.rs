//! Changing attributes from inside of a sandbox, for real.

use super::is_supported;
use crate::config::Network;
use crate::sandbox::{Rules, SandboxError, Support, support, within};
use std::fs::{Metadata, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A folder that may be written, with a file, and another one.
struct Scene {
    _dir: tempfile::TempDir,
    open: PathBuf,
    shut: PathBuf,
    rules: Rules,
}

/// Says it where tests' output is not captured.
fn skipped(why: &str) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let said = format!("skipped: {test}: {why}\n");
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}

fn scene() -> Option<Scene> {
    if !is_supported() || matches!(support(), Support::None(_)) {
        skipped("nothing can be confined here");
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let (open, shut) = (top.join("open"), top.join("shut"));
    for folder in [&open, &shut] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("file"), "x").unwrap();
        set_mode(&folder.join("file"), 0o644).unwrap();
    }
    let rules = Rules {
        write: vec![open.clone()],
        devices: vec![PathBuf::from("/dev/null")],
        network: Network::Allow,
        ..Rules::default()
    };
    Some(Scene {
        _dir: dir,
        open,
        shut,
        rules,
    })
}

fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

fn state(path: &Path) -> (u32, u32, i64, i64) {
    let found: Metadata = path.metadata().unwrap();
    (found.mode(), found.uid(), found.mtime(), found.mtime_nsec())
}

/// Runs a script of the shell inside; gives its exit code.
fn script(scene: &Scene, text: &str) -> Result<Option<i32>, SandboxError> {
    within(&scene.rules, |_| {
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(text).current_dir(&scene.open);
        command.stderr(std::process::Stdio::null());
        command.status().unwrap().code()
    })
}

#[test]
fn what_may_be_written_gets_modes_and_times() {
    let Some(scene) = scene() else { return };
    let file = scene.open.join("file");
    let own = "chmod 751 file && touch -d @1000 file && ln -s file link && touch -h -d @5 link \
        && exec 7<file && chmod 750 /proc/self/fd/7 && mkdir -p new/deep && chmod -R 700 new \
        && chown \"$(id -u):$(id -g)\" file && cp -p file copy && touch -r file other";
    assert_eq!(script(&scene, own).unwrap(), Some(0));
    let (mode, _, seconds, _) = state(&file);
    assert_eq!((mode & 0o7777, seconds), (0o750, 1000));
    assert_eq!(state(&scene.open.join("copy")).2, 1000);
    assert_eq!(state(&scene.open.join("other")).2, 1000);
    let link = scene.open.join("link").symlink_metadata().unwrap();
    assert_eq!(link.mtime(), 5);
    assert_eq!(state(&scene.open.join("new/deep")).0 & 0o7777, 0o700);
}

#[test]
fn memory_that_programs_share_gets_modes() {
    let Some(mut scene) = scene() else { return };
    if !Path::new("/dev/shm").is_dir() {
        skipped("there is no /dev/shm");
        return;
    }
    scene.rules.devices.push(PathBuf::from("/dev/shm"));
    let text = "own=$(mktemp /dev/shm/grove-test-XXXXXX) && chmod 640 $own && touch -d @7 $own; \
        code=$?; rm -f $own; exit $code";
    assert_eq!(script(&scene, text).unwrap(), Some(0));
}

/// What root runs as somebody else keeps working, with that one's rights.
#[test]
fn another_user_that_root_has_become_changes_what_is_its_own() {
    let Some(scene) = scene() else { return };
    if !rustix::process::geteuid().is_root() {
        skipped("only root becomes somebody else");
        return;
    }
    // The folder above is this test's alone.
    set_mode(scene.open.parent().unwrap(), 0o755).unwrap();
    let own = "mkdir own && chown 65534 own && setpriv --reuid=65534 --regid=65534 --clear-groups \
        sh -c 'cd own && touch x && chmod 600 x && touch -d @9 x'";
    assert_eq!(script(&scene, own).unwrap(), Some(0));
    assert_eq!(state(&scene.open.join("own/x")).2, 9);
    let foreign = "setpriv --reuid=65534 --regid=65534 --clear-groups chmod 666 file";
    assert_ne!(script(&scene, foreign).unwrap(), Some(0));
    let given = "setpriv --reuid=65534 --regid=65534 --clear-groups chown 1 own/x";
    assert_ne!(script(&scene, given).unwrap(), Some(0));
}

#[test]
fn what_may_not_be_written_keeps_modes_owners_and_times() {
    let Some(scene) = scene() else { return };
    let file = scene.shut.join("file");
    let before = state(&file);
    let folder = state(&scene.shut);
    let shut = scene.shut.display();
    for attempt in [
        format!("chmod 600 {shut}/file"),
        "chmod 600 ../shut/file".to_owned(),
        format!("cd {shut} && chmod 600 file"),
        format!("cd {shut} && chmod 700 ."),
        format!("chmod -R 700 {shut}"),
        format!("ln -s {shut}/file away && chmod 600 away"),
        format!("ln -s {shut} way && chmod 600 way/file"),
        format!("exec 7<{shut}/file && chmod 600 /proc/self/fd/7"),
        format!("exec 7<{shut}/file && chmod 600 /dev/fd/7"),
        format!("chmod 600 /proc/self/root{shut}/file"),
        format!("cd {shut} && chmod 600 /proc/self/cwd/file"),
        format!("touch {shut}/file"),
        format!("touch -d @9 {shut}/file"),
        format!("touch -c -h -d @9 {shut}/file"),
        format!("chown 1:1 {shut}/file"),
        format!("chown $(id -u) {shut}/file"),
        "chmod 600 /dev/null".to_owned(),
        "chmod 755 /".to_owned(),
    ] {
        assert_ne!(script(&scene, &attempt).unwrap(), Some(0), "{attempt}");
        assert_eq!(state(&file), before, "{attempt}");
        assert_eq!(state(&scene.shut), folder, "{attempt}");
    }
}

/// The path is another one each time it is looked at.
#[test]
fn a_name_that_changes_hands_meanwhile_leads_nowhere_else() {
    let Some(scene) = scene() else { return };
    let file = scene.shut.join("file");
    let before = state(&file);
    let name = scene.open.join("name");
    let (to_own, to_other) = (scene.open.join("to-own"), scene.open.join("to-other"));
    let over = AtomicBool::new(false);
    let changed = within(&scene.rules, |_| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    symlink(scene.open.join("file"), &to_own).unwrap();
                    std::fs::rename(&to_own, &name).unwrap();
                    symlink(&file, &to_other).unwrap();
                    std::fs::rename(&to_other, &name).unwrap();
                }
            });
            let tries = (0..2000).filter(|n| set_mode(&name, 0o600 + n % 8).is_ok());
            let changed = tries.count();
            over.store(true, Ordering::Relaxed);
            changed
        })
    });
    assert!(changed.unwrap() > 0);
    assert_eq!(state(&file), before);
}

#[test]
fn who_has_another_root_or_other_users_changes_nothing() {
    let Some(scene) = scene() else { return };
    let inside = "unshare -Ur true 2>/dev/null || exit 7; unshare -Ur chmod 600 file";
    let code = script(&scene, inside).unwrap();
    assert_ne!(code, Some(0));
}

#[test]
fn many_at_once_are_all_answered() {
    let Some(scene) = scene() else { return };
    let all = "for i in 1 2 3 4 5 6 7; do (for j in 1 2 3 4 5; do : > f$i-$j; chmod 7$i$j f$i-$j || exit 1; done) & \
        pids=\"$pids $!\"; done; for p in $pids; do wait $p || exit 1; done";
    assert_eq!(script(&scene, all).unwrap(), Some(0));
    for (i, j) in [(1, 1), (7, 5), (4, 3)] {
        let mode = state(&scene.open.join(format!("f{i}-{j}"))).0 & 0o777;
        assert_eq!(mode, 0o700 + i * 8 + j);
    }
}

/// An agent that may write the folder above can put one there between the look at the name and the start of another agent.
#[test]
fn a_link_in_the_place_of_an_opened_folder_opens_nothing() {
    let Some(mut scene) = scene() else { return };
    let named = scene.open.parent().unwrap().join("named");
    std::fs::create_dir(&named).unwrap();
    scene.rules.opened = vec![named.clone()];
    let write = format!(
        "touch -d @1000 {0}/file && echo x > {0}/file",
        named.display()
    );
    assert_eq!(script(&scene, &write).unwrap(), Some(0));
    std::fs::remove_dir_all(&named).unwrap();
    symlink(&scene.shut, &named).unwrap();
    let file = scene.shut.join("file");
    let before = state(&file);
    for attempt in ["touch -d @5", "chmod 600", "echo y >"] {
        let text = format!("{attempt} {}/file", named.display());
        assert_ne!(script(&scene, &text).unwrap(), Some(0), "{attempt}");
    }
    assert_eq!(state(&file), before);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x");
}
