//! The programs that run code of their project's language, and how they are given it.

use super::syntax::Family;

#[derive(Clone, Copy)]
pub(super) enum Language {
    Known(Family),
    /// Python with lines for a shell.
    IPython,
    /// A language in which words of the tool's own start programs: `sh "…"` of rake, `` $`…` `` of zx.
    Starting(Family),
    /// Not read: words that could start or write something are enough.
    Other,
}

pub(super) struct Row {
    pub(super) names: &'static [&'static str],
    /// The subcommands that run code; without any, the program itself does.
    pub(super) under: &'static [&'static str],
    /// Options whose value is code.
    pub(super) flags: &'static [&'static str],
    /// Options with another value.
    pub(super) values: &'static [&'static str],
    /// Options behind which a function and its arguments stand.
    pub(super) calls: &'static [&'static str],
    /// Whether the first operand is code or a script.
    pub(super) operand: bool,
    /// Options whose value is a script.
    pub(super) scripts: &'static [&'static str],
    /// Signs that start a program, where words do not.
    pub(super) starts: &'static [&'static str],
    /// An operand is code only where one of these is in it.
    pub(super) within: &'static [&'static str],
    /// Whether an operand in brackets is code.
    pub(super) forms: bool,
    /// Whether standard input is code; where operands may be code, only without any.
    pub(super) prompts: bool,
    /// Whether it is read also behind code on the command line.
    pub(super) goes_on: bool,
    pub(super) language: Language,
}

const NONE: Row = Row {
    names: &[],
    under: &[],
    flags: &[],
    values: &[],
    calls: &[],
    operand: false,
    scripts: &[],
    starts: &[],
    within: &[],
    forms: false,
    prompts: false,
    goes_on: false,
    language: Language::Other,
};

const PYTHON: Language = Language::Known(Family::Python);
const RUBY: Language = Language::Known(Family::Ruby);
const PHP: Language = Language::Known(Family::Php);

