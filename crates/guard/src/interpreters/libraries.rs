//! Libraries and modules an interpreter is told to load that this very command has written.

use std::rc::Rc;

use super::options::Plan;
use super::syntax::Family;
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

impl Walker<'_> {
    /// Judges what options name, under the names a file of a library has.
    pub(super) fn written_libraries(
        &mut self,
        family: Family,
        plan: &Plan,
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        for library in plan.loads.iter().chain(&plan.module) {
            for file in files(library, family) {
                if matches!(file.as_str(), "-" | "/dev/stdin") {
                    continue;
                }
                if let Some(source) = self.known_script(&file, st) {
                    self.library(&source, family, call, st)?;
                }
            }
        }
        Ok(())
    }
}

impl Walker<'_> {
    /// Judges the libraries of these names, or at these paths, that this very command has written.
    pub(super) fn written_imports(
        &mut self,
        names: &[String],
        family: Family,
        call: &Call,
        st: &State,
    ) -> Judged<()> {
        if self.written.is_empty() {
            return Ok(());
        }
        for name in names {
            self.charge(1)?;
            for file in files(name, family).iter().chain([name]) {
                let Some(key) = self.key(file, st) else {
                    continue;
                };
                // One that brings itself in again was judged.
                let Some(Some(source)) = self.written.get(&key).cloned() else {
                    continue;
                };
                self.written.remove(&key);
                let judged = self.library(&source, family, call, st);
                self.written.insert(key, Some(source));
                judged?;
            }
        }
        Ok(())
    }

    fn library(&mut self, source: &Rc<str>, family: Family, call: &Call, st: &State) -> Judged<()> {
        let outer = std::mem::replace(&mut self.is_library, true);
        let judged = self.judge_code(source, family, &[], call, st);
        self.is_library = outer;
        judged
    }

    /// Judges the scripts that this very command has written and a runner of scripts is given: `uv run x.py`.
    pub(super) fn written_scripts(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        let runs = matches!(
            name,
            "uv" | "coverage"
                | "poetry"
                | "pdm"
                | "hatch"
                | "rye"
                | "pipenv"
                | "pytest"
                | "py.test"
                | "kernprof"
                | "memray"
                | "scalene"
                | "streamlit"
                | "tsx"
                | "ts-node"
                | "babel-node"
                | "vite-node"
                | "zx"
                | "mprof"
                | "nodemon"
                | "mocha"
                | "rspec"
        );
        if self.written.is_empty() || !runs {
            return Ok(());
        }
        for word in call.args() {
            let family = match word.rsplit_once('.').map(|(_, end)| end) {
                Some("py") => Family::Python,
                Some("js" | "mjs" | "cjs" | "ts") => Family::JavaScript,
                Some("rb") => Family::Ruby,
                Some(_) | None => continue,
            };
            self.written_imports(std::slice::from_ref(word), family, call, st)?;
        }
        Ok(())
    }
}

/// The files a library may be in.
fn files(library: &str, family: Family) -> Vec<String> {
    match family {
        Family::Python => {
            let path = library.replace('.', "/");
            let mut files = vec![
                format!("{path}.py"),
                format!("{path}/__main__.py"),
                format!("{path}/__init__.py"),
            ];
            // The packages that it is in come first.
            let above = path.match_indices('/').filter(|(at, _)| *at > 0);
            files.extend(
                above.map(|(at, _)| format!("{}/__init__.py", path.get(..at).unwrap_or_default())),
            );
            files
        }
        Family::JavaScript => ["", ".js", ".cjs", ".mjs", ".ts"]
            .iter()
            .map(|end| format!("{library}{end}"))
            .collect(),
        Family::Ruby => vec![library.to_owned(), format!("{library}.rb")],
        Family::Perl => vec![format!("{}.pm", library.replace("::", "/"))],
        Family::Php => vec![library.to_owned()],
        Family::Other => vec![library.to_owned(), format!("{library}.lua")],
    }
}
