//! Files that a source brings in where it stands: `#include`, `include_str!`, `.incbin`, `\input`.
//!
//! Who compiles, preprocesses or sets a text reads them, and shows them or puts them into what it makes. Looked for in
//! what such a program is given on its input, and in sources that this very command has written.

use super::compilers::is_tool_name;
use super::sources;
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// How a language says that a file is brought in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `#include "x"`, `#embed <x>`, `asm(".incbin \"x\"")`
    C,
    /// `include_str!("x")`
    Rust,
    /// `.include "x"`, `%include "x"`, `incbin "x"`
    Assembler,
    /// `include 'x'`, and what the preprocessor knows
    Fortran,
    /// `include(x)`
    Macros,
    /// `.so x`
    Roff,
    /// `\input{x}`
    Tex,
    /// `include::x[]`
    Markup,
    /// `@embedFile("x")`, `importstr 'x'`, `staticRead("x")`
    Called,
}

/// What a program reads from its input, where it sets or compiles it.
fn read_by(name: &str) -> Option<Syntax> {
    Some(match name {
        "rustc" | "rustdoc" | "clippy-driver" => Syntax::Rust,
        "as" | "gas" | "nasm" | "yasm" | "fasm" | "llvm-mc" => Syntax::Assembler,
        "gfortran" | "ifort" | "ifx" | "flang" | "f77" | "f95" => Syntax::Fortran,
        "m4" | "gm4" => Syntax::Macros,
        "groff" | "troff" | "nroff" | "gtroff" | "soelim" | "mandoc" => Syntax::Roff,
        "tex" | "latex" | "pdftex" | "pdflatex" | "xetex" | "xelatex" | "luatex" | "lualatex"
        | "tectonic" | "context" | "latexmk" => Syntax::Tex,
        "asciidoctor" | "asciidoc" | "rst2html" | "rst2html5" | "docutils" | "pandoc" => {
            Syntax::Markup
        }
        "zig" | "nim" | "jsonnet" | "go-jsonnet" | "jrsonnet" | "swiftc" | "dmd" | "ldc2"
        | "rdmd" | "dhall" => Syntax::Called,
        "nvcc" | "cpp" | "clang-cpp" | "mcpp" | "icx" | "icpx" | "tcc" | "c89" | "c99"
        | "cling" => Syntax::C,
        "cargo" | "ar" | "nm" | "ranlib" | "strip" => return None,
        _ if !name.is_empty() && is_tool_name(name) => Syntax::C,
        _ => return None,
    })
}

/// What is in a file that this command wrote, by its ending.
fn written_in(ending: &str) -> Option<Syntax> {
    Some(match ending {
        "rs" => Syntax::Rust,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "m" | "mm" | "cu" | "inc" => Syntax::C,
        "s" | "S" | "asm" | "nasm" => Syntax::Assembler,
        "f" | "F" | "f90" | "F90" | "f95" => Syntax::Fortran,
        "m4" => Syntax::Macros,
        "tex" | "sty" | "cls" => Syntax::Tex,
        "zig" | "nim" | "jsonnet" | "libsonnet" => Syntax::Called,
        _ => return None,
    })
}

/// The words behind which a file is named.
fn words(syntax: Syntax) -> &'static [&'static str] {
    match syntax {
        Syntax::C => &[
            "include",
            "include_next",
            "import",
            "embed",
            ".incbin",
            ".include",
        ],
        Syntax::Rust => &["include_str!", "include_bytes!", "include!"],
        Syntax::Assembler => &[".incbin", ".include", "include", "incbin"],
        Syntax::Fortran => &["include"],
        Syntax::Macros => &["include", "sinclude", "undivert"],
        Syntax::Roff => &[".so", ".mso", ".soquiet", ".psbb", ".cf", ".trf"],
        Syntax::Tex => &[
            "\\input",
            "\\include",
            "\\verbatiminput",
            "\\lstinputlisting",
            "\\openin",
            "\\inputminted",
            "\\includegraphics",
        ],
        Syntax::Markup => &[
            "include::",
            "include-code::",
            ":file:",
            "\\input",
            "literalinclude::",
        ],
        Syntax::Called => &[
            "@embedFile",
            "staticRead",
            "slurp",
            "importstr",
            "importbin",
            "import",
        ],
    }
}