pub(super) const ROWS: &[Row] = &[
    Row {
        names: &["manage.py", "django-admin", "django-admin.py", "django"],
        under: &["shell", "shell_plus"],
        flags: &["-c", "--command"],
        values: &["-i", "--interface", "--settings", "--pythonpath"],
        prompts: true,
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["flask"],
        under: &["shell"],
        prompts: true,
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["scrapy"],
        under: &["shell"],
        flags: &["-c"],
        prompts: true,
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["sage"],
        flags: &["-c"],
        prompts: true,
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["bpython", "ptpython", "ptipython"],
        prompts: true,
        goes_on: true,
        language: Language::IPython,
        ..NONE
    },
    Row {
        names: &["ipython", "ipython3"],
        prompts: true,
        language: Language::IPython,
        ..NONE
    },
    Row {
        names: &["rails"],
        under: &["runner", "r"],
        values: &["-e", "--environment"],
        operand: true,
        language: RUBY,
        ..NONE
    },
    Row {
        names: &["rails"],
        under: &["console", "c"],
        prompts: true,
        language: RUBY,
        ..NONE
    },
    Row {
        names: &["pry"],
        flags: &["-e", "--exec"],
        values: &["-r", "-I", "--context"],
        prompts: true,
        goes_on: true,
        language: RUBY,
        ..NONE
    },
    Row {
        names: &["rake"],
        flags: &[
            "-e",
            "-E",
            "-p",
            "--execute",
            "--execute-continue",
            "--execute-print",
        ],
        values: &["-f", "--rakefile", "-r", "-I", "-R", "-C", "-j"],
        language: Language::Starting(Family::Ruby),
        ..NONE
    },
    Row {
        names: &["zx"],
        flags: &["-e", "--eval"],
        values: &[
            "--shell",
            "--prefix",
            "--postfix",
            "--cwd",
            "--ext",
            "--registry",
        ],
        operand: true,
        prompts: true,
        language: Language::Starting(Family::JavaScript),
        ..NONE
    },
    Row {
        names: &["nim"],
        under: &["e", "r"],
        operand: true,
        ..NONE
    },
    Row {
        names: &["babel-node"],
        flags: &["-e", "-p", "-pe", "--eval", "--print"],
        values: &["-r", "-x", "--config-file", "--presets", "--plugins"],
        language: Language::Known(Family::JavaScript),
        ..NONE
    },
    Row {
        names: &["artisan"],
        under: &["tinker"],
        flags: &["--execute"],
        prompts: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["psysh"],
        prompts: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["mix"],
        under: &["run"],
        flags: &["-e", "--eval"],
        values: &["-r", "--require"],
        ..NONE
    },
    Row {
        names: &["mix"],
        under: &["eval"],
        operand: true,
        ..NONE
    },
    Row {
        names: &["elixir", "iex"],
        flags: &["-e", "--eval"],
        ..NONE
    },
    Row {
        names: &["iex", "ghci"],
        prompts: true,
        goes_on: true,
        ..NONE
    },
    Row {
        names: &["cabal", "stack"],
        under: &["repl", "ghci", "v2-repl", "new-repl"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["stack"],
        under: &["ghc", "runghc", "runhaskell"],
        flags: &["-e"],
        ..NONE
    },
    Row {
        names: &["erl"],
        flags: &["-eval"],
        calls: &["-s", "-run"],
        ..NONE
    },
    Row {
        names: &["emacsclient"],
        flags: &["-e", "-eval", "--eval"],
        values: &["-s", "-f", "--socket-name", "--server-file"],
        ..NONE
    },
    Row {
        names: &["jrunscript", "jjs"],
        flags: &["-e"],
        values: &["-l", "-f", "-cp"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["slsh"],
        flags: &["-e"],
        ..NONE
    },
    Row {
        names: &["gimp", "gimp-console"],
        flags: &["-b", "--batch"],
        ..NONE
    },
    Row {
        names: &["latexmk"],
        flags: &["-e"],
        language: Language::Known(Family::Perl),
        ..NONE
    },
    Row {
        names: &["byebug", "rdbg"],
        prompts: true,
        language: RUBY,
        ..NONE
    },
    Row {
        names: &["matlab"],
        flags: &["-batch", "-r"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["scala-cli"],
        flags: &["-e", "--execute-script", "--script-snippet"],
        ..NONE
    },
    Row {
        names: &["rust-script", "evcxr", "irust"],
        flags: &["-e", "--expr", "--loop"],
        ..NONE
    },
    Row {
        names: &["evcxr", "irust", "swipl", "groovysh", "gosh", "csi", "gsi"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["swipl"],
        flags: &["-g", "-t"],
        ..NONE
    },
    Row {
        names: &["groovysh", "csharp", "hy", "gosh", "csi", "gsi", "coffee"],
        flags: &["-e", "-c", "--eval"],
        ..NONE
    },
    Row {
        names: &["bb", "nbb", "joker", "planck", "lumo"],
        flags: &["-e", "--eval"],
        forms: true,
        prompts: true,
        ..NONE
    },
    Row {
        names: &["v"],
        flags: &["-e"],
        ..NONE
    },
    Row {
        names: &["clisp", "ecl", "abcl", "ccl"],
        flags: &["-x", "-eval", "--eval", "-e"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["crystal"],
        under: &["eval"],
        operand: true,
        ..NONE
    },
    Row {
        names: &["dotnet-script"],
        under: &["eval"],
        operand: true,
        ..NONE
    },
    Row {
        names: &["dotnet"],
        under: &["fsi"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["lein"],
        under: &["eval"],
        operand: true,
        ..NONE
    },
    Row {
        names: &["lein"],
        flags: &["-e", "--eval"],
        ..NONE
    },
    Row {
        names: &["lein", "sbt"],
        under: &["repl", "console"],
        prompts: true,
        ..NONE
    },
    Row {
        names: &["wp"],
        under: &["eval"],
        operand: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["wp"],
        flags: &["--exec"],
        language: PHP,
        ..NONE
    },
    Row {
        names: &["wp"],
        under: &["shell"],
        prompts: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["drush"],
        under: &["php:eval", "php-eval", "eval", "ev"],
        operand: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["drush"],
        under: &["php:cli", "php-cli", "core:cli", "php"],
        prompts: true,
        language: PHP,
        ..NONE
    },
    Row {
        names: &["rebar3"],
        flags: &["--eval"],
        ..NONE
    },
    Row {
        names: &[
            "micropython",
            "jython",
            "graalpy",
            "graalpython",
            "ipy",
            "pyston",
            "coconut",
            "hython",
            "mayapy",
        ],
        flags: &["-c"],
        values: &["-X", "-W", "-m", "-O"],
        operand: true,
        prompts: true,
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["blender"],
        flags: &["--python-expr"],
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["freecadcmd", "FreeCADCmd"],
        flags: &["-c"],
        language: PYTHON,
        ..NONE
    },
    Row {
        names: &["mruby", "truffleruby"],
        flags: &["-e"],
        language: RUBY,
        ..NONE
    },
    Row {
        names: &["kotlinc", "kotlin"],
        flags: &["-e", "-expression"],
        values: &["-cp", "-classpath", "-d", "-jdk-home", "-P"],
        scripts: &["-script"],
        ..NONE
    },
    Row {
        names: &["dotnet"],
        under: &["fsi"],
        values: &["-r", "-I", "-d"],
        operand: true,
        ..NONE
    },
    Row {
        names: &[
            "utop", "amm", "sml", "gap", "mosml", "poly", "gforth", "forth", "pforth", "gprolog",
            "coqtop",
        ],
        operand: true,
        prompts: true,
        values: &["-init", "-I", "-p", "-h", "--predef", "-m"],
        ..NONE
    },
    Row {
        names: &["amm"],
        flags: &["-c", "--code"],
        starts: &["%(", "%%", "% '"],
        ..NONE
    },
    Row {
        names: &[
            "gforth",
            "forth",
            "chicken-csi",
            "csi",
            "newlisp",
            "mit-scheme",
            "scheme",
            "chibi-scheme",
            "chez",
            "kawa",
            "poly",
            "pike",
            "scilab",
            "scilab-cli",
            "gst",
            "txr",
            "jimsh",
            "gnuplot",
            "asy",
            "coqtop",
        ],
        flags: &["-e", "-c", "-p", "-P", "-eval", "--eval", "--evaluate"],
        ..NONE
    },
    Row {
        names: &["gprolog"],
        flags: &["--query-goal", "--init-goal", "--entry-goal"],
        ..NONE
    },
    Row {
        names: &["wolframscript", "math", "wolfram"],
        flags: &["-code", "-run", "-c"],
        starts: &["Run[", "RunProcess[", "StartProcess["],
        ..NONE
    },
    Row {
        names: &["maxima"],
        flags: &["--batch-string"],
        ..NONE
    },
    Row {
        names: &["nim"],
        flags: &["--eval"],
        ..NONE
    },
    Row {
        names: &[
            "lualatex",
            "luatex",
            "luahbtex",
            "luahblatex",
            "dvilualatex",
            "dviluatex",
            "lualatex-dev",
        ],
        operand: true,
        within: &[
            "\\directlua",
            "\\latelua",
            "\\luaexec",
            "\\luadirect",
            "\\luacode",
            "\\begin{luacode",
        ],
        ..NONE
    },
    Row {
        names: &[
            "tex",
            "latex",
            "pdftex",
            "pdflatex",
            "xetex",
            "xelatex",
            "lualatex",
            "luatex",
            "luahbtex",
            "etex",
            "dvilualatex",
            "platex",
            "uplatex",
        ],
        operand: true,
        within: &["\\write18", "\\ShellEscape", "\\input|", "\\input{|"],
        starts: &["\\write18", "\\ShellEscape", "\\input|", "\\input{|"],
        ..NONE
    },
];
