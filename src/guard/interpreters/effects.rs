//! What a piece of scripting code does: which commands it starts, which files it writes or deletes.
//!
//! Works on tokens. A call whose arguments are plain strings is judged like the shell command it stands for;
//! a call that computes them is refused unless nothing in the text could name a place outside.

use std::collections::HashMap;

use super::code::{Family, Token, tokens};
use crate::guard::commands::{Call, read_only};
use crate::guard::paths::Place;
use crate::guard::policy::{Judged, Refusal, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text::{self, HOME, brief};
use crate::guard::shell::walk::Walker;

/// Names that start programs.
const STARTS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "fork",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "posix_spawn",
    "startfile",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "capture2",
    "capture2e",
    "capture3",
    "popen2",
    "popen2e",
    "popen3",
    "syscall",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "spawn_sync",
];

/// Modules and names through which programs are started; their mere use needs a call that can be read.
const GATEWAYS: &[&str] = &[
    "subprocess",
    "child_process",
    "pty",
    "Open3",
    "pexpect",
    "sh",
    "Command",
    "execa",
    "zx",
    "shelljs",
];

/// Names that run computed code.
const DYNAMIC: &[&str] = &[
    "eval",
    "__import__",
    "importlib",
    "import_module",
    "getattr",
    "__builtins__",
    "__dict__",
    "globals",
    "ctypes",
    "cffi",
    "marshal",
    "instance_eval",
    "class_eval",
    "module_eval",
    "send",
    "public_send",
    "__send__",
    "const_get",
    "create_function",
    "assert",
    "call_user_func",
    "runpy",
    "run_path",
    "run_module",
    "execfile",
    "vm",
    "runInThisContext",
    "runInNewContext",
    "Function",
    "dlopen",
];

/// Names that write or delete, and which of their arguments name the target (`9`: the receiver).
const WRITES: &[(&str, &[usize], bool)] = &[
    ("write_text", &[9], false),
    ("write_bytes", &[9], false),
    ("touch", &[9, 0], false),
    ("unlink", &[9, 0], true),
    ("unlinkSync", &[0], true),
    ("rmdir", &[9, 0], true),
    ("rmdirSync", &[0], true),
    ("rmtree", &[0], true),
    ("rm", &[0], true),
    ("rmSync", &[0], true),
    ("rm_r", &[0], true),
    ("rm_rf", &[0], true),
    ("rm_f", &[0], true),
    ("remove", &[9, 0], true),
    ("removeSync", &[0], true),
    ("remove_dir", &[0], true),
    ("removedirs", &[0], true),
    ("remove_tree", &[0], true),
    ("delete", &[0], true),
    ("emptyDir", &[0], true),
    ("emptyDirSync", &[0], true),
    ("mkdir", &[9, 0], false),
    ("mkdirSync", &[0], false),
    ("mkdir_p", &[0], false),
    ("makedirs", &[0], false),
    ("make_path", &[0], false),
    ("mkpath", &[9, 0], false),
    ("mkfifo", &[0], false),
    ("mknod", &[0], false),
    ("rename", &[9, 0, 1], true),
    ("renames", &[0, 1], true),
    ("renameSync", &[0, 1], true),
    ("replace_file", &[0, 1], true),
    ("move", &[0, 1], true),
    ("moveSync", &[0, 1], true),
    ("mv", &[0, 1], true),
    ("copy", &[1], false),
    ("copy2", &[1], false),
    ("copyfile", &[1], false),
    ("copytree", &[1], false),
    ("copyfileobj", &[], false),
    ("copymode", &[1], false),
    ("copyFile", &[1], false),
    ("copyFileSync", &[1], false),
    ("cp", &[1], false),
    ("cp_r", &[1], false),
    ("cpSync", &[1], false),
    ("cpSync", &[1], false),
    ("copySync", &[1], false),
    ("install", &[1], false),
    ("symlink", &[1], false),
    ("symlinkSync", &[1], false),
    ("symlink_to", &[9], false),
    ("hardlink_to", &[9, 0], false),
    ("link_to", &[9, 0], false),
    ("linkSync", &[0, 1], false),
    ("ln_s", &[1], false),
    ("ln_sf", &[1], false),
    ("chmod", &[9, 0, 1], false),
    ("chmodSync", &[0], false),
    ("lchmod", &[0], false),
    ("chown", &[9, 0, 2], false),
    ("chownSync", &[0], false),
    ("lchown", &[0], false),
    ("utime", &[0], false),
    ("utimesSync", &[0], false),
    ("truncate", &[9, 0], false),
    ("truncateSync", &[0], false),
    ("writeFile", &[0], false),
    ("writeFileSync", &[0], false),
    ("appendFile", &[0], false),
    ("appendFileSync", &[0], false),
    ("createWriteStream", &[0], false),
    ("outputFile", &[0], false),
    ("outputFileSync", &[0], false),
    ("outputJson", &[0], false),
    ("writeJson", &[0], false),
    ("writeJsonSync", &[0], false),
    ("ensureDir", &[0], false),
    ("ensureDirSync", &[0], false),
    ("writeTextFile", &[0], false),
    ("writeTextFileSync", &[0], false),
    ("file_put_contents", &[0], false),
    ("make_archive", &[0], false),
    ("unpack_archive", &[1], false),
    ("extractall", &[0], false),
    ("urlretrieve", &[1], false),
    ("to_csv", &[0], false),
    ("to_json", &[0], false),
    ("savefig", &[0], false),
    ("binwrite", &[0], false),
    ("write_json", &[0], false),
];

