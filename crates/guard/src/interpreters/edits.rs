//! Code that a command changes and then runs, and interpreters that edit files in place.

use std::rc::Rc;

use super::syntax::Family;
use crate::commands::Call;
use crate::policy::Judged;
use crate::rules::fragments;
use crate::shell::state::State;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// The text of a script that this command wrote. `node` adds the end of its name, and finds the first file of a
    /// folder.
    pub(super) fn script_or_module(&self, name: &str, path: &str, st: &State) -> Option<Rc<str>> {
        self.known_script(path, st).or_else(|| {
            let ends: &[&str] = match name {
                "node" | "nodejs" => &[".js", ".cjs", "/index.js"],
                _ if name.starts_with("python") || name.starts_with("pypy") => &["/__main__.py"],
                _ => &[],
            };
            ends.iter()
                .find_map(|end| self.known_script(&format!("{path}{end}"), st))
        })
    }

    /// Judges what this command put into code that is the project's otherwise; whether it did.
    pub(super) fn has_changed_code(
        &mut self,
        script: &str,
        family: Family,
        args: &[String],
        call: &Call,
        st: &State,
    ) -> Judged<bool> {
        let Some((parts, added)) = self.changed(script, st) else {
            return Ok(false);
        };
        if let Some(added) = added {
            self.judge_code(&added.into(), family, args, call, st)?;
        }
        fragments::judge_code(self, &parts.texts, st)?;
        Ok(true)
    }

    /// A program that edits files in place; its substitutions put these texts into them.
    pub(super) fn in_place(
        &mut self,
        files: &[String],
        backup: Option<&str>,
        texts: &[Rc<str>],
        st: &State,
    ) -> Judged<()> {
        self.need_writer("edits files in place")?;
        if let Some(suffix) = backup {
            self.backup(suffix, st)?;
        }
        for file in files {
            self.write_path(file, st)?;
            self.put_texts(file, texts, st);
        }
        Ok(())
    }
}
