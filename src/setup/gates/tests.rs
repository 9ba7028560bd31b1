//! Tables: build files on the left, the gates they lead to on the right.

use super::super::tree::Tree;
use super::detect::{MOST_FOLDERS, detect};

const RUST: &[&str] = &["cargo", "cargo-clippy", "cargo-fmt"];

fn detected(files: &[(&str, &str)], programs: &[&str]) -> Vec<(String, String)> {
    detect(&Tree::of(files, programs))
        .into_iter()
        .map(|gate| (gate.name, gate.command))
        .collect()
}

fn commands(files: &[(&str, &str)]) -> Vec<String> {
    let found = detected(files, RUST);
    found.into_iter().map(|(_, command)| command).collect()
}

#[test]
fn what_is_not_declared_gives_no_gate() {
    for files in [
        &[][..],
        &[(
            "Makefile",
            "all:\n\techo\ntest := 1\nlint ::= 2\n\ttest: x\n#check:\n",
        )],
        &[("package.json", "{ not json")],
        &[("package.json", r#"{"scripts":{"start":"node ."}}"#)],
        &[(
            "package.json",
            r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
        )],
        &[("package.json", "{}"), ("bun.lock", "")],
        &[(
            "pyproject.toml",
            "[project]\nname = 'x' # pytest\ndependencies = ['ruffian', 'pytest-cov']",
        )],
        &[("setup.py", "")],
        &[("requirements.txt", "requests")],
    ] {
        assert_eq!(commands(files), [""; 0], "{files:?}");
    }
}

#[test]
fn each_build_system_has_its_commands() {
    let build = "cmake -S . -B build && cmake --build build";
    for (files, expected) in [
        (
            &[("Cargo.toml", "")][..],
            &[
                "cargo test",
                "cargo clippy --all-targets -- -D warnings",
                "cargo fmt --all --check",
            ][..],
        ),
        (&[("go.mod", "")], &["go test ./...", "go vet ./..."]),
        (
            &[("Makefile", "lint test: build\n\tx\ncheck:\n")],
            &["make test", "make lint", "make check"],
        ),
        (
            &[
                ("pyproject.toml", "[tool.ruff]\n[tool.pytest.ini_options]"),
                ("uv.lock", ""),
            ],
            &["uv run pytest", "uv run ruff check ."],
        ),
        (
            &[
                ("pyproject.toml", "dev = ['pytest>=8', 'mypy==1.2']"),
                ("poetry.lock", ""),
            ],
            &["poetry run pytest", "poetry run mypy ."],
        ),
        (&[("setup.py", ""), ("conftest.py", "")], &["pytest"]),
        (&[("CMakeLists.txt", "project(x)")], &[build]),
    ] {
        assert_eq!(commands(files), expected, "{files:?}");
    }
    let ctest = [
        ("CMakeLists.txt", ""),
        ("test/CMakeLists.txt", "Add_Test(NAME a COMMAND a)"),
    ];
    assert_eq!(
        commands(&ctest),
        [format!(
            "{build} && ctest --test-dir build --output-on-failure"
        )]
    );
}

#[test]
fn cargo_proposes_only_what_is_installed() {
    let only = |programs: &[&str]| detected(&[("Cargo.toml", "")], programs).len();
    assert_eq!((only(&[]), only(&["cargo-fmt"]), only(RUST)), (1, 2, 3));
}

#[test]
fn node_scripts_run_with_the_package_manager_of_the_lock_file() {
    let package = r#"{"scripts":{"test":"vitest","lint":"x","typecheck":"tsc"}}"#;
    for (lock, expected) in [
        (
            "package-lock.json",
            ["npm test", "npm run lint", "npm run typecheck"],
        ),
        (
            "pnpm-lock.yaml",
            ["pnpm test", "pnpm run lint", "pnpm run typecheck"],
        ),
        (
            "yarn.lock",
            ["yarn test", "yarn run lint", "yarn run typecheck"],
        ),
        (
            "bun.lockb",
            ["bun run test", "bun run lint", "bun run typecheck"],
        ),
        ("none", ["npm test", "npm run lint", "npm run typecheck"]),
    ] {
        assert_eq!(
            commands(&[("package.json", package), (lock, "")]),
            expected,
            "{lock}"
        );
    }
    let declared =
        r#"{"packageManager":"yarn@4.1.0","scripts":{"test":"jest","type-check":"tsc"}}"#;
    assert_eq!(
        commands(&[("package.json", declared), ("pnpm-lock.yaml", "")]),
        ["yarn test", "yarn run type-check"],
        "what is declared wins over a lock file that was left behind"
    );
}

#[test]
fn a_workspace_without_scripts_of_its_own_runs_its_members() {
    let member = r#"{"scripts":{"test":"vitest"}}"#;
    let files = |lock| {
        [
            ("package.json", r#"{"workspaces":["packages/*"]}"#),
            (lock, ""),
            ("packages/a/package.json", member),
            ("packages/b/package.json", "{}"),
        ]
    };
    assert_eq!(
        commands(&files("package-lock.json")),
        ["npm run test --workspaces --if-present"]
    );
    assert_eq!(
        commands(&files("pnpm-lock.yaml")),
        ["pnpm -r --if-present run test"]
    );
    assert_eq!(
        commands(&files("yarn.lock")),
        ["cd packages/a && yarn test"]
    );
}

#[test]
fn a_repository_of_several_projects_names_the_folder() {
    let package = r#"{"scripts":{"test":"vitest"}}"#;
    assert_eq!(
        detected(
            &[
                ("backend/go.mod", ""),
                ("my web/package.json", package),
                ("backend/tools/Makefile", "test:\n"),
                ("Makefile", "all:\n"),
            ],
            &[],
        ),
        [
            ("Tests (backend)", "cd backend && go test ./..."),
            ("Vet", "cd backend && go vet ./..."),
            ("Tests (my web)", "cd './my web' && npm test"),
        ]
        .map(|(name, command)| (name.to_owned(), command.to_owned()))
    );
}

#[test]
fn two_systems_in_one_folder_are_told_apart_and_cover_what_is_below() {
    let package = r#"{"scripts":{"test":"vitest"}}"#;
    assert_eq!(
        detected(
            &[
                ("Cargo.toml", "[workspace]"),
                ("crates/a/Cargo.toml", ""),
                ("package.json", package),
                ("web/package.json", package),
            ],
            &[],
        ),
        [("Tests (cargo)", "cargo test"), ("Tests (npm)", "npm test")]
            .map(|(name, command)| (name.to_owned(), command.to_owned()))
    );
}

#[test]
fn names_are_unique_and_the_number_of_folders_is_bounded() {
    let files: Vec<String> = (0..30).map(|n| format!("svc{n:02}/go.mod")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "")).collect();
    let found = detected(&files, &[]);
    assert_eq!(found.len(), 2 * MOST_FOLDERS);
    let names: std::collections::BTreeSet<_> = found.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), found.len());
}

#[test]
fn a_makefile_at_the_top_speaks_for_everything_below() {
    let files = [
        ("Makefile", "test:\n"),
        ("api/go.mod", ""),
        ("web/Makefile", "lint:\n"),
    ];
    assert_eq!(commands(&files), ["make test"]);
}
