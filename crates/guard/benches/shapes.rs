//! How long one judgement takes at most: texts of 100 kB made of one small piece, for every role. A hook waits for it.
//!
//! `cargo bench -p grove-guard` prints the slowest; more than 5 ms on a quiet machine is too much.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use grove_guard::{Policy, effort};

const SIZE: usize = 100_000;
const ROLES: [&str; 5] = ["builder", "reviewer", "lead", "coordinator", "unknown"];
/// The best of so many counts: the rest is what else runs on the machine.
const RUNS: usize = 3;
const SHOWN: usize = 25;

const SHELL: &[&str] = &[
    "ls;",
    "ls & ",
    "(ls);",
    "a|",
    "a && ",
    ">a ",
    "2>&1 ",
    "a=1;",
    "x=$x$x;",
    "A=1 ls;",
    "trap 'ls' EXIT;",
    "echo $(a);",
    "echo `a`;",
    "`a` ",
    "`",
    "if a; then b; fi;",
    "case a in a) ls;; esac;",
    "cd a;",
    "[ -f a ];",
    "f() { f; };",
    "f(){ f|f& };",
    "mkdir a;",
    "eval ls;",
    "eval 'eval ls';",
    "eval \"eval 'eval ls'\";",
    "eval ",
    "eval '",
    "bash -c ls;",
    "bash -c 'bash -c ls';",
    "xargs ls;",
    "a ",
    "{a,b} ",
    "{a,b}",
    "{a,",
    "{a..z}{a..z}",
    "{1..99999} ",
    "*",
    "(",
    "$(",
    "{ ",
    "((",
    "$((",
    "${a:-",
    "${a} ",
    "$a",
    "$a ",
    "${a}",
    "\"$(",
    "\"$a\" ",
    "[[",
    "<<E ",
    "<<E\n",
    "<(a) ",
    "case x in ",
    "\\",
    "\\\n",
    "'",
    "\"",
    "\"a\" ",
    "'a' ",
    "$'\\x41'",
    "$'\\x41' ",
    "~",
    "~/ ",
    "#",
    "# a\n",
    "\n",
    ";",
    "&",
    "!",
    "!(",
    "@(a|",
    "${x//",
    "${x//a/b}",
    "a=(",
    "a=(1 2);",
    "for i in ",
    "for i in a b; do ls; done;",
    "while ",
    "while a; do b; done;",
    "?",
    "[a-z]",
    "[!",
    "\u{e9}",
    "\u{1F600}",
    "env ",
    "env a;",
    "sudo ",
    "sudo a;",
    "time ",
    "../",
    "a/../",
    "./",
    "/",
    "rm a;",
    "cat a;",
    "git status;",
    "git commit -m a;",
    "git -C a log;",
    "find . -name a;",
    "sed -n 1p a;",
    "awk '{print}' a;",
    "python3 -c 'a';",
    "node -e 'a';",
    "perl -e 'a';",
    "echo a > b;",
    "cat <<E\na\nE\n",
    "touch a$(ls);",
    "x=$(ls);",
    "x=`ls`;",
    "export a=b;",
    "alias a=b;",
    "read a;",
    "printf a;",
    "test -f a;",
    "source a;",
    ". a;",
    "$((a+1)) ",
    "a+=b;",
    "echo ${a#b};",
    "echo ${a:1:2};",
    "set -- a;",
    "shift;",
    "local a;",
    "return;",
    "exec a;",
    "nohup a;",
];

const CODE: &[&str] = &[
    "f(a, 1)\n",
    "x = 'a' + 'b'\n",
    "x.append(1)\n",
    "open('a','w')\n",
    "f();\n",
    "x = [1, 2];\n",
    "x.push(1);\n",
    "a.b.c.d();\n",
    "push @x, 1;\n",
    "$x = 'a' . 'b';\n",
    "m/a/;\n",
    "qw(a b) ",
    "qw(a b);\n",
    "@x = qw(a b);\n",
    "qw a",
    "q(a);",
    "qq{a};",
    "x << 1\n",
    "x.each { |y| y }\n",
    "`ls`\n",
    "`ls` ",
    "`",
    "eval 'a'\n",
    "eval(\"a\")\n",
    "eval(\"eval('a')\")\n",
    "eval { a };\n",
    "eval eval ",
    "eval(",
    "exec('a')\n",
    "system('a')\n",
    "system \"a\";\n",
    "%w[a b] ",
    "%w(a b)\n",
    "%x(a) ",
    "\"#{a}\" ",
    "\"#{`a`}\" ",
    "f\"{a}\" ",
    "${a} ",
    "`${a}` ",
    "\"$a\" ",
    "\"a\" ",
    "'a' ",
    "\"\"\"a\"\"\" ",
    "<<A\na\nA\n",
    "<<E\n",
    "/a/ ",
    "s/a/b/;\n",
    "tr/a/b/;\n",
    "(",
    "[",
    "{",
    "()",
    "[1]",
    "{a: 1}",
    "a ",
    "a,",
    "1 ",
    "+",
    "a+",
    "a=a\n",
    "a=a+a\n",
    "a.a",
    "a[0]",
    "import a\n",
    "require 'a'\n",
    "def f(): f()\n",
    "def f; f; end\n",
    "function f(){f()}\n",
    "sub f { f() }\n",
    "x => x,",
    "lambda: 1,",
    "if a: b\n",
    "for x in y: z\n",
    "# a\n",
    "// a\n",
    "/* a */",
    "\n",
    "\\",
    "$",
    "@",
    "@{",
    "$$",
    "${",
    "#{",
    "print a\n",
    "{print}",
    "{print|\"a\"}",
    "{system(\"a\")}",
    "{c=\"a\";c|getline}",
    "$_=`a`;\n",
    "print `a`;",
    "open(F,'a');\n",
    "<a> ",
];