/// Names that make text which cannot be read off the code.
const CONJURES: &[&str] = &[
    "environ",
    "getenv",
    "ENV",
    "expanduser",
    "homedir",
    "home",
    "chr",
    "fromhex",
    "b64decode",
    "urlsafe_b64decode",
    "unhexlify",
    "fromCharCode",
    "fromCodePoint",
    "atob",
    "pack",
    "pardir",
    "parents",
    "stdin",
    "input",
    "readline",
    "gets",
    "STDIN",
    "ord",
    "rot13",
    "decompress",
    "unquote",
];

struct Reader<'t> {
    tokens: &'t [Token],
    names: HashMap<&'t str, Option<String>>,
}

impl Walker<'_> {
    /// Judges code in a scripting language, run in `st` with these further arguments.
    pub(super) fn code(
        &mut self,
        source: &str,
        family: Family,
        args: &[String],
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        if text::is_any(source) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the code to run is not known before it runs; write it out",
            ));
        }
        self.charge(source.len() / 16 + 1)?;
        let tokens = tokens(source, family);
        let reader = Reader::new(&tokens);
        let mut st = st.clone();
        self.follow_chdir(&reader, &mut st)?;
        self.secrets_in(&tokens, &st)?;
        Self::refuse_dynamic(&tokens, family)?;
        Self::refuse_git_libraries(&tokens)?;
        self.started(source, family, &reader, call, &st)?;
        self.written_by(family, &reader, args, &st)
    }

    fn follow_chdir(&mut self, reader: &Reader<'_>, st: &mut State) -> Judged<()> {
        for (at, token) in reader.tokens.iter().enumerate() {
            if matches!(token, Token::Name(name) if name == "chdir") {
                let target = reader
                    .arguments(at + 1)
                    .first()
                    .and_then(|arg| reader.value(arg));
                match target {
                    Some(target) => self.enter(&home_marked(&target), st),
                    None => st.cwd = vec![Place::Unknown],
                }
            }
        }
        Ok(())
    }

    fn secrets_in(&mut self, tokens: &[Token], st: &State) -> Judged<()> {
        for token in tokens {
            if let Token::Text(value, _) = token
                && !value.contains([' ', '\n'])
                && (value.starts_with(['/', '~', '.']))
            {
                self.read_path(&home_marked(value), st)?;
                let state = st.cwd.iter().any(|place| self.paths.is_state(value, place));
                if state && tokens.iter().any(|t| matches!(t, Token::Name(n) if matches!(n.as_str(), "connect" | "Database" | "DBI" | "SQLite3" | "PDO" | "open_database" | "execute"))) {
                    return Err(Refusal::new(
                        rule::STATE,
                        "orchestrator state is changed only by the orchestrator's own commands",
                    ));
                }
            }
        }
        Ok(())
    }

    fn refuse_dynamic(tokens: &[Token], family: Family) -> Judged<()> {
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let called = matches!(tokens.get(at + 1), Some(Token::Sign('(')));
            let member = at > 0 && matches!(tokens.get(at - 1), Some(Token::Sign('.' | '>')));
            let process = at > 1
                && matches!(tokens.get(at - 2), Some(Token::Name(owner)) if owner == "process");
            let dynamic = match name.as_str() {
                "binding" | "_linkedBinding" => member && process,
                "exec" | "compile" => family == Family::Python && called && !member,
                "assert" => family == Family::Php && called,
                "send" => family == Family::Ruby,
                "vm" => {
                    family == Family::JavaScript
                        && matches!(tokens.get(at + 1), Some(Token::Sign('.')))
                }
                "eval" => !member || family != Family::Other,
                "Function" => called,
                name => DYNAMIC.contains(&name),
            };
            // `$f("x")` in PHP, `&$f` in Perl.
            let by_value = match family {
                Family::Php => {
                    called && at > 0 && matches!(tokens.get(at - 1), Some(Token::Sign('$')))
                }
                Family::Perl => {
                    at > 1
                        && matches!(tokens.get(at - 1), Some(Token::Sign('$')))
                        && matches!(tokens.get(at - 2), Some(Token::Sign('&')))
                        && !matches!(tokens.get(at.wrapping_sub(3)), Some(Token::Sign('&')))
                }
                Family::Python | Family::JavaScript | Family::Ruby | Family::Other => false,
            };
            let loads = family == Family::Perl
                && matches!(name.as_str(), "do" | "require")
                && matches!(tokens.get(at + 1), Some(Token::Text(path, _)) if path.starts_with(['/', '~', '.']));
            let opens_code = family == Family::JavaScript
                && name == "require"
                && called
                && !matches!(tokens.get(at + 2), Some(Token::Text(_, false)))
                || family == Family::JavaScript
                    && name == "import"
                    && called
                    && !matches!(tokens.get(at + 2), Some(Token::Text(_, false)));
            if dynamic || opens_code || by_value || loads {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    format!("{name} runs code that cannot be read beforehand; write the code out"),
                ));
            }
            if matches!(name.as_str(), "kill" | "killpg")
                && (called || family == Family::Perl)
                && !matches!(tokens.get(at + 2), Some(Token::Sign('0')))
            {
                return Err(Refusal::new(
                    rule::PROCESS,
                    "signalling processes from code is not allowed; stop a job you started with kill %1",
                ));
            }
        }
        Ok(())
    }

    /// Libraries that do what git does: only reading with them can be told apart from the rest.
    fn refuse_git_libraries(tokens: &[Token]) -> Judged<()> {
        let library = tokens.iter().enumerate().any(|(at, token)| match token {
            Token::Name(name) => {
                matches!(name.as_str(), "git" | "pygit2" | "dulwich" | "rugged")
                    && imports(tokens, at)
            }
            Token::Text(name, _) => {
                matches!(
                    name.as_str(),
                    "simple-git" | "isomorphic-git" | "nodegit" | "rugged"
                )
            }
            Token::Run(..) | Token::Sign(_) | Token::Line => false,
        });
        let changes = |token: &Token| {
            matches!(token, Token::Name(name) if matches!(
                name.as_str(),
                "push" | "push_to" | "reset" | "delete" | "delete_head" | "force" | "clean" | "set_reference"
            ))
        };
        if library && tokens.iter().any(changes) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "what a git library would do here cannot be worked out; use plain git commands",
            ));
        }
        Ok(())
    }

    /// Judges every program the code starts.
    fn started(
        &mut self,
        source: &str,
        family: Family,
        reader: &Reader<'_>,
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        let mut calls = 0;
        let mut gateway = None;
        for (at, token) in reader.tokens.iter().enumerate() {
            match token {
                Token::Run(code, false) => {
                    self.script(code, &mut st.for_program())?;
                    calls += 1;
                }
                Token::Run(_, true) => return Err(computed("a command in backquotes")),
                Token::Name(name) => {
                    let called = matches!(reader.tokens.get(at + 1), Some(Token::Sign('(')))
                        || matches!(family, Family::Perl | Family::Ruby)
                            && matches!(reader.tokens.get(at + 1), Some(Token::Text(..)));
                    let member =
                        at > 0 && matches!(reader.tokens.get(at - 1), Some(Token::Sign('.')));
                    let regex = family == Family::JavaScript
                        && name == "exec"
                        && member
                        && !source.contains("child_process");
                    let starts = STARTS.contains(&name.as_str()) && !regex
                        || name == "run"
                            && (source.contains("subprocess") || source.contains("Bun"))
                        || name == "call" && source.contains("subprocess");
                    // Perl and Ruby call with a list of words as well: `exec qw(git push)`.
                    let words = matches!(name.as_str(), "exec" | "spawn")
                        && matches!(family, Family::Perl | Family::Ruby)
                        && !member
                        && matches!(
                            reader.tokens.get(at + 1),
                            Some(Token::Name(_) | Token::Sign('$' | '@' | '%' | '*'))
                        );
                    if words {
                        return Err(computed(name));
                    }
                    if starts && called {
                        self.started_program(name, at + 1, reader, call, st)?;
                        calls += 1;
                    } else if starts
                        && !matches!(name.as_str(), "run" | "call" | "fork" | "exec" | "spawn")
                    {
                        return Err(computed(name));
                    } else if GATEWAYS.contains(&name.as_str())
                        && (name != "sh" || imports(reader.tokens, at))
                        && (name != "Command" || source.contains("Deno"))
                    {
                        gateway = Some(name.clone());
                    } else if family == Family::Perl
                        && name == "open"
                        && reader
                            .arguments_or_words(at + 1)
                            .iter()
                            .flat_map(|arg| arg.iter())
                            .any(|t| matches!(t, Token::Text(v, _) if v.trim().starts_with('|') || v.trim().ends_with('|') || v.contains("-|") || v.contains("|-")))
                    {
                        return Err(computed("open with a pipe"));
                    }
                }
                Token::Text(value, _) => {
                    let module = value.trim_start_matches("node:");
                    if family == Family::JavaScript && GATEWAYS.contains(&module) {
                        gateway = Some(module.to_owned());
                    }
                }
                Token::Sign(_) | Token::Line => {}
            }
        }
        // In these languages a regular expression may hide quotes, so the raw text counts as well.
        let hidden = !matches!(family, Family::Python | Family::Other)
            && [
                "child_process",
                "execSync",
                "spawnSync",
                "shell_exec",
                "Open3",
                "proc_open",
            ]
            .iter()
            .any(|word| source.contains(word));
        let steered = |token: &Token| matches!(token, Token::Text(name, _) | Token::Name(name) if name.starts_with("GIT_"));
        if calls > 0 && reader.tokens.iter().any(steered) {
            return Err(computed("a changed git environment"));
        }
        if calls == 0 && (gateway.is_some() || hidden) {
            return Err(computed(gateway.as_deref().unwrap_or("the code")));
        }
        Ok(())
    }

    fn started_program(
        &mut self,
        name: &str,
        at: usize,
        reader: &Reader<'_>,
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        let args = reader.arguments_or_words(at);
        let mut words: Vec<String> = Vec::new();
        let mut listed = false;
        let mut st = st.for_program();
        for arg in &args {
            if let Some((key, value)) = keyword(arg) {
                if key == "cwd" {
                    match reader.value(value) {
                        Some(target) => self.enter(&home_marked(&target), &mut st),
                        None => st.cwd = vec![Place::Unknown],
                    }
                }
                if key == "executable" {
                    return Err(computed(name));
                }
                continue;
            }
            match arg.first() {
                Some(Token::Sign('{')) => {
                    if let Some(at) = arg
                        .iter()
                        .position(|t| matches!(t, Token::Name(n) if n == "cwd"))
                    {
                        let value = match (arg.get(at + 1), arg.get(at + 2), arg.get(at + 3)) {
                            (
                                Some(Token::Sign(':')),
                                Some(Token::Text(v, false)),
                                Some(Token::Sign(',' | '}')),
                            ) => Some(v.clone()),
                            _ => None,
                        };
                        match value {
                            Some(target) => self.enter(&target, &mut st),
                            None => st.cwd = vec![Place::Unknown],
                        }
                    }
                    continue;
                }
                Some(Token::Sign('[' | '(')) => {
                    listed = true;
                    for item in
                        Reader::split(arg.get(1..arg.len().saturating_sub(1)).unwrap_or_default())
                    {
                        match reader.value(item) {
                            Some(value) => words.push(value),
                            None if item.is_empty() => {}
                            None => words.push(text::ANY.to_string()),
                        }
                    }
                    continue;
                }
                _ => {}
            }
            match reader.value(arg) {
                Some(value) => words.push(value),
                None if arg.is_empty() || words.len() == 1 && !listed && is_callback(arg) => {}
                None => words.push(text::ANY.to_string()),
            }
        }
        if name == "fork" && words.is_empty() {
            return Ok(());
        }
        if words.is_empty() {
            return Err(computed(name));
        }
        // `execvp("git", ["git", "push"])` repeats the program name, the `l` forms as well.
        let repeats = name.starts_with("exec")
            && name != "execSync"
            && name != "execFile"
            && name != "execFileSync"
            && name != "exec"
            || name.starts_with("spawnl")
            || name.starts_with("spawnv");
        if repeats && words.len() > 1 {
            words.remove(0);
        }
        if let ([only], false) = (words.as_slice(), listed) {
            let code = only.clone();
            if text::is_any(&code) {
                return Err(computed(name));
            }
            self.script(&code, &mut st)?;
            return Ok(());
        }
        let shell_too = words.join(" ");
        let argv = words;
        if argv.first().is_some_and(|program| program.contains(' ')) && !text::is_any(&shell_too) {
            self.script(&shell_too, &mut st.clone())?;
        }
        self.separate(call, argv, &st)?;
        Ok(())
    }

    /// Judges every file the code writes or deletes.
    fn written_by(
        &mut self,
        family: Family,
        reader: &Reader<'_>,
        args: &[String],
        st: &State,
    ) -> Judged<()> {
        let mut unresolved = None;
        for (at, token) in reader.tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let called = matches!(reader.tokens.get(at + 1), Some(Token::Sign('(')));
            let bare = matches!(family, Family::Perl | Family::Ruby)
                && match reader.tokens.get(at + 1) {
                    Some(Token::Text(..) | Token::Sign('$' | '@')) => true,
                    // `open FILE, ">x"`, `unlink glob "x"`, `unlink <x>`
                    Some(Token::Name(_) | Token::Sign('<')) => {
                        family == Family::Perl
                            && matches!(
                                name.as_str(),
                                "open" | "unlink" | "rename" | "rmdir" | "mkdir" | "rmtree"
                            )
                    }
                    _ => false,
                };
            if !called && !bare {
                if let Some(renamed) = taken_along(name, at, family, reader) {
                    // A file call under another name: its arguments are not followed.
                    self.write_target(renamed, None, false, st, &mut unresolved)?;
                }
                continue;
            }
            let arguments = reader.arguments_or_words(at + 1);
            if let Some(target) = opened(name, at, family, reader, &arguments) {
                self.write_target(name, target, false, st, &mut unresolved)?;
                continue;
            }
            let member = at > 0
                && matches!(
                    reader.tokens.get(at - 1),
                    Some(Token::Sign('.' | ':' | '>'))
                );
            let Some((_, positions, deletes)) = WRITES.iter().find(|(write, _, _)| write == name)
            else {
                // `os.replace(a, b)` has two arguments like the one for strings; the module tells them apart.
                let on_os = reader.receiver_name(at) == Some("os");
                if name == "replace" && on_os {
                    for arg in &arguments {
                        self.write_target(name, reader.value(arg), true, st, &mut unresolved)?;
                    }
                }
                if matches!(name.as_str(), "write")
                    && reader
                        .receiver_name(at)
                        .is_some_and(|r| matches!(r, "File" | "IO" | "Bun" | "Deno"))
                {
                    let target = arguments.first().and_then(|arg| reader.value(arg));
                    self.write_target(name, target, false, st, &mut unresolved)?;
                }
                if name == "connect"
                    && reader
                        .tokens
                        .iter()
                        .any(|t| matches!(t, Token::Name(n) if n == "sqlite3"))
                    && !self.role.writes()
                {
                    let memory = arguments
                        .first()
                        .and_then(|arg| reader.value(arg))
                        .is_some_and(|v| v == ":memory:");
                    if !memory {
                        return Err(read_only("may write a database"));
                    }
                }
                continue;
            };
            if !is_file_call(name, at, family, reader, member) {
                continue;
            }
            let from_receiver = positions.contains(&9);
            if from_receiver && member && !reader.is_module(at) {
                let target = reader.receiver(at);
                self.write_target(name, target, *deletes, st, &mut unresolved)?;
                for position in positions.iter().filter(|p| **p != 9) {
                    if let Some(arg) = arguments.get(*position)
                        && matches!(
                            name.as_str(),
                            "rename" | "replace" | "hardlink_to" | "link_to"
                        )
                    {
                        self.write_target(name, reader.value(arg), *deletes, st, &mut unresolved)?;
                    }
                }
                continue;
            }
            let mut judged = false;
            for position in positions.iter().filter(|p| **p != 9) {
                let Some(arg) = arguments.get(*position) else {
                    continue;
                };
                let number = matches!(arg.as_slice(), [Token::Name(n)] if n.bytes().all(|c| c.is_ascii_digit() || c == b'o'));
                if number {
                    continue;
                }
                judged = true;
                self.write_target(name, reader.value(arg), *deletes, st, &mut unresolved)?;
            }
            if !judged {
                self.write_target(name, None, *deletes, st, &mut unresolved)?;
            }
        }
        match unresolved {
            Some(name) => self.nothing_outside(&name, reader, args, st),
            None => Ok(()),
        }
    }

    fn write_target(
        &mut self,
        name: &str,
        target: Option<String>,
        deletes: bool,
        st: &State,
        unresolved: &mut Option<String>,
    ) -> Judged<()> {
        let Some(target) = target else {
            if !self.role.writes() {
                return Err(read_only(&format!("changes files with {name}")));
            }
            unresolved.get_or_insert_with(|| name.to_owned());
            return Ok(());
        };
        let path = home_marked(&target);
        if deletes {
            self.delete_path(&path, true, st)
        } else {
            self.write_path(&path, st)
        }
    }

    /// A target that is computed passes only when nothing in the code could name a place outside.
    fn nothing_outside(
        &mut self,
        name: &str,
        reader: &Reader<'_>,
        args: &[String],
        st: &State,
    ) -> Judged<()> {
        let refused = |what: &str| {
            Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{name} writes where {what} decides; name the path as a plain string inside your worktree"
                ),
            )
        };
        for token in reader.tokens {
            match token {
                Token::Name(word) if CONJURES.contains(&word.as_str()) => {
                    return Err(refused(word));
                }
                Token::Text(value, _) => {
                    let looks =
                        value.starts_with(['/', '~']) || value.split('/').any(|part| part == "..");
                    let inside = st
                        .cwd
                        .iter()
                        .all(|place| self.paths.is_inside(value, place));
                    if looks && !inside && !value.contains('\n') {
                        return Err(refused(&brief(value)));
                    }
                }
                Token::Name(_) | Token::Run(..) | Token::Sign(_) | Token::Line => {}
            }
        }
        let takes_args = reader.tokens.iter().any(|token| {
            matches!(token, Token::Name(word) if matches!(word.as_str(), "argv" | "ARGV" | "args"))
        });
        for arg in args.iter().filter(|_| takes_args) {
            self.write_path(arg, st)?;
        }
        if st.cwd.iter().any(|place| matches!(place, Place::Unknown)) {
            return Err(refused("the directory"));
        }
        self.need_inside(st, "writing files")
    }
}

