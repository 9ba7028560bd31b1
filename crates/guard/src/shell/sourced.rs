//! Text that this very shell runs from elsewhere: `source`.

use std::path::PathBuf;
use std::rc::Rc;

use super::state::State;
use super::text::{self, ANY};
use super::walk::{Done, Walker};
use crate::commands::Call;
use crate::paths::{absolute, normal};
use crate::policy::{Judged, Refusal, rule};

impl Walker<'_> {
    pub(super) fn source(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        // Without a file one shell runs its input, which the others never do.
        let Some(path) = call.args().first().filter(|path| *path != "-") else {
            return match call.stdin.clone() {
                Some(code) => self.script(&code, st),
                None => Ok(Done::default()),
            };
        };
        if matches!(
            path.as_str(),
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
        ) {
            let code = call.stdin.clone().unwrap_or_else(|| ANY.to_string().into());
            return self.script(&code, st);
        }
        if self.has_landed(path, st) {
            return self.script(&ANY.to_string(), st);
        }
        let changed = self.has_changed(path, st)?;
        if let Some(key) = self.key(path, st)
            && !changed
            && let Some(text) = self.written.get(&key).cloned()
        {
            let code = text.unwrap_or_else(|| ANY.to_string().into());
            return self.sourced(path, &code, st);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let environment = matches!(
            name,
            "activate"
                | ".bashrc"
                | ".profile"
                | ".bash_profile"
                | ".zshrc"
                | "nvm.sh"
                | "env"
                | ".env"
                | "profile"
                | "cargo-env"
                | "asdf.sh"
                | "conda.sh"
                | "sdkman-init.sh"
                | "emsdk_env.sh"
                | "setup.bash"
                | ".envrc"
                | "env.sh"
                | ".cargo-env"
        );
        let inside = st.cwd.iter().all(|place| self.paths.is_inside(path, place));
        if !(environment && text::is_known(path) && (inside || !path.starts_with("/tmp")))
            && !(inside && self.role.writes())
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "a script outside your worktree would run in this shell; run a project script instead",
            ));
        }
        Ok(Done::default())
    }

    /// Text of another file, which has its own name while it is read.
    fn sourced(&mut self, path: &str, code: &str, st: &mut State) -> Judged<Done> {
        let (before, functions) = (st.source.take(), Rc::clone(&st.functions));
        st.reads_file(path);
        let done = self.script(code, st)?;
        // A function knows the file it was defined in.
        st.source = before.filter(|_| Rc::ptr_eq(&functions, &st.functions));
        Ok(done)
    }

    /// Judges a script that runs, so that its folder is there.
    pub(crate) fn within_script(
        &mut self,
        path: &str,
        st: &State,
        judge: impl FnOnce(&mut Self) -> Judged<Done>,
    ) -> Judged<Done> {
        let before = self.made.len();
        let folders = st.cwd.iter().filter_map(|place| {
            let folder = normal(absolute(path, place)?.parent()?);
            (!self.made.contains(&folder)).then_some(folder)
        });
        let folders: Vec<PathBuf> = folders.filter(|_| text::is_known(path)).collect();
        let after = before + folders.len();
        self.made.extend(folders);
        let judged = judge(self);
        self.made.drain(before..after);
        judged
    }
}

impl State {
    /// It reads a file, in which nothing is defined yet that came from another one.
    pub(crate) fn reads_file(&mut self, path: &str) {
        self.source = self.functions.is_empty().then(|| path.into());
    }
}