const INTERPRETERS: &[&str] = &["python3", "node", "perl", "ruby", "php", "awk"];

fn commands() -> Vec<(String, String)> {
    let filled = |unit: &str| unit.repeat(SIZE / unit.len());
    let mut all = Vec::new();
    for unit in SHELL {
        all.push((format!("{unit:?}"), filled(unit)));
        all.push((
            format!("bash <<E {unit:?}"),
            format!("bash <<'E'\n{}\nE", filled(unit)),
        ));
        for head in ["eval ", "bash -c ", "echo ", "x=", "rm "] {
            all.push((format!("{head}{unit:?}"), format!("{head}{}", filled(unit))));
        }
        let quoted = filled(unit).replace('\'', "");
        all.push((format!("eval '{unit:?}'"), format!("eval '{quoted}'")));
        all.push((
            format!("eval eval {unit:?}"),
            format!("eval eval eval \"eval '{quoted}'\""),
        ));
    }
    for unit in CODE {
        for interpreter in INTERPRETERS {
            if *interpreter != "awk" {
                let text = format!("{interpreter} <<'E'\n{}\nE", filled(unit));
                all.push((format!("{interpreter} <<E {unit:?}"), text));
            }
            let option = match *interpreter {
                "python3" => "-c ",
                "awk" => "",
                "php" => "-r ",
                _ => "-e ",
            };
            let code = filled(unit).replace('\'', "");
            let text = format!("{interpreter} {option}'{code}'");
            all.push((format!("{interpreter} {option}{unit:?}"), text));
        }
    }
    all.extend(single());
    all
}

fn single() -> Vec<(String, String)> {
    let x = "x".repeat(4_000);
    let stars = |count: usize| "a*".repeat(count);
    vec![
        (
            "cut by many stars".to_owned(),
            format!("x={x}; echo ${{x%{}}}", stars(40_000)),
        ),
        (
            "cut by stars".to_owned(),
            format!("x={x}; echo ${{x##{}b}}", stars(1_500)),
        ),
        (
            "cuts".to_owned(),
            format!("x={x}; {}", "y=${x%%*a*a*b};".repeat(5_000)),
        ),
        (
            "names of stars".to_owned(),
            format!("rm {}", format!("{} ", stars(100)).repeat(500)),
        ),
        (
            "names of stars below".to_owned(),
            format!("rm {}", "*/".repeat(50_000)),
        ),
        (
            "hole".to_owned(),
            format!("ruby -e '\"#{{{}}}\"'", "a;".repeat(50_000)),
        ),
    ]
}

fn policy(capability: &str) -> Policy {
    Policy {
        agent: "a".to_owned(),
        capability: capability.to_owned(),
        worktree: PathBuf::from("/w/x"),
        root: PathBuf::from("/w"),
        temp: None,
        quality_gates: vec!["cargo test".to_owned()],
        task_id: None,
        allow: Vec::new(),
        block: vec!["make deploy*".to_owned()],
    }
}

fn time(policy: &Policy, command: &str) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(effort(policy, command));
        begun.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn main() -> io::Result<()> {
    let policies = ROLES.map(policy);
    let commands = commands();
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for (name, command) in &commands {
        for policy in &policies {
            let took = time(policy, command);
            slowest.push((took, format!("{} {name}", policy.capability)));
        }
    }
    slowest.sort_by(|a, b| b.cmp(a));
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} shapes, {} roles, {} kB each; best of {RUNS}",
        commands.len(),
        ROLES.len(),
        SIZE / 1000
    )?;
    for (took, name) in slowest.iter().take(SHOWN) {
        writeln!(out, "{:8.3} ms  {name}", took.as_secs_f64() * 1000.0)?;
    }
    Ok(())
}