impl<'t> Reader<'t> {
    fn new(tokens: &'t [Token]) -> Self {
        let mut reader = Self {
            tokens,
            names: HashMap::new(),
        };
        // Only names bound once to a plain value are followed.
        let mut bound: HashMap<&'t str, Option<String>> = HashMap::new();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let assigned = matches!(tokens.get(at + 1), Some(Token::Sign('=')))
                && !matches!(tokens.get(at + 2), Some(Token::Sign('=' | '>' | '~')));
            let looped = matches!(tokens.get(at + 1), Some(Token::Name(word)) if word == "in" || word == "of");
            if assigned {
                let end = statement_end(tokens, at + 2);
                let value = tokens
                    .get(at + 2..end)
                    .and_then(|expression| value_of(expression, &bound));
                let entry = bound.entry(name.as_str());
                match entry {
                    std::collections::hash_map::Entry::Occupied(mut old) => {
                        if *old.get() != value {
                            old.insert(None);
                        }
                    }
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert(value);
                    }
                }
            } else if looped
                || matches!(tokens.get(at + 1), Some(Token::Sign('+')))
                    && matches!(tokens.get(at + 2), Some(Token::Sign('=')))
            {
                bound.insert(name.as_str(), None);
            }
        }
        reader.names = bound;
        reader
    }

    fn value(&self, expression: &[Token]) -> Option<String> {
        value_of(expression, &self.names)
    }

    /// The arguments of a call whose `(` is at `open`.
    fn arguments(&self, open: usize) -> Vec<Vec<Token>> {
        if !matches!(self.tokens.get(open), Some(Token::Sign('('))) {
            return Vec::new();
        }
        let end = closing(self.tokens, open);
        Self::split(self.tokens.get(open + 1..end).unwrap_or_default())
            .into_iter()
            .map(<[Token]>::to_vec)
            .collect()
    }

    /// Like `arguments`, also for calls without parentheses.
    fn arguments_or_words(&self, at: usize) -> Vec<Vec<Token>> {
        if matches!(self.tokens.get(at), Some(Token::Sign('('))) {
            return self.arguments(at);
        }
        let end = statement_end(self.tokens, at);
        Self::split(self.tokens.get(at..end).unwrap_or_default())
            .into_iter()
            .map(<[Token]>::to_vec)
            .collect()
    }

    fn split(tokens: &[Token]) -> Vec<&[Token]> {
        let mut depth = 0_i32;
        tokens
            .split(move |token| {
                match token {
                    Token::Sign('(' | '[' | '{') => depth += 1,
                    Token::Sign(')' | ']' | '}') => depth -= 1,
                    Token::Name(_)
                    | Token::Text(..)
                    | Token::Run(..)
                    | Token::Sign(_)
                    | Token::Line => {}
                }
                depth == 0 && *token == Token::Sign(',')
            })
            .collect()
    }

    fn receiver_name(&self, at: usize) -> Option<&'t str> {
        match (self.tokens.get(at.checked_sub(2)?), self.tokens.get(at - 1)) {
            (Some(Token::Name(name)), Some(Token::Sign('.' | ':'))) => Some(name),
            _ => None,
        }
    }

    /// Whether the receiver is a module or class, so that the target is an argument.
    fn is_module(&self, at: usize) -> bool {
        if at >= 2 && matches!(self.tokens.get(at - 2), Some(Token::Sign(')'))) {
            // `require('fs').unlink(…)`
            return self
                .tokens
                .get(..at)
                .unwrap_or_default()
                .iter()
                .rev()
                .take(6)
                .any(|token| matches!(token, Token::Name(n) if n == "require"));
        }
        self.receiver_name(at).is_some_and(|name| {
            matches!(
                name,
                "os" | "shutil"
                    | "fs"
                    | "fsp"
                    | "promises"
                    | "File"
                    | "FileUtils"
                    | "Dir"
                    | "Deno"
                    | "Bun"
                    | "path"
                    | "fse"
                    | "IO"
                    | "Pathname"
            )
        })
    }

    /// The value of `Path("a")` or a name before `.method(`.
    fn receiver(&self, at: usize) -> Option<String> {
        let dot = at.checked_sub(1)?;
        let mut start = dot;
        let mut depth = 0_i32;
        while start > 0 {
            match self.tokens.get(start - 1) {
                Some(Token::Sign(')' | ']')) => depth += 1,
                Some(Token::Sign('(' | '[')) if depth == 0 => break,
                Some(Token::Sign('(' | '[')) => depth -= 1,
                Some(Token::Name(_) | Token::Text(..) | Token::Sign('.')) => {}
                _ if depth > 0 => {}
                _ => break,
            }
            start -= 1;
        }
        self.value(self.tokens.get(start..dot)?)
    }
}

