//! Commands from a grammar, judged and, when allowed, really run: nothing outside of the worktree may change.
//!
//! Once inside the system's sandbox, and once without it, where a miss of the guard shows as a changed tree.
//! Every command is bounded, touches only names that start with `zz`, and knows no home and no temporary
//! folder but those of the tree that is thrown away. `GROVE_DIFFERENTIAL=5000` runs more, `GROVE_SEED=7` others.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::place::Place;

const GROVE: &str = env!("CARGO_BIN_EXE_grove");

/// A small generator of numbers, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

/// A path, inside or outside; every last name starts with `zz`.
fn path(dice: &mut Dice, tree: &Tree) -> String {
    let base = [
        "",
        "",
        "",
        "./",
        "src/",
        "zzdir/",
        "zzlink/",
        "zzinner/",
        "src/../",
        "../",
        "src/../../",
        "$PWD/",
        "${PWD}/../",
        "~/",
        "\"$HOME\"/",
        "$Z/",
        "$Z/../",
        "{src,zzdir}/",
        "{.,..}/",
        "$(echo src)/",
        "$(echo ..)/",
        "`dirname $PWD`/",
        "'..'/",
        ".\\./",
        "$OLDPWD/",
        "*/",
        "s?c/",
        "$TMPDIR/",
        "${Q:-src}/",
        "${Q:-..}/",
        "$'\\x2e\\x2e'/",
    ];
    let at = dice.roll(base.len() + 3);
    let name = dice.pick(&[
        "zz1", "zz2", "zz[12]", "zz*", "zz{1,2}", "'zz 3'", "zzdir", "zznew",
    ]);
    match base.get(at) {
        Some(base) => format!("{base}{name}"),
        None if at == base.len() => format!("{}/{name}", tree.outside.display()),
        None if at == base.len() + 1 => format!("{}/{name}", tree.place.root.display()),
        None => format!("{}/{name}", tree.place.worktree.display()),
    }
}

fn simple(dice: &mut Dice, tree: &Tree) -> String {
    let a = path(dice, tree);
    let b = path(dice, tree);
    match dice.roll(40) {
        0 => format!("touch {a}"),
        1 => format!("rm -f {a}"),
        2 => format!("rm -rf {a}"),
        3 => format!("cp {a} {b}"),
        4 => format!("mv {a} {b}"),
        5 => format!("mkdir -p {a}"),
        6 => format!("ln -s {a} {b}"),
        7 => format!("ln -sfn .. zzlink; touch {a}"),
        8 => format!("echo x > {a}"),
        9 => format!("echo x >> {a}"),
        10 => format!("echo x | tee {a} > /dev/null"),
        11 => format!("sed -i s/a/b/ {a}"),
        12 => format!("cat {a}"),
        13 => format!("ls {a}"),
        14 => format!("find . -name 'zz1' -exec cp {{}} {a} \\;"),
        15 => "find . -name 'zz2' -delete".to_owned(),
        16 => format!("dd if=/dev/null of={a} 2>/dev/null"),
        17 => format!("truncate -s 0 {a}"),
        18 => format!(
            "git add -A && git commit -qm {}",
            dice.pick(&["zz", "'zz b'"])
        ),
        19 => dice
            .pick(&[
                "git checkout -q -- .",
                "git stash list",
                "git branch zzbranch",
                "git tag zztag",
                "git config zz.a b",
                "git branch -f main HEAD",
            ])
            .to_owned(),
        20 => format!(
            "cd {}",
            dice.pick(&[
                "src",
                "..",
                "../..",
                ".",
                "-",
                "zzlink",
                "zzdir",
                "/nonexistent",
                "\"$PWD\"",
                "$Z"
            ])
        ),
        21 => format!(
            "Z={}",
            dice.pick(&["src", "..", ".", "zzdir", "\"$PWD\"", "../..", "zzlink"])
        ),
        22 => format!("printf '{a}\\n' | xargs touch"),
        23 => format!(
            "awk 'BEGIN {{ print \"x\" > \"{}\" }}'",
            dice.pick(&["zz1", "../zz1", "src/zz1"])
        ),
        24 => format!(
            "python3 -c \"open('{}','w').write('x')\"",
            dice.pick(&["zz1", "../zz1", "src/../zz2", "src/../../zz2"])
        ),
        25 => format!("cp -r {a} {b}"),
        26 => format!("cp -t {} {b}", dice.pick(&["src", "..", "zzdir"])),
        27 => format!("sort -o {a} {b}"),
        28 => format!("tar cf {a} src 2>/dev/null"),
        29 => format!("install -m 600 {a} {b}"),
        30 => format!("chmod 600 {a}"),
        31 => format!("rmdir {a}"),
        32 => format!(
            "perl -e 'open(F, q(>{}))'",
            dice.pick(&["zz1", "../zz1", "src/zz2"])
        ),
        33 => format!("set -- {a} {b}; touch \"${{@:2}}\""),
        34 => format!("set -- {a} zz9; rm -f \"$2\""),
        35 => format!("zza=({a} {b}); rm -f \"${{zza[1]}}\""),
        36 => format!("zza=({a} {b}); touch \"${{zza[@]/%1/2}}\""),
        37 => {
            let (one, other) = (
                dice.pick(&["src", ".", ".."]),
                dice.pick(&["zzdir", "../.."]),
            );
            format!(
                "mapfile -t zza < <(find {one} {other} -maxdepth 1 -name 'zz2'); rm -f \"${{zza[0]}}\""
            )
        }
        38 => format!("case $Z in src) Z=..;; *) Z=src;; esac; touch {a} $Z/zz5"),
        _ => format!("touch -r {a} {b}"),
    }
}

