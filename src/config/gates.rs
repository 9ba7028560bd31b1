//! Guesses a project's quality gates from the build files in its root.
//!
//! Pure: the caller supplies a reader for files of the root. Guesses are conservative, because a
//! gate that cannot succeed blocks every merge: a script is used only when it is declared.

use serde_json::Value;

use super::model::QualityGate;

/// Proposes gates for the project whose root files `read` returns; empty when nothing is recognised.
pub fn detect_quality_gates(read: &dyn Fn(&str) -> Option<String>) -> Vec<QualityGate> {
    let mut gates = Vec::new();
    if read("Cargo.toml").is_some() {
        gates.push(gate("Tests", "cargo test", "all tests must pass"));
        gates.push(gate("Lint", "cargo clippy -- -D warnings", "no warnings"));
    }
    if let Some(package) = read("package.json") {
        gates.extend(node_gates(&package, read));
    }
    if [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "pytest.ini",
        "tox.ini",
    ]
    .iter()
    .any(|name| read(name).is_some())
    {
        gates.extend(python_gates(read));
    }
    if read("go.mod").is_some() {
        gates.push(gate("Tests", "go test ./...", "all tests must pass"));
        gates.push(gate("Vet", "go vet ./...", "no findings"));
    }
    if gates.is_empty() {
        gates.extend(make_gates(read));
    }
    if gates.is_empty() && read("CMakeLists.txt").is_some() {
        let build = "cmake -S . -B build && cmake --build build";
        gates.push(gate("Build", build, "the build must succeed"));
        gates.push(gate(
            "Tests",
            "ctest --test-dir build --output-on-failure",
            "all tests must pass",
        ));
    }
    gates
}

fn gate(name: &str, command: &str, description: &str) -> QualityGate {
    QualityGate {
        name: name.into(),
        command: command.into(),
        description: description.into(),
    }
}

fn node_gates(package: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<QualityGate> {
    let manifest: Value = serde_json::from_str(package).unwrap_or(Value::Null);
    let script = |name: &str| manifest.get("scripts")?.get(name)?.as_str();
    let declared = manifest
        .get("packageManager")
        .and_then(Value::as_str)
        .unwrap_or("");
    let manager = declared.split('@').next().unwrap_or("");
    let (test, run) = match manager {
        "pnpm" => ("pnpm test", "pnpm run"),
        "yarn" => ("yarn test", "yarn run"),
        "bun" => ("bun run test", "bun run"),
        "npm" => ("npm test", "npm run"),
        _ if read("bun.lock").is_some() || read("bun.lockb").is_some() => {
            ("bun run test", "bun run")
        }
        _ if read("pnpm-lock.yaml").is_some() => ("pnpm test", "pnpm run"),
        _ if read("yarn.lock").is_some() => ("yarn test", "yarn run"),
        _ => ("npm test", "npm run"),
    };
    let mut gates = Vec::new();
    if script("test").is_some_and(|text| !text.contains("no test specified")) {
        gates.push(gate("Tests", test, "all tests must pass"));
    } else if run == "bun run" {
        gates.push(gate("Tests", "bun test", "all tests must pass"));
    }
    if script("lint").is_some() {
        gates.push(gate("Lint", &format!("{run} lint"), "zero errors"));
    }
    if let Some(name) = ["typecheck", "type-check", "tsc"]
        .into_iter()
        .find(|name| script(name).is_some())
    {
        gates.push(gate(
            "Typecheck",
            &format!("{run} {name}"),
            "no type errors",
        ));
    }
    gates
}

fn python_gates(read: &dyn Fn(&str) -> Option<String>) -> Vec<QualityGate> {
    let text = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements-dev.txt",
        "requirements.txt",
    ]
    .iter()
    .filter_map(|name| read(name))
    .collect::<String>();
    let runner = if read("uv.lock").is_some() {
        "uv run "
    } else if read("poetry.lock").is_some() {
        "poetry run "
    } else {
        ""
    };
    let mut gates = Vec::new();
    if text.contains("pytest") || read("pytest.ini").is_some() || read("conftest.py").is_some() {
        gates.push(gate(
            "Tests",
            &format!("{runner}pytest"),
            "all tests must pass",
        ));
    } else {
        gates.push(gate(
            "Tests",
            &format!("{runner}python3 -m unittest"),
            "all tests must pass",
        ));
    }
    if text.contains("[tool.ruff") || read("ruff.toml").is_some() {
        gates.push(gate(
            "Lint",
            &format!("{runner}ruff check ."),
            "zero errors",
        ));
    }
    if text.contains("[tool.mypy") || read("mypy.ini").is_some() {
        gates.push(gate(
            "Typecheck",
            &format!("{runner}mypy ."),
            "no type errors",
        ));
    }
    gates
}

