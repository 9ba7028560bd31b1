//! Which tools read which files by their names. A star stands for any part of a name; a pattern with a slash is
//! compared with the last folders, too.

use std::path::Path;

use super::found::Read;

pub(super) struct Row {
    pub(super) names: &'static [&'static str],
    /// Options or variables of which one has to be there.
    pub(super) with: &'static [&'static str],
    pub(super) files: &'static [&'static str],
    pub(super) read: Read,
}

const fn row(names: &'static [&'static str], files: &'static [&'static str], read: Read) -> Row {
    Row {
        names,
        with: &[],
        files,
        read,
    }
}

const PYTHON: Read = Read::Code("python3", "-c");
const JAVASCRIPT: Read = Read::Code("node", "-e");
const RUBY: Read = Read::Code("ruby", "-e");
const PERL: Read = Read::Code("perl", "-e");

/// Tools that bring code of the project's Python in.
const PYTHON_HOSTS: &[&str] = &[
    "flask",
    "quart",
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "daphne",
    "granian",
    "celery",
    "alembic",
    "sphinx-build",
    "sphinx-autobuild",
    "locust",
    "mprof",
    "waf",
    "snakemake",
    "django-admin",
    "scrapy",
    "streamlit",
    "py-spy",
    "viztracer",
    "behave",
    "robot",
    "nose2",
    "pelican",
    "asv",
    "airflow",
    "dagster",
    "prefect",
    "fab",
    "invoke",
    "inv",
    "doit",
    "nox",
    "scons",
];

/// Tools of JavaScript that read a file of settings which is code.
const JAVASCRIPT_TOOLS: &[&str] = &[
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "commitlint",
    "svelte-kit",
    "react-native",
    "metro",
    "expo",
    "knex",
    "vue-cli-service",
    "drizzle-kit",
    "ember",
    "remix",
    "docusaurus",
    "storybook",
    "start-storybook",
    "build-storybook",
    "babel-node",
    "babel",
    "typedoc",
    "wxt",
    "plop",
    "hygen",
    "lint-staged",
    "semantic-release",
    "size-limit",
    "eleventy",
    "gatsby",
    "nuxi",
    "nuxt",
    "parcel",
    "rspack",
    "rsbuild",
    "esbuild",
    "swc",
    "tsdown",
    "unbuild",
    "vitepress",
    "vuepress",
    "sequelize",
    "sequelize-cli",
    "mikro-orm",
    "typeorm",
    "graphql-codegen",
    "codegen",
    "orval",
    "kysely",
    "nightwatch",
    "wdio",
    "testcafe",
    "detox",
    "craco",
    "react-scripts",
    "ng",
    "nx",
    "turbo",
    "quasar",
    "tauri",
    "electron-forge",
    "serverless",
    "sls",
    "c8",
    "nyc",
    "ava",
    "panda",
    "unocss",
    "postcss",
    "tailwindcss",
    "gulp",
    "grunt",
    "jake",
    "nodemon",
    "pm2",
    "zx",
];

