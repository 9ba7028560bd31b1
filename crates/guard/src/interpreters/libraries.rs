//! Libraries and modules an interpreter is told to load that this very command has written.

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
                    self.judge_code(&source, family, &[], call, st)?;
                }
            }
        }
        Ok(())
    }
}

/// The files a library may be in.
fn files(library: &str, family: Family) -> Vec<String> {
    match family {
        Family::Python => {
            let path = library.replace('.', "/");
            vec![
                format!("{path}.py"),
                format!("{path}/__main__.py"),
                format!("{path}/__init__.py"),
            ]
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
