//! The commands of debuggers that only look or steer, and what their expressions call.

/// Commands that look at the program or steer it: the letters they need, and those they may have.
const LOOKS: &[(&str, &str)] = &[
    ("b", "reak"),
    ("br", "eakpoint"),
    ("tb", "reak"),
    ("rb", "reak"),
    ("hb", "reak"),
    ("bt", ""),
    ("ba", "cktrace"),
    ("wh", "ere"),
    ("i", "nfo"),
    ("inf", ""),
    ("p", "rint"),
    ("po", ""),
    ("x", ""),
    ("l", "ist"),
    ("f", "rame"),
    ("up", ""),
    ("do", "wn"),
    ("c", "ontinue"),
    ("fg", ""),
    ("n", "ext"),
    ("nexti", ""),
    ("ni", ""),
    ("s", "tep"),
    ("stepi", ""),
    ("si", ""),
    ("fin", "ish"),
    ("u", "ntil"),
    ("adv", "ance"),
    ("q", "uit"),
    ("k", "ill"),
    ("det", "ach"),
    ("d", "elete"),
    ("dis", "able"),
    ("disas", "semble"),
    ("di", "sassemble"),
    ("en", "able"),
    ("cl", "ear"),
    ("sho", "w"),
    ("pt", "ype"),
    ("whatis", ""),
    ("h", "elp"),
    ("disp", "lay"),
    ("und", "isplay"),
    ("ec", "ho"),
    ("printf", ""),
    ("output", ""),
    ("file", ""),
    ("core", "-file"),
    ("exec-file", ""),
    ("dir", "ectory"),
    ("symbol-file", ""),
    ("sharedlibrary", ""),
    ("han", "dle"),
    ("cat", "ch"),
    ("tc", "atch"),
    ("wa", "tch"),
    ("rw", "atch"),
    ("aw", "atch"),
    ("cond", "ition"),
    ("ig", "nore"),
    ("com", "mands"),
    ("en", "d"),
    ("silent", ""),
    ("if", ""),
    ("else", ""),
    ("whi", "le"),
    ("fl", "ushregs"),
    ("inspect", ""),
    ("ver", "sion"),
    ("im", "age"),
    ("reg", "ister"),
    ("mem", "ory"),
    ("ta", "rget"),
    ("th", "read"),
    ("e", "xpression"),
    ("v", ""),
    ("var", "iable"),
    ("tui", ""),
    ("lay", "out"),
    ("ref", "resh"),
    ("foc", "us"),
    ("macro", ""),
];

/// Whether a command, or a shortened one, only looks or steers.
pub(super) fn only_looks(word: &str) -> bool {
    LOOKS.iter().any(|(short, more)| {
        word.strip_prefix(short)
            .is_some_and(|rest| more.starts_with(rest))
    })
}

/// Whether an expression calls a function of the program, which may be one that runs commands.
pub(super) fn calls(expression: &str) -> bool {
    expression.match_indices('(').any(|(at, _)| {
        let before = expression.get(..at).unwrap_or("").trim_end();
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
            .map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or("");
        let harmless = name.is_empty() && !before.ends_with([')', ']', '}'])
            || name.starts_with("$_")
            || matches!(
                name,
                "sizeof" | "alignof" | "typeof" | "strlen" | "strcmp" | "if" | "while"
            );
        !harmless
    })
}
