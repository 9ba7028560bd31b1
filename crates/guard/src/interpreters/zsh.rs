//! What zsh reads otherwise than the other shells, where that could run or write something unseen.

/// Marks that only zsh understands, by what may follow from them.
const MARKS: &[&str] = &[
    // Clobbers, where other shells see a file of that name.
    ">!",
    ">>!",
    ">&!",
    "&>!",
    // Flags and other kinds of expansion.
    "${(",
    "${=",
    "${~",
    "${^",
    "$=",
    "$~",
    "$^",
    // Modules give files, sockets and functions as variables.
    "zmodload",
    "mapfile[",
    "functions[",
    "aliases[",
    "galiases[",
    "saliases[",
    "commands[",
    "alias -g",
    "alias -s",
    "print -z",
    "sched ",
    "repeat ",
    "noglob ",
    "nocorrect ",
    "set -A",
    "emulate ",
    "precmd",
    "preexec",
    "chpwd",
    "zshexit",
    "add-zsh-hook",
    "zargs",
    "zmv",
    "autoload",
    " =(",
];

/// Bytes of a pattern's qualifiers that are looked at.
const LONGEST: usize = 200;
/// Lists of words in one script; each is looked for in the rest of it.
const MOST_LISTS: usize = 32;

/// The part of a zsh script that other shells would read differently, when there is one.
pub(super) fn misread(code: &str) -> Option<&'static str> {
    if let Some(mark) = MARKS.iter().find(|mark| code.contains(**mark)) {
        return Some(mark);
    }
    // `*(e:code:)` and `*(+function)` run code for each name that matches.
    // Each closing sign is looked for once, also where many brackets open before it.
    let mut closed = 0;
    let qualifies = code.match_indices('(').any(|(at, _)| {
        let before = code.get(..at).unwrap_or("").chars().next_back();
        if !before.is_some_and(|c| !c.is_whitespace() && !"$<>=(;&|\"'".contains(c)) {
            return false;
        }
        if closed <= at {
            let rest = code.get(at..).unwrap_or("");
            closed = rest.find(')').map_or(code.len(), |end| at + end);
        }
        // One that is too long to look through may hold anything.
        closed - at > LONGEST
            || code
                .get(at + 1..closed)
                .is_some_and(|inner| inner.contains(['e', '+']))
    });
    if qualifies {
        return Some("a pattern with code");
    }
    // `c=(git push); $c`: the name stands for every word of the list.
    if code.matches("=(").count() > MOST_LISTS {
        return Some("a long row of lists");
    }
    let listed = code.match_indices("=(").any(|(at, _)| {
        let before = code.get(..at).unwrap_or("");
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or("").trim_end_matches('+');
        !name.is_empty()
            && (code.contains(&format!("${name}")) || code.contains(&format!("${{{name}}}")))
    });
    listed.then_some("a list used by its name")
}