/// The plain value of an expression, when it has one.
fn value_of(expression: &[Token], names: &HashMap<&str, Option<String>>) -> Option<String> {
    let expression: Vec<&Token> = expression
        .iter()
        .filter(|token| **token != Token::Line && **token != Token::Sign('$'))
        .collect();
    match expression.as_slice() {
        [Token::Text(value, false)] => Some(value.clone()),
        [Token::Name(name)] => names.get(name.as_str()).cloned().flatten(),
        [
            Token::Name(class),
            Token::Sign('('),
            inner @ ..,
            Token::Sign(')'),
        ] if matches!(
            class.as_str(),
            "Path" | "PurePath" | "PosixPath" | "str" | "Pathname" | "String"
        ) =>
        {
            let inner: Vec<Token> = inner.iter().map(|t| (*t).clone()).collect();
            join_parts(&Reader::split(&inner), "/", names)
        }
        [Token::Name(_), Token::Sign('.'), rest @ ..]
        | [
            Token::Name(_),
            Token::Sign('.'),
            Token::Name(_),
            Token::Sign('.'),
            rest @ ..,
        ] if matches!(rest, [Token::Name(n), ..] if n == "join" || n == "Path" || n == "resolve") => {
            match rest {
                [
                    Token::Name(_),
                    Token::Sign('('),
                    inner @ ..,
                    Token::Sign(')'),
                ] => {
                    let inner: Vec<Token> = inner.iter().map(|t| (*t).clone()).collect();
                    join_parts(&Reader::split(&inner), "/", names)
                }
                _ => None,
            }
        }
        parts if parts.iter().any(|t| matches!(t, Token::Sign('+' | '/'))) => {
            let separator = if parts.contains(&&Token::Sign('/')) {
                "/"
            } else {
                ""
            };
            let owned: Vec<Token> = parts.iter().map(|t| (*t).clone()).collect();
            let mut depth = 0_i32;
            let pieces: Vec<&[Token]> = owned
                .split(|token| {
                    match token {
                        Token::Sign('(' | '[') => depth += 1,
                        Token::Sign(')' | ']') => depth -= 1,
                        Token::Name(_)
                        | Token::Text(..)
                        | Token::Run(..)
                        | Token::Sign(_)
                        | Token::Line => {}
                    }
                    depth == 0 && matches!(token, Token::Sign('+' | '/'))
                })
                .collect();
            if pieces.len() < 2 {
                return None;
            }
            join_parts(&pieces, separator, names)
        }
        _ => None,
    }
}

