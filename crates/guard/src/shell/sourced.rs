//! Text that this very shell runs from elsewhere: `source`.

use super::state::State;
use super::text::{self, ANY};
use super::walk::{Done, Walker};
use crate::commands::Call;
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
            return self.script(&code, st);
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
}
