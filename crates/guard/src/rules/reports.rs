//! What Maven and Gradle only print of a project: its dependencies, its tasks, its settings as a whole.
//!
//! Every word must be known: what a goal or an option of another name does is the project's own matter.

/// Goals of Maven that print.
const GOALS: &[&str] = &[
    "dependency:tree",
    "dependency:list",
    "dependency:list-repositories",
    "dependency:display-ancestors",
    "dependency:build-classpath",
    "enforcer:display-info",
    "help:active-profiles",
    "help:all-profiles",
    "help:describe",
    "help:effective-pom",
    "help:evaluate",
    "versions:display-dependency-updates",
    "versions:display-plugin-updates",
    "versions:display-property-updates",
];

/// What narrows down what they print.
const PROPERTIES: &[&str] = &[
    "artifact",
    "cmd",
    "detail",
    "excludes",
    "expression",
    "forceStdout",
    "goal",
    "groupId",
    "artifactId",
    "includes",
    "includeScope",
    "outputType",
    "plugin",
    "scope",
    "style.color",
    "verbose",
    "version",
];

/// Tasks of Gradle that print. `properties` is none of them: it prints the user's own, with their passwords.
const TASKS: &[&str] = &[
    "buildEnvironment",
    "dependencies",
    "dependencyInsight",
    "help",
    "javaToolchains",
    "outgoingVariants",
    "projects",
    "resolvableConfigurations",
    "tasks",
];

/// Whether nothing is asked for but to print.
pub(super) fn only_prints(name: &str, args: &[String]) -> bool {
    match name {
        "mvn" | "mvnw" | "./mvnw" => maven(args),
        "gradle" | "gradlew" | "./gradlew" => gradle(args),
        _ => false,
    }
}

fn maven(args: &[String]) -> bool {
    if matches!(args, [only] if only == "-v" || only == "-version") {
        return true;
    }
    let mut goals = 0;
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let known = match word {
            "-q"
            | "--quiet"
            | "-B"
            | "--batch-mode"
            | "-o"
            | "--offline"
            | "-ntp"
            | "--no-transfer-progress"
            | "-e"
            | "--errors"
            | "-N"
            | "--non-recursive"
            | "-am"
            | "--also-make"
            | "-amd" => true,
            "-pl" | "--projects" | "-P" | "--activate-profiles" => words.next().is_some(),
            _ if word.starts_with("-P") => true,
            _ => match word.strip_prefix("-D") {
                Some(property) => {
                    let key = property.split('=').next().unwrap_or(property);
                    PROPERTIES.contains(&key)
                }
                None => {
                    goals += 1;
                    GOALS.contains(&word)
                }
            },
        };
        if !known {
            return false;
        }
    }
    goals > 0
}

fn gradle(args: &[String]) -> bool {
    if matches!(args, [only] if only == "-v") {
        return true;
    }
    let mut tasks = 0;
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let known = match word {
            "-q"
            | "--quiet"
            | "--all"
            | "--offline"
            | "--no-daemon"
            | "--single-path"
            | "--stacktrace"
            | "-s"
            | "--no-configuration-cache" => true,
            "--configuration" | "--dependency" | "--group" | "--task" => words.next().is_some(),
            "--console" => matches!(words.next(), Some("plain" | "auto" | "rich")),
            _ if word.starts_with("--console=")
                || word.starts_with("--configuration=")
                || word.starts_with("--dependency=") =>
            {
                true
            }
            _ => {
                tasks += 1;
                let task = word.rsplit(':').next().unwrap_or(word);
                TASKS.contains(&task)
            }
        };
        if !known {
            return false;
        }
    }
    tasks > 0
}
