//! The languages that are read, construct by construct: each again and again, nested, and in turn with others.

use super::SIZE;
use super::grammars::FAMILIES;
use super::hostile::filled;

/// One language: how its text is handed over, what it is made of, and what can be nested in it.
pub(super) struct Family {
    pub(super) name: &'static str,
    /// What stands before and behind the text.
    pub(super) hosts: &'static [(&'static str, &'static str)],
    pub(super) units: &'static [&'static str],
    /// What opens, what is inside, what closes.
    pub(super) nests: &'static [(&'static str, &'static str, &'static str)],
}

/// Depths of towers: what is read to the end, and what just is not.
const DEPTHS: [usize; 4] = [1, 3, 11, 40];
/// How far apart two constructs are that are taken in turn.
const STRIDES: [usize; 2] = [1, 5];

fn around(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

impl Family {
    fn texts(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (at, unit) in self.units.iter().enumerate() {
            all.push((format!("{unit:?}"), filled(unit)));
            for stride in STRIDES {
                let other = self.units.get((at + stride) % self.units.len());
                if let Some(other) = other.filter(|other| *other != unit) {
                    let both = format!("{unit}{other}");
                    all.push((format!("in turn {both:?}"), filled(&both)));
                }
            }
        }
        for (at, (open, inner, close)) in self.nests.iter().enumerate() {
            let fits = SIZE / (open.len() + close.len());
            all.push((format!("nest {open:?}"), around(open, inner, close, fits)));
            all.push((format!("open {open:?}"), filled(open)));
            all.push((format!("close {close:?}"), filled(&format!("{close} "))));
            for depth in DEPTHS {
                let tower = around(open, inner, close, depth);
                all.push((
                    format!("towers of {depth} {open:?}"),
                    filled(&format!("{tower}\n")),
                ));
            }
            if let Some((other, _, end)) = self.nests.get((at + 1) % self.nests.len()) {
                let (open, close) = (format!("{open}{other}"), format!("{end}{close}"));
                let fits = SIZE / (open.len() + close.len());
                all.push((
                    format!("nest in turn {open:?}"),
                    around(&open, inner, &close, fits),
                ));
                let tower = around(&open, inner, &close, 5);
                all.push((
                    format!("towers in turn {open:?}"),
                    filled(&format!("{tower}\n")),
                ));
            }
        }
        all
    }
}

/// Every text of every language in every host, one at a time: all of them together are gigabytes.
pub(super) fn each(see: &mut dyn FnMut(&str, String)) {
    for family in FAMILIES {
        let texts = family.texts();
        for (head, tail) in family.hosts {
            for (kind, text) in &texts {
                let text = if head.ends_with('\'') {
                    text.replace('\'', "")
                } else {
                    text.clone()
                };
                see(
                    &format!("{} {head:?} {kind}", family.name),
                    format!("{head}{text}{tail}"),
                );
            }
        }
    }
}

/// Paths of many parts, wherever one is taken.
pub(super) fn paths(see: &mut dyn FnMut(&str, String)) {
    let parts = [
        "a/",
        "a#/",
        "../",
        "./",
        "/",
        "a/../",
        "../a/",
        "../x/",
        ".../",
        "*/",
        "?/",
        "**/",
        "[a]/",
        "{a,b}/",
        "~/",
        "$a/",
        "${a}/",
        "$(a)/",
        "'a'/",
        "\\a/",
        "\u{e9}/",
        "..\\/",
        " /",
        "a b/",
        ".git/",
        ".overstory/",
        "x/../x/",
        "//./",
        "-/",
    ];
    let starts = [
        "",
        "/",
        "/w/x/",
        "/w/",
        "./",
        "~/",
        "$PWD/",
        "../x/",
        "/proc/self/cwd/",
    ];
    let hosts = [
        ("rm -r ", ""),
        ("cat ", ""),
        ("touch ", " a"),
        ("cp a ", ""),
        ("cp ", " a"),
        ("ln -s ", " a; touch a/b"),
        ("ln -s a ", ""),
        ("echo > ", ""),
        ("cat < ", ""),
        ("cd ", "; touch a"),
        ("git -C ", " status"),
        ("git add ", ""),
        ("x=", "; rm $x"),
        ("find ", " -delete"),
        ("tar xf a -C ", ""),
        ("python3 -c \"open('", "', 'w')\""),
        ("sed -i s/a/b/ ", ""),
        ("source ", ""),
        ("", ""),
        ("env -C ", " ls"),
        ("make -C ", ""),
    ];
    for (head, tail) in hosts {
        for start in starts {
            for part in parts {
                see(
                    &format!("path {head:?} {start:?} {part:?}"),
                    format!("{head}{start}{}a{tail}", filled(part)),
                );
            }
        }
    }
}