fn join_parts(
    parts: &[&[Token]],
    separator: &str,
    names: &HashMap<&str, Option<String>>,
) -> Option<String> {
    let mut out = String::new();
    for part in parts {
        let value = value_of(part, names)?;
        if separator == "/" && value.starts_with('/') {
            // Joining with an absolute path starts over.
            out = value;
            continue;
        }
        if !out.is_empty() {
            out.push_str(separator);
        }
        out.push_str(&value);
    }
    Some(out)
}

fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            Token::Name(_) | Token::Text(..) | Token::Run(..) | Token::Sign(_) | Token::Line => {}
        }
    }
    tokens.len()
}

fn statement_end(tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth -= 1;
                if depth < 0 {
                    return at;
                }
            }
            Token::Sign(';') | Token::Line if depth == 0 => return at,
            Token::Name(word)
                if depth == 0
                    && matches!(word.as_str(), "if" | "unless" | "for" | "and" | "or") =>
            {
                return at;
            }
            Token::Name(_) | Token::Text(..) | Token::Run(..) | Token::Sign(_) | Token::Line => {}
        }
    }
    tokens.len()
}

/// `name=value` or `name: value` as an argument.
fn keyword(arg: &[Token]) -> Option<(&str, &[Token])> {
    match arg {
        [Token::Name(name), Token::Sign('=' | ':'), value @ ..]
            if !matches!(value.first(), Some(Token::Sign('=' | '>'))) =>
        {
            Some((name, value))
        }
        _ => None,
    }
}

