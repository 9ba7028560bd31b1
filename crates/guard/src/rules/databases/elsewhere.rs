//! Databases on other machines, and those that are called production: nobody changes them from here.
//!
//! A name without a dot is a service of the project's own containers; what stands in a file of settings is not read.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::publish::addresses::host_of;
use crate::shell::state::State;
use crate::shell::text::{self, brief};

/// Tools that change how a database is laid out.
const MIGRATIONS: &[&str] = &[
    "sqitch",
    "flyway",
    "liquibase",
    "dbmate",
    "goose",
    "migrate",
    "alembic",
    "prisma",
    "drizzle-kit",
    "knex",
    "typeorm",
    "sequelize",
    "sequelize-cli",
    "diesel",
    "sea-orm-cli",
    "sqlx",
    "atlas",
    "tern",
    "skeema",
    "rails",
    "rake",
    "mix",
];

/// Words with which these change something.
const CHANGES: &[&str] = &[
    "deploy",
    "up",
    "upgrade",
    "migrate",
    "migration",
    "update",
    "run",
    "apply",
    "push",
    "down",
    "downgrade",
    "revert",
    "rollback",
    "rebase",
    "reset",
    "setup",
    "undo",
    "redo",
    "drop",
    "clean",
    "repair",
    "baseline",
    "latest",
    "execute",
    "resolve",
    "seed",
    "goto",
    "force",
    "stamp",
    "refresh",
    "fresh",
    "sync",
    "db",
    "schema",
];

/// Words with which they only ask, or write files of the project.
const ASKS: &[&str] = &[
    "status", "info", "validate", "list", "history", "heads", "current", "show", "diff", "plan",
    "log", "verify", "check", "lint", "generate", "make", "create", "new", "add", "revision",
    "format", "fmt", "inspect", "version", "help", "init", "dry", "prepare",
];

/// Refuses a migration of what is elsewhere; other programs are none of it.
pub(in crate::rules) fn migrates(name: &str, call: &Call, st: &State) -> Judged<()> {
    if !MIGRATIONS.contains(&name) {
        return Ok(());
    }
    let words: Vec<&str> = operands(call.args());
    let frameworks = matches!(name, "rails" | "rake" | "mix");
    let of_database = |word: &&str| word.starts_with("db:") || word.starts_with("ecto.");
    if frameworks && !words.iter().any(of_database) {
        return Ok(());
    }
    let says = |word: &&str, list: &[&str]| {
        let last = word.rsplit([':', '.']).next().unwrap_or(word);
        list.contains(&last)
    };
    let first = || words.iter().take(3);
    let asks = call
        .args()
        .iter()
        .any(|arg| matches!(arg.as_str(), "--help" | "-h" | "--dry-run" | "--sql"));
    if asks || first().any(|word| says(word, ASKS)) || !words.iter().any(|word| says(word, CHANGES))
    {
        return Ok(());
    }
    let named = settings(call, st)
        .iter()
        .any(|(name, value)| name.ends_with("ENV") && is_production(value));
    // `--env=prod`, `--env prod`, and a target without an option.
    let options = call.args().iter().map(String::as_str);
    let options = options.filter(|arg| arg.starts_with('-') && !arg.starts_with("--name="));
    let told = words
        .iter()
        .copied()
        .chain(options)
        .any(|word| !word.contains([' ', '/']) && is_production(word));
    if named || told {
        return Err(elsewhere(name, "production"));
    }
    is_here(name, call, st)
}

/// Refuses a client that is told to go to another machine.
pub(super) fn is_here(name: &str, call: &Call, st: &State) -> Judged<()> {
    let given = hosts(name, call.args());
    let set = settings(call, st);
    let set = set.iter().filter_map(|(key, value)| {
        let address = ["URL", "URI", "DSN", "DBSTRING", "DATABASE"]
            .iter()
            .any(|part| key.contains(part));
        if matches!(key.as_str(), "PGHOST" | "MYSQL_HOST") {
            Some(value.clone())
        } else {
            (address && value.contains("://")).then(|| host_of(value))
        }
    });
    // What stands on the command line comes before what is set.
    let all: Vec<String> = if given.is_empty() {
        set.collect()
    } else {
        given
    };
    match all.iter().find(|host| is_elsewhere(host)) {
        Some(host) => Err(elsewhere(name, host)),
        None => Ok(()),
    }
}