fn make_gates(read: &dyn Fn(&str) -> Option<String>) -> Vec<QualityGate> {
    let Some(text) = ["Makefile", "makefile", "GNUmakefile"]
        .iter()
        .find_map(|name| read(name))
    else {
        return Vec::new();
    };
    let has = |target: &str| {
        text.lines().any(|line| {
            line.strip_prefix(target).is_some_and(|rest| {
                rest.trim_start().starts_with(':') && !rest.trim_start().starts_with(":=")
            })
        })
    };
    let mut gates = Vec::new();
    if has("test") {
        gates.push(gate("Tests", "make test", "all tests must pass"));
    } else if has("check") {
        gates.push(gate("Tests", "make check", "all checks must pass"));
    }
    if has("lint") {
        gates.push(gate("Lint", "make lint", "zero errors"));
    }
    gates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(files: &[(&str, &str)]) -> Vec<String> {
        let read = |name: &str| {
            files
                .iter()
                .find(|(file, _)| *file == name)
                .map(|(_, text)| (*text).to_owned())
        };
        detect_quality_gates(&read)
            .into_iter()
            .map(|gate| gate.command)
            .collect()
    }

    #[test]
    fn nothing_known_means_no_gates() {
        assert!(commands(&[("README.md", "")]).is_empty());
        assert!(commands(&[("Makefile", "all:\n\techo\ntest := 1\n")]).is_empty());
    }

    #[test]
    fn each_build_system_has_its_commands() {
        assert_eq!(
            commands(&[("Cargo.toml", "")]),
            ["cargo test", "cargo clippy -- -D warnings"]
        );
        assert_eq!(
            commands(&[("go.mod", "")]),
            ["go test ./...", "go vet ./..."]
        );
        assert_eq!(
            commands(&[("Makefile", "test: build\n\tx\nlint:\n")]),
            ["make test", "make lint"]
        );
        assert_eq!(
            commands(&[
                ("pyproject.toml", "[tool.ruff]\n[tool.pytest]"),
                ("uv.lock", "")
            ]),
            ["uv run pytest", "uv run ruff check ."]
        );
        assert_eq!(commands(&[("CMakeLists.txt", "")]).len(), 2);
    }

    #[test]
    fn node_uses_its_own_package_manager_and_only_declared_scripts() {
        let package = r#"{"scripts":{"test":"vitest","lint":"x","typecheck":"tsc"}}"#;
        assert_eq!(
            commands(&[("package.json", package), ("pnpm-lock.yaml", "")]),
            ["pnpm test", "pnpm run lint", "pnpm run typecheck"]
        );
        let none = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        assert!(commands(&[("package.json", none)]).is_empty());
        let declared = r#"{"packageManager":"yarn@4.1.0","scripts":{"test":"jest"}}"#;
        assert_eq!(commands(&[("package.json", declared)]), ["yarn test"]);
        assert_eq!(
            commands(&[("package.json", "{}"), ("bun.lock", "")]),
            ["bun test"]
        );
    }
}