fn is_callback(arg: &[Token]) -> bool {
    arg.iter()
        .any(|token| matches!(token, Token::Name(n) if n == "function"))
        || arg
            .windows(2)
            .any(|pair| matches!(pair, [Token::Sign('='), Token::Sign('>')]))
}

fn imports(tokens: &[Token], at: usize) -> bool {
    at > 0
        && matches!(tokens.get(at - 1), Some(Token::Name(word)) if word == "import" || word == "from")
}

/// The target of a call that opens a file for writing: `Some(None)` when it is computed.
fn opened(
    name: &str,
    at: usize,
    family: Family,
    reader: &Reader<'_>,
    arguments: &[Vec<Token>],
) -> Option<Option<String>> {
    if !matches!(
        name,
        "open"
            | "fopen"
            | "openSync"
            | "open_file"
            | "sysopen"
            | "new"
            | "File"
            | "GzipFile"
            | "ZipFile"
            | "TarFile"
    ) {
        return None;
    }
    let receiver = reader.receiver_name(at);
    if name == "new" && receiver != Some("File") || name == "File" {
        return None;
    }
    let writing = |mode: &str| {
        let mode = mode.trim();
        mode.len() <= 6 && mode.contains(['w', 'a', 'x', '+'])
            || mode.starts_with('>')
            || mode.starts_with("+<")
    };
    let flag = |arg: &Vec<Token>| {
        arg.iter().any(|token| match token {
            Token::Name(word) => {
                word.starts_with("O_WR")
                    || word.starts_with("O_RDWR")
                    || word.starts_with("O_CREAT")
                    || word.starts_with("O_TRUNC")
                    || word.starts_with("O_APPEND")
            }
            Token::Text(..) | Token::Run(..) | Token::Sign(_) | Token::Line => false,
        })
    };
    let arg_mode = |arg: &Vec<Token>| -> Option<bool> {
        let value = keyword(arg).map_or(arg.as_slice(), |(_, value)| value);
        match value {
            [Token::Text(mode, _)] => Some(writing(mode)),
            _ if flag(arg) => Some(true),
            [] => Some(false),
            _ => None,
        }
    };
    if family == Family::Perl {
        // open(FH, ">file") and open(FH, ">", "file")
        let mode = arguments.get(1)?;
        let Some(mode_text) = reader.value(mode) else {
            return Some(None);
        };
        if !writing(&mode_text) && !mode_text.trim().starts_with('>') {
            return None;
        }
        let path = mode_text
            .trim()
            .trim_start_matches(['>', '+', '<'])
            .trim()
            .to_owned();
        return Some(match arguments.get(2) {
            Some(target) => reader.value(target),
            None => Some(path),
        });
    }
    // `Path("x").open("w")` has the mode first.
    let method = receiver.is_none_or(|name| {
        !matches!(
            name,
            "os" | "io"
                | "codecs"
                | "gzip"
                | "bz2"
                | "lzma"
                | "fs"
                | "File"
                | "tarfile"
                | "zipfile"
                | "builtins"
                | "Image"
                | "Deno"
                | "fsp"
        )
    }) && at > 0
        && matches!(reader.tokens.get(at - 1), Some(Token::Sign('.')))
        && !reader.is_module(at);
    let named = arguments
        .iter()
        .find(|arg| keyword(arg).is_some_and(|(key, _)| matches!(key, "mode" | "flags")));
    let mode = named.or_else(|| {
        arguments
            .get(usize::from(!method))
            .filter(|arg| keyword(arg).is_none_or(|(key, _)| matches!(key, "mode" | "flags")))
    });
    let writes = match mode {
        None => false,
        // A mode that is computed may be anything.
        Some(mode) => arg_mode(mode).unwrap_or(true),
    };
    if !writes {
        return None;
    }
    if method {
        return Some(reader.receiver(at));
    }
    Some(arguments.first().and_then(|arg| reader.value(arg)))
}