fn command(dice: &mut Dice, tree: &Tree, depth: usize) -> String {
    if depth == 0 || dice.roll(3) == 0 {
        return simple(dice, tree);
    }
    let mut inner = || command(dice, tree, depth - 1);
    let (a, b) = (inner(), inner());
    let quoted = format!("'{}'", a.replace('\'', "'\\''"));
    match dice.roll(16) {
        0 => format!("{a}; {b}"),
        1 => format!("{a} && {b}"),
        2 => format!("{a} || {b}"),
        3 => format!("({a}); {b}"),
        4 => format!("{{ {a}; }} ; {b}"),
        5 => format!("sh -c {quoted}"),
        6 => format!("eval {quoted}; {b}"),
        7 => format!("if {a}; then {b}; fi"),
        8 => format!("for Z in src .. zzdir; do {a}; done"),
        9 => format!("f() {{ {a}\n}}; f; {b}"),
        10 => format!("env A=b sh -c {quoted}; {b}"),
        11 => format!("{a} | {b}"),
        12 => format!("bash <<'END_OF_ZZ'\n{a}\nEND_OF_ZZ"),
        13 => format!("echo \"$({a}\n)\" > /dev/null; {b}"),
        14 => format!("case x in x) {a} ;; esac; {b}"),
        _ => format!("trap {quoted} EXIT; {b}"),
    }
}

