//! Programs handed to interpreters on standard input, with arguments behind the word that says so:
//! what they do decides, not the arguments.

use crate::place::Place;

/// How an interpreter is told to read standard input, a program that pushes, and one that only prints.
const INTERPRETERS: &[(&[&str], &str, &str)] = &[
    (
        &[
            "python3 -",
            "python3 -u -",
            "python3 -I -X utf8 -",
            "python3 -- -",
            "python3 /dev/stdin",
            "python3 -- /dev/fd/0",
            "python3 /proc/self/fd/0",
            "python3 -i -",
            "python -",
            "pypy3 -",
            "python3.12 -",
            "uv run -",
            "uv run python -",
            "poetry run python -",
        ],
        "import os; os.system(\"git push\")",
        "import sys; print(sys.argv[1:])",
    ),
    (
        &[
            "node -",
            "node -- -",
            "node --input-type=commonjs -",
            "node -r fs -",
            "node /dev/stdin",
            "tsx -",
            "ts-node -T -",
            "bun -",
            "bun run -",
            "deno run -A -",
        ],
        "require(\"child_process\").execSync(\"git push\")",
        "console.log(process.argv.slice(2))",
    ),
    (
        &["perl -", "perl -w -", "perl -- -", "perl /dev/stdin"],
        "system(\"git push\")",
        "print \"@ARGV\\n\"",
    ),
    (
        &[
            "ruby -",
            "ruby -w -",
            "ruby -- -",
            "ruby /dev/stdin",
            "jruby -",
        ],
        "system(\"git push\")",
        "puts ARGV.inspect",
    ),
    (
        &[
            "php --",
            "php -",
            "php -n --",
            "php -d a=b --",
            "php -f -",
            "php -f /dev/stdin --",
        ],
        "<?php system(\"git push\");",
        "<?php echo $argv[1];",
    ),
    (
        &[
            "lua -",
            "lua -W -",
            "luajit -",
            "lua5.4 -",
            "lua /dev/stdin",
            "texlua -",
        ],
        "os.execute(\"git push\")",
        "print(arg[1])",
    ),
    (
        &[
            "Rscript -",
            "Rscript --vanilla -",
            "R --vanilla --args",
            "R --no-save -f - --args",
            "R --file=- --args",
            "R -",
        ],
        "system(\"git push\")",
        "cat(commandArgs(TRUE))",
    ),
    (
        &["julia -", "julia --project=. -"],
        "run(Cmd([\"git\", \"push\"]))",
        "println(ARGS)",
    ),
    (
        &[
            "tclsh -",
            "tclsh --",
            "tclsh -x",
            "wish -",
            "expect -",
            "expect -f -",
            "expect -b -",
        ],
        "exec git push",
        "puts hello",
    ),
    (
        &["guile -", "guile -s /dev/stdin", "racket -", "clojure -"],
        "(system \"git push\")",
        "(display 1)",
    ),
    (
        &["elixir -"],
        "System.cmd(\"git\", [\"push\"])",
        "IO.puts(1)",
    ),
    (
        &["ocaml -stdin", "ocaml -"],
        "Sys.command \"git push\"",
        "print_int 1",
    ),
    (
        &["groovy -", "jshell -", "scala -"],
        "Runtime.getRuntime().exec(\"git push\")",
        "println(1)",
    ),
    (
        &[
            "bash -s",
            "bash -s --",
            "bash /dev/stdin",
            "bash -x /dev/fd/0",
            "sh -s -",
            "dash -s",
            "zsh -s",
            "ksh -s",
            "fish /dev/stdin",
        ],
        "git push",
        "echo hello",
    ),
];

/// Arguments that are harmless behind a program, whatever they name.
const ARGUMENTS: &[&str] = &[
    "a",
    "README.md src/lib.rs",
    "--flag",
    "-x -- y",
    "/etc/hosts",
    "\"$V\"",
    "\"$(git rev-parse HEAD)\"",
    "src/*.rs",
];

/// The call with the program fed in one of the ways there are.
fn fed(call: &str, arguments: &str, code: &str, way: usize) -> String {
    match way {
        0 => format!("{call} {arguments} <<'END'\n{code}\nEND"),
        1 => format!("{call} <<'END' {arguments}\n{code}\nEND"),
        2 => format!("cat <<'END' | {call} {arguments}\n{code}\nEND"),
        3 => format!("echo '{code}' | {call} {arguments}"),
        4 => format!("printf '%s\\n' '{code}' | env {call} {arguments}"),
        5 => format!("{call} {arguments} <<< '{code}'"),
        _ => format!("echo '{code}' > in.txt; {call} {arguments} < in.txt"),
    }
}

/// Asks about every interpreter with every argument, in the first so many ways of feeding it.
fn asked(
    role: &str,
    expect: &str,
    ways: usize,
    program: impl Fn(&(&[&str], &'static str, &'static str)) -> &'static str,
) {
    // The last way writes a file, which not every role may.
    let place = Place::new();
    let mut wrong = Vec::new();
    for row in INTERPRETERS {
        for (number, call) in row.0.iter().enumerate() {
            for (turn, arguments) in ARGUMENTS.iter().enumerate() {
                let command = fed(call, arguments, program(row), (number + turn) % ways);
                let (decision, reason) = place.bash(role, &command);
                if decision != expect {
                    wrong.push(format!("{decision}: {command} ({reason})"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_forbidden_program_on_standard_input_stays_forbidden_with_arguments() {
    asked("builder", "block", 7, |row| row.1);
}

#[test]
fn a_harmless_program_on_standard_input_stays_harmless_with_arguments() {
    asked("builder", "allow", 7, |row| row.2);
}

#[test]
fn a_harmless_program_on_standard_input_is_harmless_for_those_who_only_read() {
    asked("scout", "allow", 6, |row| row.2);
}
