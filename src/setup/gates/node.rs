//! JavaScript and TypeScript: declared scripts, run by the package manager of the lock file.

use serde_json::Value;

use super::view::{Gate, NO_ERRORS, NO_TYPE_ERRORS, TESTS_PASS, View, gate};

/// How a package manager runs a script, here and in every member of a workspace.
struct Manager {
    name: &'static str,
    test: &'static str,
    run: &'static str,
    /// `{}` is the script; `None` when there is no way that skips members without it.
    everywhere: Option<&'static str>,
}

const MANAGERS: [Manager; 4] = [
    Manager {
        name: "npm",
        test: "npm test",
        run: "npm run",
        everywhere: Some("npm run {} --workspaces --if-present"),
    },
    Manager {
        name: "pnpm",
        test: "pnpm test",
        run: "pnpm run",
        everywhere: Some("pnpm -r --if-present run {}"),
    },
    Manager {
        name: "yarn",
        test: "yarn test",
        run: "yarn run",
        everywhere: None,
    },
    Manager {
        name: "bun",
        test: "bun run test",
        run: "bun run",
        everywhere: Some("bun run --filter '*' {}"),
    },
];

/// Scripts that stand for a gate; the first name that is declared is used.
const SCRIPTS: [(&str, &[&str], &str); 3] = [
    ("Tests", &["test"], TESTS_PASS),
    ("Lint", &["lint"], NO_ERRORS),
    (
        "Typecheck",
        &["typecheck", "type-check", "tsc"],
        NO_TYPE_ERRORS,
    ),
];

pub(super) fn gates(view: &View<'_>) -> Vec<Gate> {
    let Some(text) = view.text("package.json") else {
        return Vec::new();
    };
    // A package file that cannot be read declares nothing.
    let package: Value = crate::text::read_json(text).unwrap_or(Value::Null);
    let manager = manager(view, &package);
    let own = own_scripts(&package, manager);
    let is_workspace = package.get("workspaces").is_some() || view.has("pnpm-workspace.yaml");
    match manager.everywhere {
        Some(everywhere) if own.is_empty() && is_workspace => members(view, manager, everywhere),
        Some(_) | None => own,
    }
}

fn manager(view: &View<'_>, package: &Value) -> &'static Manager {
    let declared = package
        .get("packageManager")
        .and_then(Value::as_str)
        .and_then(|text| text.split('@').next());
    let locked = [
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("package-lock.json", "npm"),
    ];
    let by_lock = |folder: &str| {
        locked
            .iter()
            .find(|(file, _)| view.tree.has(folder, file))
            .map(|(_, name)| *name)
    };
    // A member of a workspace has its lock file at the top.
    let name = declared
        .or_else(|| by_lock(view.folder))
        .or_else(|| by_lock(""));
    let [npm, ..] = &MANAGERS;
    MANAGERS
        .iter()
        .find(|manager| Some(manager.name) == name)
        .unwrap_or(npm)
}

fn own_scripts(package: &Value, manager: &Manager) -> Vec<Gate> {
    let mut gates = Vec::new();
    for (gate_name, names, description) in &SCRIPTS {
        let Some(script) = names.iter().find(|name| declares(package, name)) else {
            continue;
        };
        let command = if *script == "test" {
            manager.test.to_owned()
        } else {
            format!("{} {script}", manager.run)
        };
        gates.push(gate(gate_name, manager.name, command, description));
    }
    gates
}

/// Scripts that at least one member of a workspace declares, run in all members that do.
fn members(view: &View<'_>, manager: &Manager, everywhere: &str) -> Vec<Gate> {
    let packages: Vec<Value> = view
        .tree
        .below(view.folder, "package.json")
        .filter_map(|text| crate::text::read_json(text).ok())
        .collect();
    SCRIPTS
        .iter()
        .filter_map(|(gate_name, names, description)| {
            let script = names
                .iter()
                .find(|name| packages.iter().any(|package| declares(package, name)))?;
            let command = everywhere.replace("{}", script);
            Some(gate(gate_name, manager.name, command, description))
        })
        .collect()
}

/// Whether a script is there and does something: `npm init` writes one that always fails.
fn declares(package: &Value, name: &str) -> bool {
    package
        .get("scripts")
        .and_then(|scripts| scripts.get(name))
        .and_then(Value::as_str)
        .is_some_and(|text| !text.trim().is_empty() && !text.contains("no test specified"))
}
