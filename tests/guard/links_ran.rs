//! Short sequences of commands that make, move and take away folders and links, judged and then really run: what
//! is allowed writes inside of the worktree alone.
//!
//! `GROVE_LINKS=5000` runs more, `GROVE_SEED=7` others, `GROVE_SHOW=1` tells of them. The tree is thrown away, and nothing in it has other names
//! than those five letters.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use crate::generator::Dice;
use crate::place::Place;

const NAMES: &[&str] = &["a", "b", "c", "d", "e"];

/// A worktree with a folder beside it that nobody may touch.
struct Ground {
    place: Place,
    base: PathBuf,
}

impl Ground {
    fn new() -> Self {
        let place = Place::new();
        let base = place.root.parent().unwrap().to_owned();
        for folder in [
            base.join("out"),
            place.root.clone(),
            place.worktree.parent().unwrap().to_owned(),
        ] {
            std::fs::create_dir_all(folder.join("a/b")).unwrap();
            std::fs::create_dir_all(folder.join("c")).unwrap();
            std::fs::write(folder.join("d"), "not yours\n").unwrap();
        }
        Self { place, base }
    }

    /// Leaves only what every sequence finds: a folder, a file, a link inside and one to the outside, as often as not.
    fn clear(&self, dice: &mut Dice) {
        let worktree = &self.place.worktree;
        for entry in worktree.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            if path.symlink_metadata().unwrap().is_dir() {
                std::fs::remove_dir_all(path).unwrap();
            } else {
                std::fs::remove_file(path).unwrap();
            }
        }
        if dice.roll(2) == 0 {
            std::fs::create_dir_all(worktree.join("a/b")).unwrap();
        }
        if dice.roll(3) == 0 {
            std::fs::write(worktree.join("b"), "").unwrap();
        }
        if dice.roll(3) == 0 {
            std::os::unix::fs::symlink("a", worktree.join("c")).unwrap();
        }
        if dice.roll(4) == 0 {
            std::os::unix::fs::symlink(self.base.join("out"), worktree.join("d")).unwrap();
        }
    }

    /// Everything outside of the worktree, with when it changed.
    fn surroundings(&self) -> BTreeMap<PathBuf, (SystemTime, Option<PathBuf>)> {
        let git = self.place.root.join(".git");
        let mut found = BTreeMap::new();
        let mut todo = vec![self.base.clone()];
        while let Some(path) = todo.pop() {
            if path == self.place.worktree || path == git {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                todo.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            }
            found.insert(
                path.clone(),
                (meta.modified().unwrap(), path.read_link().ok()),
            );
        }
        found
    }

    fn run(&self, command: &str) {
        let done = Command::new("bash")
            .args(["-c", command])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir(&self.place.worktree)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(done.is_ok(), "{done:?}");
    }
}

fn path(dice: &mut Dice) -> String {
    let mut path = dice.pick(NAMES).to_owned();
    for _ in 0..dice.roll(4) / 2 {
        path = format!("{path}/{}", dice.pick(NAMES));
    }
    path
}

/// What a link leads to: a name beside it, one further up, or the folder that nobody may touch.
fn target(dice: &mut Dice, outside: &Path) -> String {
    match dice.roll(8) {
        0 => format!("../{}", dice.pick(NAMES)),
        1 => "..".to_owned(),
        2 => outside.display().to_string(),
        3 => format!("{}/{}", outside.display(), dice.pick(NAMES)),
        4 => ".".to_owned(),
        _ => path(dice),
    }
}

fn step(dice: &mut Dice, outside: &Path) -> String {
    let one = path(dice);
    let other = path(dice);
    let slash = dice.pick(&["", "", "", "/"]);
    let leads = target(dice, outside);
    match dice.roll(20) {
        0 | 1 => format!("mkdir {one}"),
        2 => format!("mkdir -p {one}"),
        3..=6 => format!("ln -s {leads} {one}{slash}"),
        7 => format!("ln -sf {leads} {one}"),
        8 => format!("ln -sfn {leads} {one}"),
        9 => format!("ln -sT {leads} {one}"),
        10 => format!("ln -st {one} {leads}"),
        11 => format!("ln -sr {one} {other}"),
        12 => format!("rm {one}"),
        13 => format!("rm -rf {one}"),
        14 => format!("rmdir {one}"),
        15 | 16 => format!("mv {one} {other}{slash}"),
        17 => format!("cp -r {one} {other}"),
        18 => format!("cp -a {one} {other}"),
        _ => format!("ln -s {leads} {one} {other}"),
    }
}

fn sequence(dice: &mut Dice, outside: &Path) -> String {
    let mut text = String::new();
    for _ in 0..2 + dice.roll(4) {
        let step = step(dice, outside);
        text += &match dice.roll(12) {
            0 => format!("[ -e {} ] && {step}; ", dice.pick(NAMES)),
            1 => format!("if [ -d {} ]; then {step}; fi; ", dice.pick(NAMES)),
            2 => format!("({step}); "),
            3 => format!("{step} || "),
            4..=6 => format!("{step} && "),
            _ => format!("{step}; "),
        };
    }
    text + "touch " + &path(dice)
}

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn what_is_written_behind_links_and_folders_of_the_same_command_is_inside() {
    let count = number("GROVE_LINKS", 120);
    let seed = number("GROVE_SEED", 11);
    let mut dice = Dice(seed);
    let mut ground = Ground::new();
    let mut before = ground.surroundings();
    let (mut allowed, mut harmless, mut needless) = (0, 0, Vec::new());
    let mut misses = Vec::new();
    for _ in 0..count {
        ground.clear(&mut dice);
        let command = sequence(&mut dice, &ground.base.join("out"));
        let (decision, reason) = ground.place.bash("builder", &command);
        ground.run(&command);
        let is_allowed = decision == "allow";
        allowed += usize::from(is_allowed);
        if ground.surroundings() == before {
            harmless += 1;
            if !is_allowed {
                needless.push(format!("{command} ({reason})"));
            }
            continue;
        }
        if is_allowed {
            misses.push(command);
        }
        ground = Ground::new();
        before = ground.surroundings();
    }
    let refused = needless.len();
    assert!(
        std::env::var_os("GROVE_SHOW").is_none(),
        "{}\n{count}: {allowed} allowed, {harmless} harmless, {refused} of them refused, misses:\n{}",
        needless.join("\n"),
        misses.join("\n"),
    );
    assert!(misses.is_empty(), "seed {seed}:\n{}", misses.join("\n"));
    assert!(allowed * 4 > harmless, "{allowed} allowed of {harmless}");
    assert!(
        harmless < usize::try_from(count).unwrap(),
        "nothing left the worktree"
    );
}