pub(super) const ROWS: &[Row] = &[
    // Builds.
    row(
        &["cmake", "ctest", "cpack"],
        &["CMakeLists.txt", "*.cmake"],
        Read::Behind("COMMAND "),
    ),
    row(&["meson", "muon"], &["meson.build"], Read::Calls),
    row(
        &["bazel", "bazelisk", "buck2", "please", "pants"],
        &["BUILD", "BUILD.bazel", "BUCK", "*.bzl"],
        Read::Calls,
    ),
    row(
        &["cargo"],
        &[".cargo/config.toml", ".cargo/config"],
        Read::Values,
    ),
    row(&["go"], &["*.go"], Read::Marked),
    row(&["zig"], &["build.zig"], Read::Calls),
    row(&["mix", "iex"], &["mix.exs"], Read::Calls),
    row(&["rebar3", "rebar"], &["rebar.config"], Read::Values),
    row(&["mvn", "mvnw"], &["pom.xml"], Read::Markup),
    row(&["ant"], &["build.xml"], Read::Markup),
    row(
        &["gradle", "gradlew"],
        &["*.gradle", "*.gradle.kts"],
        Read::Calls,
    ),
    row(&["sbt"], &["build.sbt", "*.sbt"], Read::Calls),
    row(&["mill"], &["build.sc", "build.mill"], Read::Calls),
    row(&["lein"], &["project.clj"], Read::Calls),
    row(&["bb"], &["bb.edn"], Read::Calls),
    row(&["dub"], &["dub.json", "dub.sdl"], Read::Calls),
    row(
        &["nimble", "nim"],
        &["*.nimble", "*.nims", "*.nim"],
        Read::Calls,
    ),
    row(&["xmake"], &["xmake.lua"], Read::Calls),
    row(
        &["premake5", "premake4", "premake"],
        &["premake5.lua", "premake4.lua"],
        Read::Calls,
    ),
    row(&["swift"], &["Package.swift"], Read::Calls),
    row(
        &["nix", "nix-shell", "nix-build", "devenv"],
        &["flake.nix", "shell.nix", "default.nix", "devenv.nix"],
        Read::Calls,
    ),
    // Scripts of languages that are not read here.
    row(
        &["kotlinc", "kotlin", "kscript"],
        &["*.kts", "*.kt"],
        Read::Calls,
    ),
    row(
        &["scala", "scala-cli", "amm"],
        &["*.sc", "*.scala"],
        Read::Calls,
    ),
    row(&["dotnet", "dotnet-script", "csi"], &["*.csx"], Read::Calls),
    row(&["crystal"], &["*.cr"], Read::Calls),
    row(&["rdmd", "dub", "dmd", "ldc2"], &["*.d"], Read::Calls),
    row(
        &["R", "Rscript", "r", "littler"],
        &[".Rprofile", "Rprofile.site"],
        Read::Calls,
    ),
    row(
        &["psql", "mysql", "sqlite", "sqlite3"],
        &["*.sql", ".psqlrc", ".sqliterc"],
        Read::Marked,
    ),
    // Processes and environments.
    row(
        &[
            "foreman", "honcho", "overmind", "hivemind", "goreman", "forego", "heroku",
        ],
        &["Procfile*"],
        Read::Values,
    ),
    row(
        &["supervisord", "supervisorctl"],
        &["supervisord.conf", "*supervis*.conf", "*supervis*.ini"],
        Read::Values,
    ),
    row(&["mprocs"], &["mprocs.yaml", "mprocs.json"], Read::Values),
    row(
        &["process-compose"],
        &["process-compose*.y*ml"],
        Read::Values,
    ),
    row(&["nodemon"], &["nodemon.json"], Read::Values),
    row(&["dvc"], &["dvc.yaml"], Read::Values),
    row(&["snakemake"], &["Snakefile", "*.smk"], Read::Calls),
    row(&["act"], &[".github/workflows/*"], Read::Values),
    row(
        &["gitlab-ci-local", "gitlab-runner"],
        &[".gitlab-ci.yml"],
        Read::Values,
    ),
    row(&["earthly"], &["Earthfile"], Read::Behind("RUN ")),
    row(
        &["skaffold", "tilt", "garden"],
        &["skaffold.yaml", "Tiltfile", "garden.yml"],
        Read::Values,
    ),
    row(
        &["terraform", "tofu", "terragrunt"],
        &["*.tf", "*.hcl"],
        Read::Calls,
    ),
    row(&["packer"], &["*.pkr.hcl"], Read::Calls),
    row(&["direnv"], &[".envrc"], Read::Shell),
    // Tasks that are asked for by name.
    row(
        &[
            "npm-run-all",
            "npm-run-all2",
            "run-s",
            "run-p",
            "npm",
            "pnpm",
            "yarn",
            "bun",
            "turbo",
            "nx",
            "lerna",
            "wireit",
            "concurrently",
        ],
        &["package.json"],
        Read::Tasks,
    ),
    row(&["hatch"], &["hatch.toml", "pyproject.toml"], Read::Tasks),
    row(
        &[
            "pdm", "rye", "task", "taskipy", "poe", "poetry", "uv", "pixi",
        ],
        &["pyproject.toml", "pixi.toml"],
        Read::Tasks,
    ),
    row(&["pipenv"], &["Pipfile"], Read::Tasks),
    row(&["devbox"], &["devbox.json"], Read::Tasks),
    // Settings that name programs.
    row(&["npm", "pnpm"], &[".npmrc"], Read::Values),
    row(&["yarn"], &[".yarnrc.yml", ".yarnrc"], Read::Values),
    row(&["bun"], &["bunfig.toml"], Read::Values),
    row(&["mypy", "dmypy"], &["mypy.ini", ".mypy.ini"], Read::Values),
    row(&["pylint"], &[".pylintrc", "pylintrc"], Read::Values),
    // Code of the languages that are read.
    row(
        &["python", "pypy", "pytest", "py.test", "pip", "pip3"],
        &["sitecustomize.py", "usercustomize.py"],
        PYTHON,
    ),
    row(
        PYTHON_HOSTS,
        &["*.py", "wscript", "Snakefile", "SConstruct", "SConscript"],
        PYTHON,
    ),
    row(
        &[
            "bundle",
            "bundler",
            "pod",
            "vagrant",
            "rackup",
            "puma",
            "thin",
            "unicorn",
            "rails",
            "rake",
            "thor",
            "guard",
            "fastlane",
            "jekyll",
            "middleman",
            "rspec",
            "kitchen",
        ],
        &[
            "Gemfile",
            "Podfile",
            "Vagrantfile",
            "config.ru",
            "*.gemspec",
            "Guardfile",
            "Fastfile",
            "Thorfile",
            "Rakefile",
            "*.rake",
        ],
        RUBY,
    ),
    row(&["perl", "prove"], &["*.pm", "*.t"], PERL),
    row(&["pnpm"], &[".pnpmfile.cjs", "pnpmfile.js"], JAVASCRIPT),
    row(
        JAVASCRIPT_TOOLS,
        &[
            "*.config.js",
            "*.config.cjs",
            "*.config.mjs",
            "*.config.ts",
            "*.config.mts",
            ".*rc.js",
            ".*rc.cjs",
            ".*rc.mjs",
            ".*rc.ts",
            "knexfile.*",
            "ember-cli-build.js",
            ".storybook/*",
            "plopfile.*",
            "gulpfile.*",
            "Gruntfile.*",
            "Jakefile.js",
        ],
        JAVASCRIPT,
    ),
    row(
        &[
            "babel-node",
            "vite-node",
            "esno",
            "jiti",
            "sucrase-node",
            "zx",
        ],
        &["*.js", "*.mjs", "*.cjs", "*.ts"],
        JAVASCRIPT,
    ),
    // Files that shells start with, where the home folder is said to be another.
    Row {
        names: &["bash", "sh", "zsh", "ksh", "dash", "fish"],
        with: &["HOME", "ZDOTDIR", "ENV", "XDG_CONFIG_HOME"],
        files: &[
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".kshrc",
            "fish/config.fish",
        ],
        read: Read::Shell,
    },
];

impl Row {
    /// Whether a file at this path is one of these.
    pub(super) fn reads(&self, path: &Path) -> bool {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        self.files
            .iter()
            .any(|pattern| match pattern.split_once('/') {
                None => fits(pattern, name),
                Some(_) => {
                    let mut folders = path.iter().rev().filter_map(|part| part.to_str());
                    pattern
                        .rsplit('/')
                        .all(|wanted| folders.next().is_some_and(|part| fits(wanted, part)))
                }
            })
    }
}

/// Whether a name is spelled like this, where a star is any text.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let ends = name.char_indices().map(|(at, _)| at);
            ends.chain([name.len()])
                .any(|at| fits(rest, name.get(at..).unwrap_or_default()))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        assert!(fits("*.config.js", "a.b.config.js"));
        assert!(fits("Procfile*", "Procfile"));
        assert!(fits("process-compose*.y*ml", "process-compose.yml"));
        assert!(!fits("*.config.js", "config.json"));
    }
}
