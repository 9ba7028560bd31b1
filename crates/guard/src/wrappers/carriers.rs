//! Which option of which program carries a command.

use std::sync::LazyLock;

use crate::quick::Table;

/// What the value of an option is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Carries {
    /// Shell text.
    Command,
    /// Shell text behind `|` or `!`, and otherwise a file.
    Pipe,
    /// Shell text, behind the moment it runs at: `after_move:command`.
    Moment,
    /// Actions of a finder, some of which run shell text: `start:execute(command)`.
    Actions,
    /// A setting `name=value` of a version control system, which may be an alias, a hook or a program.
    Setting,
    /// The value of a variable that means the same.
    Variable(&'static str),
    /// Code in a language of the program's own.
    Code,
}

pub(super) struct Carrier {
    programs: &'static [&'static str],
    pub(super) options: &'static [&'static str],
    pub(super) carries: Carries,
}

const fn carrier(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    carries: Carries,
) -> Carrier {
    Carrier {
        programs,
        options,
        carries,
    }
}

const CARRIERS: &[Carrier] = &[
    carrier(&["strace"], &["-o", "--output"], Carries::Pipe),
    carrier(
        &["asciinema", "termtosvg"],
        &["-c", "--command"],
        Carries::Command,
    ),
    carrier(&["ttyrec", "ttyrec2"], &["-e"], Carries::Command),
    carrier(&["terminalizer"], &["-d", "--command"], Carries::Command),
    carrier(
        &["fzf", "sk", "fzf-tmux", "sk-tmux"],
        &["--preview", "--with-shell"],
        Carries::Command,
    ),
    carrier(&["sk", "sk-tmux"], &["-c", "--cmd"], Carries::Command),
    carrier(
        &["fzf", "sk", "fzf-tmux", "sk-tmux"],
        &["--bind"],
        Carries::Actions,
    ),
    carrier(
        &["yt-dlp", "youtube-dl"],
        &["--exec", "--exec-before-download", "--netrc-cmd"],
        Carries::Moment,
    ),
    carrier(
        &["aria2c"],
        &[
            "--on-bt-download-complete",
            "--on-download-complete",
            "--on-download-error",
            "--on-download-pause",
            "--on-download-start",
            "--on-download-stop",
        ],
        Carries::Command,
    ),
    carrier(&["tcpdump"], &["-z"], Carries::Command),
    carrier(&["perf"], &["--pre", "--post"], Carries::Command),
    carrier(
        &["hyperfine"],
        &[
            "-p",
            "--prepare",
            "-s",
            "--setup",
            "-c",
            "--cleanup",
            "--conclude",
        ],
        Carries::Command,
    ),
    carrier(&["valgrind"], &["--db-command"], Carries::Command),
    carrier(&["just"], &["--chooser"], Carries::Command),
    carrier(&["nodemon"], &["-x", "--exec"], Carries::Command),
    carrier(&["chokidar"], &["-c", "--command"], Carries::Command),
    carrier(
        &["tsc-watch", "tsup"],
        &[
            "--onSuccess",
            "--onFailure",
            "--onFirstSuccess",
            "--onEmit",
            "--onCompilationStarted",
            "--onCompilationComplete",
        ],
        Carries::Command,
    ),
    carrier(
        &["rollup"],
        &[
            "--watch.onStart",
            "--watch.onBundleStart",
            "--watch.onBundleEnd",
            "--watch.onEnd",
            "--watch.onError",
        ],
        Carries::Command,
    ),
    carrier(
        &["air"],
        &[
            "--build.cmd",
            "--build.bin",
            "--build.full_bin",
            "--build.pre_cmd",
            "--build.post_cmd",
        ],
        Carries::Command,
    ),
    carrier(
        &["svn"],
        &["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--merge-cmd"],
        Carries::Command,
    ),
    carrier(&["svn"], &["--config-option"], Carries::Code),
    carrier(&["hg", "sl", "jj"], &["--config"], Carries::Setting),
    carrier(
        &["jj"],
        &["--config-toml", "--config-file"],
        Carries::Setting,
    ),
    carrier(&["darcs"], &["--posthook", "--prehook"], Carries::Command),
    carrier(&["psql"], &["-o", "--output"], Carries::Pipe),
    carrier(&["mysql", "mariadb"], &["--pager"], Carries::Command),
    carrier(
        &["npm", "pnpm"],
        &["--script-shell", "--config.script-shell"],
        Carries::Variable("npm_config_script_shell"),
    ),
    carrier(
        &["npm", "pnpm"],
        &["--node-options", "--config.node-options"],
        Carries::Variable("NODE_OPTIONS"),
    ),
    carrier(
        &["puppet", "chef-apply"],
        &["-e", "--execute"],
        Carries::Code,
    ),
    carrier(&["ansible"], &["-a", "--args"], Carries::Code),
    carrier(&["nano", "pico"], &["-s", "--speller"], Carries::Command),
    carrier(&["enscript"], &["-I", "--filter"], Carries::Command),
    carrier(&["gem"], &["--editor"], Carries::Command),
];

pub(super) static BY_PROGRAM: LazyLock<Table<Vec<&'static Carrier>>> = LazyLock::new(|| {
    let mut table: Table<Vec<&'static Carrier>> = Table::default();
    for carrier in CARRIERS {
        for program in carrier.programs {
            table.entry(program).or_default().push(carrier);
        }
    }
    table
});
