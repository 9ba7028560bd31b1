//! Random commands of a grammar, for the test that runs what the guard allows.
//!
//! Every command is bounded and touches only names that start with `zz`.

use crate::differential::Tree;
use crate::idioms::IDIOMS;

/// A small generator of numbers, so that a failure can be repeated.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub(crate) fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
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

/// Where a command may be sent, by a name that `cd` or `-C` takes.
const FOLDERS: &[&str] = &[
    "src",
    "src",
    ".",
    "zzdir",
    "zzinner",
    "src/..",
    "zzinner/..",
    "..",
    "../..",
    "zzlink",
    "zzlink/..",
    "$Z",
    "\"$PWD\"",
    "\"$PWD/..\"",
    "$OLDPWD",
    "~",
    "$TMPDIR",
    "${Q:-src}",
    "${Q:-..}",
    "\"$(dirname zzdir/x)\"",
    "\"$(dirname \"$PWD\")\"",
];

/// Paths without a sign of any language, to be put into one.
const PLAIN: &[&str] = &[
    "zz1",
    "zz2",
    "src/zz1",
    "zzdir/zz5",
    "zzinner/zz1",
    "src/../zz2",
    "../zz1",
    "src/../../zz2",
    "zzlink/zz1",
    "zzinner/../zz1",
    "zzinner/../../zz1",
];

/// An idiom with its places filled: `%A` and `%B` are paths, `%D` and `%E` folders, `%L` and `%M` plain paths.
fn idiom(dice: &mut Dice, tree: &Tree) -> String {
    let mut text = {
        let kind = dice.roll(IDIOMS.len());
        dice.pick(IDIOMS[kind]).to_owned()
    };
    for (mark, list) in [
        ("%D", FOLDERS),
        ("%E", FOLDERS),
        ("%L", PLAIN),
        ("%M", PLAIN),
    ] {
        text = text.replace(mark, dice.pick(list));
    }
    for mark in ["%A", "%B"] {
        text = text.replace(mark, &path(dice, tree));
    }
    text
}

fn simple(dice: &mut Dice, tree: &Tree) -> String {
    if dice.roll(3) > 0 {
        return idiom(dice, tree);
    }
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

/// A command of the grammar, nested at most so deep.
pub(crate) fn command(dice: &mut Dice, tree: &Tree, depth: usize) -> String {
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