fn elsewhere(name: &str, host: &str) -> Refusal {
    Refusal::new(
        rule::NETWORK,
        format!(
            "{name} would change a database that is not on this machine ({}); use one of your own on localhost",
            brief(host)
        ),
    )
}

/// Words that are neither options nor the text of a message.
fn operands(args: &[String]) -> Vec<&str> {
    let before = |at: usize| at.checked_sub(1).and_then(|at| args.get(at));
    args.iter()
        .enumerate()
        .filter(|(at, arg)| {
            let message = before(*at).is_some_and(|option| {
                matches!(
                    option.as_str(),
                    "-m" | "-n" | "--message" | "--name" | "--note"
                )
            });
            !arg.starts_with('-') && !message
        })
        .map(|(_, arg)| arg.as_str())
        .collect()
}

/// The hosts that a command line names: in addresses, in options, and as `host=…`.
fn hosts(name: &str, args: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let letter = match name {
        "sqlcmd" => "-S",
        "psql" | "pgcli" | "mysql" | "mariadb" | "mycli" | "mysqladmin" | "mysqlimport"
        | "redis-cli" | "valkey-cli" | "clickhouse-client" | "pg_restore" | "dropdb"
        | "createdb" | "dropuser" | "createuser" | "mongorestore" | "mongoimport" => "-h",
        _ => "",
    };
    for (at, arg) in args.iter().enumerate() {
        let next = || args.get(at + 1).cloned();
        if arg.contains("://") && !arg.contains(' ') {
            found.push(host_of(arg));
        } else if let Some(host) = arg
            .strip_prefix("--host=")
            .or_else(|| arg.strip_prefix("--hostname="))
        {
            found.push(host.to_owned());
        } else if matches!(arg.as_str(), "--host" | "--hostname") || arg == letter {
            found.extend(next());
        } else if let Some(host) = arg.strip_prefix(letter).filter(|_| !letter.is_empty()) {
            found.push(host.to_owned());
        }
        let told = arg.split_whitespace().filter_map(|pair| {
            pair.strip_prefix("host=")
                .or_else(|| pair.strip_prefix("hostaddr="))
        });
        found.extend(told.map(str::to_owned));
    }
    found
}

/// Variables that the program gets from this command.
fn settings(call: &Call, st: &State) -> Vec<(String, String)> {
    let exported = st.vars.iter().filter(|(_, var)| var.exported);
    let exported = exported.map(|(name, var)| (name.clone(), var.value()));
    exported.chain(call.env.iter().cloned()).collect()
}

/// Whether a host is another machine, as far as that is known.
fn is_elsewhere(host: &str) -> bool {
    let lower = host.to_lowercase();
    let host = lower.trim_end_matches('.');
    if host.is_empty() || !text::is_known(host) || host.starts_with(['/', '@', '%', '.', '$']) {
        return false;
    }
    if is_production(host) {
        return true;
    }
    let number = |part: &str| part.parse::<u8>().ok();
    let numbers: Vec<u8> = host.split('.').filter_map(number).collect();
    match numbers.as_slice() {
        // Containers of this machine have the second kind.
        [127, _, _, _] | [0, 0, 0, 0] | [172, 16..=31, _, _] => false,
        [_, _, _, _] => true,
        _ => {
            let own = ["localhost", "test", "docker.internal", "localdomain"];
            host.contains('.') && !own.iter().any(|end| host.ends_with(&format!(".{end}")))
        }
    }
}

/// Whether a word names production: `prod`, `prod-db`, `--env=production`.
fn is_production(word: &str) -> bool {
    word.to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| matches!(part, "prod" | "production" | "prd"))
}
