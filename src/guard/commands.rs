//! One simple command, fully expanded: finds out what it really starts and asks the rules about it.
//!
//! Also home of the questions every rule asks: may this path be written, deleted, read; may this variable
//! be set.

use std::rc::Rc;

use super::explain::RunLine;
use super::paths::{Place, Zone, holds_guard_files};
use super::patterns;
use super::policy::{Judged, Refusal, Role, rule};
use super::rules;
use super::shell::output;
use super::shell::state::State;
use super::shell::text::{self, brief};
use super::shell::walk::{Done, Walker};

/// A command with its arguments, the variables set for it alone, and what it can read.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Option<Rc<str>>,
}

impl Call {
    pub(crate) fn args(&self) -> &[String] {
        self.argv.get(1..).unwrap_or_default()
    }

    /// The same call with another command line.
    pub(crate) fn with(&self, argv: Vec<String>) -> Self {
        Self {
            argv,
            env: self.env.clone(),
            stdin: self.stdin.clone(),
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.env
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Folders whose programs are known by their file name.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin/",
    "/usr/",
    "/sbin/",
    "/opt/",
    "/nix/",
    "/snap/",
    "/Library/",
    "/Applications/",
    "/~home/.",
    "/home/linuxbrew/",
];

impl Walker<'_> {
    /// Judges one command and everything it would start.
    pub(crate) fn run(&mut self, call: Call, st: &mut State) -> Judged<Done> {
        self.charge(2 + call.argv.len() / 4)?;
        self.nested(|walker| walker.run_here(call, st))
    }

    fn run_here(&mut self, mut call: Call, st: &mut State) -> Judged<Done> {
        self.note(&call, st);
        let Some(name) = call.argv.first().cloned() else {
            return Ok(Done::default());
        };
        if let Some(code) = self.shell_script_written(&name, st) {
            let mut child = st.for_program();
            child.positional = Some(Rc::new(call.args().to_vec()));
            child.stdin.clone_from(&call.stdin);
            return self.program(&code, &mut child);
        }
        let base = self.program_name(&name, st)?;
        if let Some(first) = call.argv.first_mut()
            && name.contains('/')
            && base != name
        {
            first.clone_from(&base);
        }
        if let Some(pattern) = patterns::blocked(self.policy, &call.argv) {
            return Err(Refusal::new(
                rule::PROJECT,
                format!(
                    "this project blocks {} (guard.block: {}); ask your lead by mail if it has to run",
                    brief(&call.argv.join(" ")),
                    brief(pattern)
                ),
            ));
        }
        if let Some(path) = self.found_in_path(&name, &call, st) {
            let mut argv = call.argv.clone();
            argv.splice(..1, [path]);
            return self.run(call.with(argv), st);
        }
        if !name.contains('/') && st.functions.contains_key(&name) {
            return self.function(&name, &call, st);
        }
        if let Some(done) = self.builtin(&base, &call, st)? {
            return Ok(done);
        }
        if let Some(done) = self.wrapper(&base, &call, st)? {
            return Ok(done);
        }
        // A gate may build things, also where it is a script of the project.
        let role = self.role;
        if !role.writes() && (patterns::allowed(self.policy, &call.argv) || self.is_gate(&call)?) {
            self.role = Role::Writer;
        }
        let interpreted = self.interpreter(&base, &call, st);
        let judged = match &interpreted {
            Ok(None) => rules::judge(self, &base, &call, st),
            Ok(Some(_)) | Err(_) => Ok(()),
        };
        self.role = role;
        if let Some(done) = interpreted? {
            return Ok(done);
        }
        judged?;
        let temp = self
            .policy
            .temp
            .as_ref()
            .map(|temp| temp.to_string_lossy().into_owned());
        let out = match base.as_str() {
            "git" => rules::git::output(self, &call, st),
            _ => output::of_program(
                &base,
                call.args(),
                call.stdin.as_deref(),
                st,
                temp.as_deref(),
            ),
        };
        let out = match (base.as_str(), call.args()) {
            // A file this very command wrote can be read back.
            ("cat", [path]) if !path.starts_with('-') => self.content(path, st).to_string(),
            _ => out,
        };
        Ok(Done::printing(out))
    }

    fn note(&mut self, call: &Call, st: &State) {
        if let Some(trace) = &mut self.trace {
            let words: Vec<String> = call.argv.iter().map(|arg| shown(arg)).collect();
            let cwd = super::shell::expand::place_text(&st.cwd);
            let set = call
                .env
                .iter()
                .map(|(key, value)| format!("{key}={} ", shown(value)));
            let line = RunLine {
                depth: self.depth.saturating_sub(3),
                command: format!("{}{}", set.collect::<String>(), words.join(" ")),
                directory: text::show(&cwd),
            };
            trace.push(line);
        }
    }

    /// The name the rules know a program by; a program that cannot be named is refused.
    fn program_name(&mut self, name: &str, st: &State) -> Judged<String> {
        if name.is_empty() {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the program name is empty; write the command out",
            ));
        }
        if !text::is_known(name) {
            let own = name.contains('/') && self.all_inside(name, st);
            if own && self.role.writes() {
                return Ok("./project-program".to_owned());
            }
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the program to run is not known before it runs; write its name out",
            ));
        }
        if !name.contains('/') {
            return Ok(name.to_owned());
        }
        let base = name.rsplit('/').next().unwrap_or(name).to_owned();
        if SYSTEM_FOLDERS.iter().any(|folder| name.starts_with(folder)) {
            return Ok(base);
        }
        let root = self.policy.root.to_string_lossy().into_owned();
        let inside = self.all_inside(name, st);
        if inside || name.starts_with(&format!("{root}/")) {
            if self.rewritten(name, st) {
                return Ok("./written-here".to_owned());
            }
            let installed = ["node_modules/", "venv/", "vendor/bin/", "target/", ".bin/"];
            if !inside
                && !installed.iter().any(|folder| name.contains(folder))
                && !rules::is_known(&base)
            {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    format!(
                        "{} is a script of the main checkout; run the copy in your worktree",
                        brief(name)
                    ),
                ));
            }
            if inside
                && !name.contains("node_modules/")
                && !name.contains("venv/")
                && !name.contains("vendor/bin/")
            {
                // A file named like a known program: the stricter reading of the two applies.
                return Ok(if rules::is_dangerous_name(&base) {
                    base
                } else {
                    format!("./{base}")
                });
            }
            return Ok(base);
        }
        if rules::is_known(&base) {
            return Ok(base);
        }
        Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} is a program outside your worktree; run the project's own programs by relative path",
                brief(name)
            ),
        ))
    }

    /// A program that this command put into a folder where programs are looked up.
    fn found_in_path(&self, name: &str, call: &Call, st: &State) -> Option<String> {
        if name.contains('/') || self.written.is_empty() && !self.paths.has_made_links() {
            return None;
        }
        let own = st.vars.get("PATH").map(super::shell::state::Var::value);
        let path = call.variable("PATH").map(str::to_owned).or(own)?;
        path.split(':')
            .filter(|folder| !folder.is_empty() && text::is_known(folder))
            .map(|folder| {
                let here = !folder.starts_with('/') && !folder.starts_with('.');
                format!("{}{folder}/{name}", if here { "./" } else { "" })
            })
            .find(|path| {
                self.rewritten(path, st)
                    || st
                        .cwd
                        .iter()
                        .any(|place| self.paths.is_made_link(path, place))
            })
    }

    /// The text of a shell script that this very command wrote and now runs by its path.
    fn shell_script_written(&self, name: &str, st: &State) -> Option<Rc<str>> {
        if !name.contains('/') {
            return None;
        }
        let code = self.written.get(&self.key(name, st)?)?.clone()?;
        let first = code.lines().next().unwrap_or("");
        let shell = !first.starts_with("#!") || first.ends_with("sh");
        (shell && text::is_known(&code)).then_some(code)
    }

    fn rewritten(&self, path: &str, st: &State) -> bool {
        self.key(path, st)
            .is_some_and(|key| self.written.contains_key(&key))
    }

    fn all_inside(&self, path: &str, st: &State) -> bool {
        st.cwd.iter().all(|place| self.paths.is_inside(path, place))
    }

    fn function(&mut self, name: &str, call: &Call, st: &mut State) -> Judged<Done> {
        if self.calls.iter().filter(|other| *other == name).count() >= 2 {
            return Err(Refusal::new(
                rule::PROCESS,
                "the function calls itself without a visible end; write a loop instead",
            ));
        }
        let Some(body) = st.functions.get(name).cloned() else {
            return Ok(Done::default());
        };
        let outer = st.positional.replace(Rc::new(call.args().to_vec()));
        let input = std::mem::replace(&mut st.stdin, call.stdin.clone());
        for (key, value) in &call.env {
            st.set(key, super::shell::state::Var::scalar(value.clone()));
        }
        self.calls.push(name.to_owned());
        let done = self.body(&body, st);
        self.calls.pop();
        st.positional = outer;
        st.stdin = input;
        st.dead = false;
        done
    }

    /// Whether a command is one of the configured quality gates, run without a flag that changes files.
    fn is_gate(&mut self, call: &Call) -> Judged<bool> {
        let gate = self
            .policy
            .quality_gates
            .iter()
            .flat_map(|gate| gate.split("&&").flat_map(|part| part.split(';')))
            .any(|gate| {
                let words: Vec<&str> = gate.split_whitespace().collect();
                !words.is_empty()
                    && words.len() <= call.argv.len()
                    && words.iter().zip(&call.argv).all(|(word, arg)| word == arg)
            });
        if !gate {
            return Ok(false);
        }
        let changes = |arg: &String| {
            let flag = arg.split('=').next().unwrap_or(arg);
            matches!(
                flag,
                "--fix"
                    | "--write"
                    | "-w"
                    | "--bless"
                    | "--in-place"
                    | "--update"
                    | "-u"
                    | "--updateSnapshot"
                    | "--snapshot-update"
                    | "--accept"
                    | "--allow-dirty"
                    | "--emit"
                    | "--force"
                    | "--target-dir"
                    | "--config"
                    | "--out-dir"
                    | "--output"
                    | "-o"
                    | "--manifest-path"
                    | "--artifact-dir"
            ) || text::is_any(arg)
        };
        let own = call.argv.iter().take_while(|arg| *arg != "--");
        let changing = own.clone().any(changes);
        let env = call.env.iter().any(|(name, value)| {
            matches!(
                name.as_str(),
                "UPDATE_EXPECT"
                    | "BLESS"
                    | "TRYBUILD"
                    | "UPDATE_SNAPSHOTS"
                    | "UPDATE_GOLDEN"
                    | "CARGO_TARGET_DIR"
                    | "RUSTC_WRAPPER"
            ) || name == "INSTA_UPDATE" && value != "no"
        });
        if changing || env {
            return Err(Refusal::new(
                rule::READ_ONLY,
                "run the quality gate without options that change files",
            ));
        }
        Ok(true)
    }

    /// May this path be created or overwritten?
    pub(crate) fn write_path(&mut self, path: &str, st: &State) -> Judged<()> {
        for place in &st.cwd {
            let zone = self.paths.zone(path, place);
            self.allow_write(zone, path, place)?;
        }
        if let Some(key) = self.key(path, st) {
            self.written.insert(key, None);
        }
        Ok(())
    }

    fn allow_write(&self, zone: Zone, path: &str, place: &Place) -> Judged<()> {
        if matches!(zone, Zone::Device | Zone::Temp) {
            return Ok(());
        }
        if zone == Zone::Disk {
            return Err(Refusal::new(
                rule::DESTROY,
                format!(
                    "{} is a device; write to a file in your worktree",
                    brief(path)
                ),
            ));
        }
        if !self.role.writes() {
            return Err(read_only(&format!("would write {}", brief(path))));
        }
        match zone {
            Zone::Device | Zone::Temp | Zone::Inside | Zone::Top => Ok(()),
            Zone::Git => Err(Refusal::new(
                rule::PROTECTED,
                "the worktree's .git must stay as it is; use git commands instead",
            )),
            Zone::Guard => Err(Refusal::new(
                rule::PROTECTED,
                format!(
                    "{} holds guard or orchestrator settings; ask your lead by mail if it must change",
                    brief(path)
                ),
            )),
            Zone::Above | Zone::Outside | Zone::Disk => {
                if self.paths.is_state(path, place) {
                    return Err(Refusal::new(
                        rule::STATE,
                        "orchestrator state is changed only by the orchestrator's own commands",
                    ));
                }
                Err(Refusal::new(
                    rule::OUTSIDE,
                    format!(
                        "{} is outside your worktree; write inside {}",
                        brief(path),
                        self.paths.worktree().display()
                    ),
                ))
            }
            Zone::Unknown => Err(Refusal::new(
                rule::UNPROVEN,
                format!(
                    "{} cannot be shown to be inside your worktree; name the path in full",
                    brief(path)
                ),
            )),
        }
    }

    /// May this path be removed or replaced as a whole?
    pub(crate) fn delete_path(&mut self, path: &str, recursive: bool, st: &State) -> Judged<()> {
        for place in &st.cwd {
            let zone = self.paths.zone_of_entry(path, place);
            if zone == Zone::Device && !matches!(path, "/dev/null") && self.role.writes() {
                continue;
            }
            if self.role.writes() && matches!(zone, Zone::Top | Zone::Above) {
                return Err(Refusal::new(
                    rule::DESTROY,
                    format!(
                        "{} is your worktree or holds it; delete single files or folders inside it",
                        brief(path)
                    ),
                ));
            }
            self.allow_write(zone, path, place)?;
            if !self.role.writes() {
                continue;
            }
            if let Some(inner) = self.paths.below_worktree(path, place) {
                if holds_guard_files(&inner) {
                    return Err(Refusal::new(
                        rule::PROTECTED,
                        format!(
                            "{} holds guard settings; leave the folder in place",
                            brief(path)
                        ),
                    ));
                }
                if recursive && inner == text::STAR.to_string() {
                    return Err(Refusal::new(
                        rule::DESTROY,
                        "this would empty your worktree; name the files or folders to delete",
                    ));
                }
            }
        }
        Ok(())
    }

    /// May this path be read?
    pub(crate) fn read_path(&mut self, path: &str, st: &State) -> Judged<()> {
        for place in &st.cwd {
            if self.paths.is_secret(path, place) {
                return Err(Refusal::new(
                    rule::CREDENTIALS,
                    format!(
                        "{} holds credentials, which agents do not read",
                        brief(path)
                    ),
                ));
            }
        }
        Ok(())
    }

    /// A change that is not a file of the worktree: only writers make those.
    pub(crate) fn need_writer(&self, what: &str) -> Judged<()> {
        if self.role.writes() {
            Ok(())
        } else {
            Err(read_only(what))
        }
    }

    /// Every directory the command may run in must be inside the worktree.
    pub(crate) fn need_inside(&self, st: &State, what: &str) -> Judged<()> {
        let own = st.cwd.iter().all(|place| match place {
            Place::Known(_) => matches!(
                self.paths.zone(".", place),
                Zone::Inside | Zone::Top | Zone::Temp
            ),
            Place::Unknown => false,
        });
        if own {
            Ok(())
        } else {
            Err(Refusal::new(
                rule::OUTSIDE,
                format!("{what} here would change files outside your worktree; run it inside"),
            ))
        }
    }

    /// May this variable be given this value? Some values are commands, some switch the guard off.
    pub(crate) fn check_variable(&mut self, name: &str, value: &str, st: &State) -> Judged<()> {
        rules::environment::check(self, name, value, st)
    }
}

pub(crate) fn read_only(what: &str) -> Refusal {
    Refusal::new(
        rule::READ_ONLY,
        format!("this role only reads, and this {what}; report it by mail or in a spec instead"),
    )
}

/// A word as people write it: quoted where a shell would take it apart.
fn shown(word: &str) -> String {
    let text = brief(word);
    let plain =
        !text.is_empty() && !text.contains([' ', '\'', '"', '|', '&', ';', '$', '`', '(', ')']);
    if plain {
        text
    } else {
        super::shell::walk::quote(&text)
    }
}