/// A function that changes files taken along as a value, to be called under another name.
fn taken_along<'n>(
    name: &'n str,
    at: usize,
    family: Family,
    reader: &Reader<'_>,
) -> Option<&'n str> {
    let next = reader.tokens.get(at + 1);
    let kept = at > 0
        && name == "open"
        && matches!(reader.tokens.get(at - 1), Some(Token::Sign('=')))
        && matches!(next, None | Some(Token::Line | Token::Sign(';' | ',')));
    if kept {
        return Some(name);
    }
    if !WRITES.iter().any(|(write, _, _)| *write == name) {
        return None;
    }
    let from_module = reader.is_module(at) && at > 0;
    let imported = family == Family::Python
        && matches!(next, Some(Token::Name(word)) if word == "as")
        && reader
            .tokens
            .iter()
            .any(|t| matches!(t, Token::Name(n) if n == "from"));
    let unpacked = family == Family::JavaScript
        && matches!(next, Some(Token::Sign(':')))
        && matches!(reader.tokens.get(at + 2), Some(Token::Name(_)))
        && reader
            .tokens
            .iter()
            .any(|t| matches!(t, Token::Text(module, _) if matches!(module.trim_start_matches("node:"), "fs" | "fs/promises" | "fs-extra")));
    (from_module || imported || unpacked).then_some(name)
}

/// Tells file calls from methods of lists, strings and sets that have the same name.
fn is_file_call(name: &str, at: usize, family: Family, reader: &Reader<'_>, member: bool) -> bool {
    match name {
        "remove" | "copy" | "move" | "delete" | "install" | "rm" | "cp" | "mv" | "link"
        | "touch" | "mkdir" | "rename" | "truncate" | "unlink" | "rmdir" | "chmod" | "chown"
        | "symlink" => {
            if !member {
                return true;
            }
            if reader.is_module(at) {
                return true;
            }
            // A method of something that is not a module: only path objects matter.
            match name {
                "remove" | "copy" | "move" | "delete" | "install" | "link" | "truncate" => {
                    family == Family::Ruby
                        && name == "delete"
                        && reader.receiver_name(at) == Some("File")
                }
                _ => true,
            }
        }
        _ => true,
    }
}

fn computed(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{name} starts a program that cannot be read off the code; run the command in the shell instead"
        ),
    )
}

fn home_marked(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{HOME}{rest}"),
        _ => path.to_owned(),
    }
}
