//! Which program a name stands for: known ones, the project's own, ones this very command wrote.

use std::rc::Rc;

use super::commands::Call;
use super::paths::Zone;
use super::policy::{Judged, Refusal, rule};
use super::rules;
use super::shell::state::State;
use super::shell::text::{self, brief};
use super::shell::walk::Walker;

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

/// Steps that go into a look for a program in one folder of `PATH`.
const LOOKED_UP: usize = 2;

/// More folders than anybody has in `PATH`: each of the rest is looked for on the disk, which takes so many steps.
const MOST_FOLDERS: usize = 64;
const TOO_MANY: usize = 16;

impl Walker<'_> {
    /// The name the rules know a program by; a program that cannot be named is refused.
    pub(super) fn program_name(&mut self, name: &str, st: &State) -> Judged<String> {
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
            if self.built_aside(name, st) {
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
        if let Some(agent) = rules::agents::of_script(name) {
            return Ok(agent.to_owned());
        }
        let base = name.rsplit('/').next().unwrap_or(name).to_owned();
        if SYSTEM_FOLDERS.iter().any(|folder| name.starts_with(folder)) {
            return Ok(base);
        }
        if let Some(other) = self.linked_program(name, st) {
            return Ok(other);
        }
        let inside = self.all_inside(name, st);
        if inside || self.paths.is_of_root(std::path::Path::new(name)) {
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
        if self.built_aside(name, st) {
            return Ok("./project-program".to_owned());
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
    pub(super) fn found_in_path(
        &mut self,
        name: &str,
        call: &Call,
        st: &State,
    ) -> Judged<Option<String>> {
        let own = st.vars.get("PATH").map(super::shell::state::Var::value);
        let Some(path) = call.variable("PATH").map(str::to_owned).or(own) else {
            return Ok(None);
        };
        if name.contains('/') {
            return Ok(None);
        }
        for (at, folder) in path.split(':').enumerate() {
            if folder.is_empty() || !text::is_known(folder) {
                continue;
            }
            self.charge(if at < MOST_FOLDERS {
                LOOKED_UP
            } else {
                TOO_MANY
            })?;
            let here = !folder.starts_with('/') && !folder.starts_with('.');
            let path = format!("{}{folder}/{name}", if here { "./" } else { "" });
            let made = |place| self.paths.is_made_link(&path, place);
            if self.rewritten(&path, st)
                || st.cwd.iter().any(made)
                || self.linked_program(&path, st).is_some()
            {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// The text of a shell script that this very command wrote and now runs by its path.
    pub(super) fn shell_script_written(&self, name: &str, st: &State) -> Option<Rc<str>> {
        if !name.contains('/') {
            return None;
        }
        let code = self.written.get(&self.key(name, st)?)?.clone()?;
        let first = code.lines().next().unwrap_or("");
        let shell = !first.starts_with("#!") || first.ends_with("sh");
        (shell && text::is_known(&code)).then_some(code)
    }

    /// The program of the system that a link of another name leads to: it does what that one does.
    fn linked_program(&self, path: &str, st: &State) -> Option<String> {
        let [place] = st.cwd.as_slice() else {
            return None;
        };
        let own = path.rsplit('/').next().unwrap_or(path);
        let real = self.key(path, st)?;
        let spelled = crate::paths::normal(&crate::paths::absolute(path, place)?);
        let real = real.to_str().filter(|_| real != spelled)?;
        let base = real.rsplit('/').next().unwrap_or(real);
        // `python3` may lead to `python3.12`, and programs of many names look at the one they are called by.
        let kin = base.starts_with(own) || own.starts_with(base);
        let of_system = SYSTEM_FOLDERS.iter().any(|folder| real.starts_with(folder));
        (of_system && !kin && rules::is_known(base) && !rules::is_known(own)
            || of_system && !kin && rules::is_dangerous_name(base))
        .then(|| base.to_owned())
    }

    fn rewritten(&self, path: &str, st: &State) -> bool {
        self.has_landed(path, st)
            || !self.written.is_empty()
                && self
                    .key(path, st)
                    .is_some_and(|key| self.written.contains_key(&key))
                && self
                    .changed(path, st)
                    .is_none_or(|(_, added)| added.is_some() && !is_shell_script(path))
    }

    /// Judges what this command put into a program of the project that it now runs by its path.
    pub(super) fn has_changed_program(&mut self, name: &str, st: &State) -> Judged<()> {
        if !name.contains('/') {
            return Ok(());
        }
        if is_shell_script(name) {
            return self.has_changed(name, &st.for_program()).map(|_| ());
        }
        match self.changed(name, st) {
            Some((parts, _)) => rules::fragments::judge_code(self, &parts.texts, st),
            None => Ok(()),
        }
    }

    /// Whether a writer's program lies in the agent's own temporary folder, where an earlier call has put it or this one
    /// has built it, or was built by this command in a folder that it made.
    fn built_aside(&self, path: &str, st: &State) -> bool {
        let temp = |place| self.paths.zone(path, place) == Zone::Temp;
        let own = |place| temp(place) || self.is_fresh(path, place);
        let base = path.rsplit('/').next().unwrap_or(path);
        let before = || text::is_known(path) && st.cwd.iter().all(temp) && !is_script(base);
        let built = || {
            self.key(path, st).is_some_and(|key| {
                self.begun
                    .contains(&rules::compiling::compiled::built(&key))
            })
        };
        self.role.writes()
            && path.contains('/')
            && text::is_known(base)
            && !rules::is_known(base)
            && !rules::is_dangerous_name(base)
            && st.cwd.iter().all(own)
            && (before() || built())
            && !self.rewritten(path, st)
    }

    fn all_inside(&self, path: &str, st: &State) -> bool {
        st.cwd.iter().all(|place| self.paths.is_inside(path, place))
    }
}

/// Whether a file is a script by its name: one that lies outside of the worktree is no program that was built.
fn is_script(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(
            end,
            "sh" | "bash" | "zsh" | "ksh" | "fish" | "py" | "pl" | "rb" | "js" | "mjs" | "ts"
        )
    })
}

/// Whether a program of the project is a shell script, as far as its name tells.
fn is_shell_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .is_none_or(|(_, end)| matches!(end, "sh" | "bash" | "zsh" | "ksh" | "command"))
}
