//! Commands that stand on the command line of a tool that is no wrapper: `npm run env -- …`, `mix cmd …`,
//! `mvn exec:exec -Dexec.executable=…`, `bazel run --run_under=…`.
//!
//! Finds them only. A command is judged as itself, whoever starts it.

use super::carried::values;
use super::options::{operand_at, rest_of};
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::is_dangerous_name;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// A command that a tool is given.
enum Given {
    Words(Vec<String>),
    /// Shell text.
    Text(String),
}

impl Walker<'_> {
    /// Judges the commands that a tool is given to run.
    pub(crate) fn given_commands(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        let name = name.rsplit('/').next().unwrap_or(name);
        for given in of_tool(name, call.args())
            .into_iter()
            .chain(of_shell(name, call))
        {
            match given {
                Given::Words(words) => self.separate(call, words, st)?,
                Given::Text(text) => self.script(&text, &mut st.for_program())?,
            };
        }
        Ok(())
    }
}

fn of_tool(name: &str, args: &[String]) -> Vec<Given> {
    let words = match name {
        "npm" => behind(
            args,
            &["run", "run-script", "rum", "urn"],
            "wC",
            &["--workspace", "--prefix"],
        )
        .filter(|rest| rest.first().is_some_and(|script| script == "env"))
        .map(|rest| command(rest.get(1..).unwrap_or_default())),
        "bun" | "yarn" => behind(args, &["run"], "crF", BUN)
            .map(command)
            .filter(|rest| rest.first().is_some_and(|word| is_dangerous_name(word))),
        // Where the project has no script of that name, the program is run.
        "pnpm" => Some(command(args)).filter(|rest| {
            let word = rest.first().map_or("", String::as_str);
            word != "rm" && is_dangerous_name(word)
        }),
        "composer" => behind(args, &["exec"], "d", &["--working-dir"]).map(command),
        "meson" if args.first().is_some_and(|sub| sub == "devenv") => {
            let rest = rest_of(args, 1);
            let at = operand_at(&rest, "Cw", &["--workdir", "--dump-format"]);
            Some(rest_of(&rest, at))
        }
        "ctest" => {
            let at = args.iter().position(|arg| arg == "--test-command");
            at.map(|at| rest_of(args, at + 1))
        }
        "symfony" => match args.split_first() {
            Some((sub, _)) if sub == "php" => Some(args.to_vec()),
            Some((sub, rest)) if sub == "run" => Some(command(rest)),
            Some(_) | None => None,
        },
        _ => None,
    };
    let texts = match name {
        "mix" => mix(args),
        "mvn" | "mvnw" => maven(args).into_iter().collect(),
        // A label of the project is a program of it.
        "bazel" | "bazelisk" | "buck2" => values(args, &["--run_under"])
            .into_iter()
            .filter(|value| !value.starts_with(['/', ':', '@']))
            .map(|value| format!("{value} ./program"))
            .collect(),
        _ => Vec::new(),
    };
    let texts = texts.into_iter().map(Given::Text);
    words.map(Given::Words).into_iter().chain(texts).collect()
}

/// Options of `bun` with a value in the next word.
const BUN: &[&str] = &[
    "--cwd",
    "--env-file",
    "--preload",
    "--filter",
    "--config",
    "--shell",
    "--elide-lines",
];

/// The words behind a subcommand, when only options stand before it.
fn behind<'a>(
    args: &'a [String],
    subs: &[&str],
    short: &str,
    long: &[&str],
) -> Option<&'a [String]> {
    let at = operand_at(args, short, long);
    let sub = args.get(at).filter(|sub| subs.contains(&sub.as_str()));
    let rest = sub.and(args.get(at + 1..))?;
    let at = rest
        .iter()
        .position(|arg| arg == "--" || !arg.starts_with('-'));
    at.and_then(|at| rest.get(at..))
}

/// A command without the options and dashes before it.
fn command(words: &[String]) -> Vec<String> {
    words
        .iter()
        .skip_while(|word| word.starts_with('-'))
        .cloned()
        .collect()
}

/// `mix cmd …`, also as one of several tasks of `mix do a, b + c`.
fn mix(args: &[String]) -> Vec<String> {
    let Some((task, rest)) = args.split_first() else {
        return Vec::new();
    };
    match task.as_str() {
        "cmd" => {
            let at = operand_at(rest, "", &["--app", "--cd"]);
            vec![rest_of(rest, at).join(" ")]
        }
        "do" => {
            let mut tasks: Vec<Vec<String>> = vec![Vec::new()];
            for word in rest {
                let plain = word.trim_end_matches(',');
                let ends = plain.len() < word.len() || word == "+";
                if word != "+"
                    && !plain.is_empty()
                    && let Some(last) = tasks.last_mut()
                {
                    last.push(plain.to_owned());
                }
                if ends {
                    tasks.push(Vec::new());
                }
            }
            tasks
                .iter()
                .filter(|task| task.first().is_some_and(|name| name == "cmd"))
                .flat_map(|task| mix(task))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// `mvn exec:exec -Dexec.executable=program -Dexec.args='words'`
fn maven(args: &[String]) -> Option<String> {
    let is_goal = |arg: &String| {
        let goal = arg.split('@').next().unwrap_or(arg);
        goal.ends_with(":exec") && goal.contains("exec")
    };
    if !args.iter().any(is_goal) {
        return None;
    }
    let given = |name: &str| {
        values(args, &["-D"]).into_iter().find_map(|setting| {
            let (key, value) = setting.split_once('=')?;
            (key == name).then(|| value.to_owned())
        })
    };
    let program = given("exec.executable")?;
    let words = given("exec.args").or_else(|| given("exec.commandlineArgs"));
    Some(format!("{program} {}", words.unwrap_or_default()))
}

/// Clients of databases that a framework starts, which hand lines of their input to a shell.
fn of_shell(name: &str, call: &Call) -> Vec<Given> {
    let asks = |word: &str| call.args().iter().any(|arg| arg == word);
    let starts = match name {
        "rails" => asks("db") || asks("dbconsole"),
        "artisan" => asks("db"),
        "python" | "python3" | "manage.py" | "django-admin" => asks("dbshell"),
        "php" => asks("artisan") && asks("db"),
        _ => false,
    };
    let Some(input) = call.stdin.as_deref().filter(|_| starts) else {
        return Vec::new();
    };
    let client = ["sqlite3", "db.sqlite3"].map(str::to_owned).to_vec();
    let escapes = input
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("\\!"));
    let escapes = escapes.map(|text| Given::Text(text.to_owned()));
    escapes.chain([Given::Words(client)]).collect()
}