/// A project with a worktree, and folders around it that nobody may touch.
struct Tree {
    place: Place,
    base: PathBuf,
    home: PathBuf,
    outside: PathBuf,
    temp: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let place = Place::new();
        let base = place.root.parent().unwrap().to_owned();
        let tree = Self {
            home: base.join("home"),
            outside: base.join("outside"),
            temp: base.join("temp"),
            place,
            base,
        };
        for folder in [&tree.home, &tree.outside, &tree.temp] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for folder in [
            tree.base.as_path(),
            &tree.home,
            &tree.outside,
            &tree.place.root,
            &tree.place.root.join("src"),
            tree.place.worktree.parent().unwrap(),
            tree.place.worktree.parent().unwrap().parent().unwrap(),
        ] {
            for name in ["zz1", "zz2", "zz 3"] {
                std::fs::write(folder.join(name), "not yours a\n").unwrap();
            }
            std::fs::create_dir_all(folder.join("zzdir/deep")).unwrap();
        }
        tree
    }

    /// Gives the worktree the files that commands expect.
    fn prepare(&self) {
        let worktree = &self.place.worktree;
        for folder in ["src", "zzdir", "zzdir/deep"] {
            // What is in the way was put there by the last command.
            if !worktree.join(folder).is_dir() {
                drop(std::fs::remove_file(worktree.join(folder)));
            }
            std::fs::create_dir_all(worktree.join(folder)).unwrap();
        }
        for name in ["zz1", "zz2", "zz 3", "src/zz1", "zzdir/zz1"] {
            let file = worktree.join(name);
            if file.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                std::fs::remove_dir_all(&file).unwrap();
            } else if file.symlink_metadata().is_ok() {
                std::fs::remove_file(&file).unwrap();
            }
            std::fs::write(file, "mine a\n").unwrap();
        }
        for (name, target) in [
            ("zzlink", self.outside.as_path()),
            ("zzinner", Path::new("src")),
        ] {
            let link = worktree.join(name);
            match link.symlink_metadata() {
                Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(&link).unwrap(),
                Ok(_) => std::fs::remove_file(&link).unwrap(),
                Err(_) => {}
            }
            std::os::unix::fs::symlink(target, link).unwrap();
        }
    }

    /// Everything outside of the worktree that a builder has no business with, file by file.
    fn surroundings(&self) -> BTreeMap<PathBuf, u64> {
        let git = self.place.root.join(".git");
        let own = [
            self.place.worktree.clone(),
            self.temp.clone(),
            git.join("objects"),
            git.join("worktrees"),
            git.join("logs/refs/heads/overstory/ada"),
            git.join("refs/heads/overstory/ada"),
            // Of a whole repository, and a builder may tag and stash.
            git.join("refs/tags"),
            git.join("refs/stash"),
            git.join("logs/refs/stash"),
        ];
        let mut found = BTreeMap::new();
        let mut todo = vec![self.base.clone()];
        while let Some(path) = todo.pop() {
            if own.contains(&path) {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let mut hash = DefaultHasher::new();
            format!("{:?}", meta.permissions()).hash(&mut hash);
            if meta.is_dir() {
                todo.extend(
                    std::fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            } else if meta.is_symlink() {
                std::fs::read_link(&path).unwrap().hash(&mut hash);
            } else {
                std::fs::read(&path).unwrap().hash(&mut hash);
            }
            // Folders that git makes on its way to an own ref hold nothing else.
            let passing = meta.is_dir() && path.starts_with(&git);
            if !passing {
                found.insert(path, hash.finish());
            }
        }
        found
    }

    fn run(&self, command: &str, rules: Option<&Path>) {
        let mut process = match rules {
            Some(rules) => {
                let mut process = Command::new(GROVE);
                process
                    .args(["sandbox-exec", "--rules"])
                    .arg(rules)
                    .args(["--", "bash", "-c", command]);
                process
            }
            None => {
                let mut process = Command::new("bash");
                process.args(["-c", command]);
                process
            }
        };
        let status = process
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.home)
            .env("TMPDIR", &self.temp)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "t")
            .env("GIT_AUTHOR_EMAIL", "t@example.org")
            .env("GIT_COMMITTER_NAME", "t")
            .env("GIT_COMMITTER_EMAIL", "t@example.org")
            .current_dir(&self.place.worktree)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.is_ok(), "bash could not be started: {status:?}");
    }

    fn sandbox_rules(&self) -> PathBuf {
        let git = self.place.root.join(".git");
        let rules = serde_json::json!({
            "write": [self.place.worktree, self.temp, git.join("objects"), git.join("worktrees"),
                git.join("refs/heads/overstory/ada"), git.join("logs/refs/heads/overstory/ada")],
            "hidden": [], "read": [], "devices": ["/dev/null", "/dev/tty"],
        });
        let file = self.base.join("rules.json");
        std::fs::write(&file, rules.to_string()).unwrap();
        file
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// Runs what the guard allows of `count` commands; returns how many those were.
fn run_allowed(tree: &Tree, rules: Option<&Path>, seed: u64, count: u64) -> u64 {
    let mut dice = Dice(seed);
    let mut ran = 0;
    let before = tree.surroundings();
    for turn in 0..count {
        tree.prepare();
        let depth = dice.roll(3);
        let command = command(&mut dice, tree, depth);
        let (decision, _) = tree.place.bash("builder", &command);
        if decision != "allow" {
            continue;
        }
        ran += 1;
        tree.run(&command, rules);
        let after = tree.surroundings();
        let changed: Vec<_> = before
            .iter()
            .filter(|(path, hash)| after.get(*path) != Some(hash))
            .map(|(path, _)| path)
            .chain(after.keys().filter(|path| !before.contains_key(*path)))
            .collect();
        assert!(
            changed.is_empty(),
            "allowed, and it changed {changed:?} (seed {seed}, turn {turn}):\n{command}"
        );
    }
    ran
}

#[test]
fn what_the_guard_allows_changes_nothing_outside_of_the_worktree() {
    let count = number("GROVE_DIFFERENTIAL", 400);
    let tree = Tree::new();
    let ran = run_allowed(&tree, None, number("GROVE_SEED", 1), count);
    // A guard that refuses everything would prove nothing.
    assert!(ran * 8 > count, "only {ran} of {count} were allowed");
    assert!(ran < count, "nothing was refused");
}

#[test]
fn inside_the_sandbox_nothing_outside_changes_either() {
    let count = number("GROVE_DIFFERENTIAL", 400) / 4;
    let tree = Tree::new();
    let rules = tree.sandbox_rules();
    let ran = run_allowed(&tree, Some(&rules), number("GROVE_SEED", 2), count);
    assert!(ran * 8 > count, "only {ran} of {count} were allowed");
}

#[test]
fn a_miss_of_the_guard_would_be_seen() {
    let tree = Tree::new();
    for command in [
        "touch ../zznew",
        "echo x > zzlink/zz1",
        "rm -rf ../../../zzdir",
        "git branch zzbranch",
        "chmod 600 ~/zz1",
        "sed -i s/a/b/ \"$PWD\"/../zz2",
    ] {
        let before = tree.surroundings();
        tree.prepare();
        tree.run(command, None);
        assert_ne!(before, tree.surroundings(), "{command}");
    }
}