/// Refuses a program that would bring a file of credentials into what it makes.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let first = call.args().first().map_or("", String::as_str);
    let name = match name {
        "zig" if matches!(first, "cc" | "c++") => "cc",
        "ccache" | "sccache" | "distcc" => first,
        _ => name,
    };
    if let Some(syntax) = read_by(name) {
        let given = call.stdin.as_deref().unwrap_or("");
        read(w, files(given, syntax), st)?;
        // Macros are set on the command line, too, and TeX takes its text there.
        for arg in call.args() {
            let defined = arg.strip_prefix("-D").and_then(|arg| arg.split_once('='));
            let told = match defined {
                Some((_, value)) => quoted(value),
                None if syntax == Syntax::Tex => files(arg, syntax),
                None => attached(arg).map(str::to_owned).into_iter().collect(),
            };
            for file in told {
                w.read_path(&file, st)?;
            }
        }
    }
    if w.written.is_empty() || read_by(name).is_none() && !crate::rules::build::is_builder(name) {
        return Ok(());
    }
    let mut found = Vec::new();
    for (path, code) in &w.written {
        let ending = path.extension().and_then(|end| end.to_str()).unwrap_or("");
        if let (Some(syntax), Some(code)) = (written_in(ending), code)
            && words(syntax).iter().any(|word| code.contains(word))
        {
            found.extend(files_of_source(code, ending, syntax));
        }
    }
    read(w, found, st)
}

/// Of more files than this only those are looked at whose names say that they may lie elsewhere.
const MANY: usize = 64;

fn read(w: &mut Walker<'_>, mut files: Vec<String>, st: &State) -> Judged<()> {
    files.sort_unstable();
    files.dedup();
    if files.len() > MANY {
        files.retain(|file| file.starts_with(['/', '~']) || file.contains(".."));
    }
    w.charge(files.len())?;
    files.iter().try_for_each(|file| w.read_path(file, st))
}

/// A file whose name follows an option at once: `-include/root/x`.
fn attached(arg: &str) -> Option<&str> {
    [
        "-include",
        "-imacros",
        "--include=",
        "-isystem",
        "-idirafter",
        "-iquote",
    ]
    .iter()
    .find_map(|option| arg.strip_prefix(option))
    .filter(|path| !path.is_empty())
}

/// The files that a source in a file brings in: what its comments and texts say does not count.
fn files_of_source(code: &str, ending: &str, syntax: Syntax) -> Vec<String> {
    let Some(source) = sources::taken_apart(code, ending) else {
        return files(code, syntax);
    };
    let brings = |text: &str| words(syntax).iter().any(|word| text.contains(word));
    if syntax == Syntax::Rust && !brings(&source.code) {
        return Vec::new();
    }
    files(&source.spoken, syntax)
}

/// The files that a text brings in.
fn files(text: &str, syntax: Syntax) -> Vec<String> {
    let mut files = Vec::new();
    let mut by_macro = false;
    for line in text.lines() {
        let start = line.trim_start();
        let directive = ["#", "%:", "??=", "%"]
            .iter()
            .find_map(|sign| start.strip_prefix(sign))
            .map(str::trim_start);
        for word in words(syntax) {
            // Only behind a sign of its own this is a directive of the preprocessor.
            let signed = matches!(syntax, Syntax::C) && !word.starts_with('.');
            let place = if signed { directive } else { Some(line) };
            let Some(behind) = place.and_then(|line| behind(line, word, signed)) else {
                continue;
            };
            let named = operand(behind, syntax);
            by_macro |= signed && named.is_empty();
            files.extend(named);
        }
        if syntax == Syntax::Fortran
            && let Some(rest) = directive.and_then(|line| line.strip_prefix("include"))
        {
            files.extend(operand(rest, syntax));
        }
    }
    // `#include NAME`: what the name stands for is one of the texts.
    if by_macro {
        files.extend(text.lines().flat_map(quoted));
    }
    files
}

/// What stands behind a word on a line: at its beginning, or wherever it is.
fn behind<'a>(line: &'a str, word: &str, first: bool) -> Option<&'a str> {
    if first {
        let rest = line.strip_prefix(word)?;
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        return ends.then_some(rest);
    }
    line.split_once(word).map(|(_, rest)| rest)
}

/// The file named there, which may be put together from several texts: `concat!(env!("HOME"), "/x")`.
fn operand(behind: &str, syntax: Syntax) -> Vec<String> {
    if syntax == Syntax::Rust && behind.contains("!(") {
        let texts = quoted(&behind.replace("env!(\"HOME\")", &format!("\"{}\"", text::HOME)));
        return vec![texts.concat()];
    }
    // `\lstinputlisting[options]{x}`
    let behind = behind
        .split_once(']')
        .filter(|_| syntax == Syntax::Tex)
        .map_or(behind, |(_, rest)| rest);
    let opening = |c: char| c.is_whitespace() || "\"'<({`\\r#=".contains(c);
    if matches!(syntax, Syntax::C) && !behind.trim_start().starts_with(['"', '<', '\\']) {
        return Vec::new();
    }
    let name = behind.trim_start_matches(opening);
    let closing = |c: char| c.is_whitespace() || "\"'>)}`\\,[;".contains(c);
    let name = name.split(closing).next().unwrap_or("");
    if name.is_empty() {
        Vec::new()
    } else {
        vec![name.to_owned()]
    }
}

/// The texts in double quotes.
fn quoted(text: &str) -> Vec<String> {
    let inner = text.split('"').skip(1).step_by(2);
    inner
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}
