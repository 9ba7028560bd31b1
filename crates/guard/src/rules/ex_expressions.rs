//! Expressions and settings of Vim: which functions only compute, and which options only change how a text is shown.

/// Functions of the editor that compute, or work on the text.
const FUNCTIONS: &[&str] = &[
    "abs",
    "append",
    "appendbufline",
    "bufname",
    "bufnr",
    "byteidx",
    "ceil",
    "char2nr",
    "col",
    "count",
    "cursor",
    "deletebufline",
    "empty",
    "escape",
    "executable",
    "exists",
    "expand",
    "extend",
    "filereadable",
    "float2nr",
    "floor",
    "fnameescape",
    "fnamemodify",
    "get",
    "getcwd",
    "getline",
    "getpos",
    "has",
    "has_key",
    "indent",
    "insert",
    "isdirectory",
    "items",
    "join",
    "json_decode",
    "json_encode",
    "keys",
    "len",
    "line",
    "localtime",
    "match",
    "matchend",
    "matchlist",
    "matchstr",
    "max",
    "min",
    "nextnonblank",
    "nr2char",
    "pow",
    "prevnonblank",
    "printf",
    "range",
    "repeat",
    "reverse",
    "round",
    "search",
    "searchpair",
    "searchpos",
    "setline",
    "setpos",
    "shellescape",
    "split",
    "sqrt",
    "str2float",
    "str2nr",
    "strcharpart",
    "strchars",
    "strftime",
    "stridx",
    "string",
    "strlen",
    "strpart",
    "strridx",
    "strwidth",
    "submatch",
    "tolower",
    "toupper",
    "tr",
    "trim",
    "trunc",
    "type",
    "uniq",
    "values",
    "virtcol",
    "visualmode",
    "wordcount",
];

/// Whether an expression calls nothing but functions known to be harmless.
pub(super) fn only_computes(expression: &str) -> bool {
    if expression.contains('`') {
        return false;
    }
    expression.match_indices('(').all(|(at, _)| {
        let before = expression.get(..at).unwrap_or("");
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#')))
            .map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or("");
        // A bracket behind a value calls it; `..` puts texts together.
        let name = name.rsplit("..").next().unwrap_or(name);
        if name.is_empty() {
            return !before.trim_end().ends_with([')', ']', '}', '"', '\'']);
        }
        FUNCTIONS.contains(&name)
    })
}

/// Options that take text and only change how the text of a file is shown, read or kept.
const OPTIONS: &[&str] = &[
    "ff",
    "fileformat",
    "ffs",
    "fileformats",
    "enc",
    "encoding",
    "fenc",
    "fileencoding",
    "fencs",
    "fileencodings",
    "ft",
    "filetype",
    "syn",
    "syntax",
    "nf",
    "nrformats",
    "fo",
    "formatoptions",
    "cpo",
    "cpoptions",
    "shm",
    "shortmess",
    "bs",
    "backspace",
    "ww",
    "whichwrap",
    "mouse",
    "cb",
    "clipboard",
    "lcs",
    "listchars",
    "fcs",
    "fillchars",
    "com",
    "comments",
    "cms",
    "commentstring",
    "mps",
    "matchpairs",
    "isk",
    "iskeyword",
    "cino",
    "cinoptions",
    "cink",
    "cinkeys",
    "cot",
    "completeopt",
    "dip",
    "diffopt",
    "fdm",
    "foldmethod",
    "sel",
    "selection",
    "ve",
    "virtualedit",
    "tc",
    "tagcase",
    "bg",
    "background",
    "tenc",
    "termencoding",
    "bo",
    "belloff",
    "t_Co",
    "term",
    "ssop",
    "nu",
    "spl",
    "spelllang",
    "hl",
    "wim",
    "wildmode",
    "ul",
    "cc",
    "colorcolumn",
    "ts",
    "sw",
    "sts",
    "tw",
];

/// Whether one setting is harmless: a switch, a number, or text for an option that names no file or code.
pub(super) fn is_harmless_setting(setting: &str) -> bool {
    let end = setting
        .find(['=', ':', '^', '+', '-'])
        .unwrap_or(setting.len());
    let (name, value) = setting.split_at(end);
    let value = value.trim_start_matches(['=', ':', '^', '+', '-']);
    if value.is_empty() {
        let switch = name.trim_end_matches(['!', '?', '&']);
        return !matches!(switch, "ex" | "exrc" | "acd" | "autochdir");
    }
    value.bytes().all(|c| c.is_ascii_digit()) || OPTIONS.contains(&name)
}
