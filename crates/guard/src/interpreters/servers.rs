//! The development server of PHP: it serves, and runs, what is in a folder.

use std::path::Path;

use super::syntax::Family;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    /// Whether this command wrote a file whose name ends so.
    pub(crate) fn wrote_named(&self, end: &str) -> bool {
        self.written
            .keys()
            .any(|path| path.to_string_lossy().ends_with(end))
    }

    /// `php -S localhost:8000 -t public router.php`; `None` for every other call.
    pub(super) fn php_server(&mut self, call: &Call, st: &State) -> Judged<Option<Done>> {
        let mut address = None;
        let mut folder = ".";
        let mut router = None;
        let mut args = call.args().iter().map(String::as_str);
        while let Some(arg) = args.next() {
            match arg {
                "-S" => address = args.next(),
                "-t" => folder = args.next().unwrap_or(""),
                "-q" => {}
                _ if !arg.starts_with('-') && router.is_none() => router = Some(arg),
                _ => return Ok(None),
            }
        }
        let Some(address) = address else {
            return Ok(None);
        };
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        if !matches!(host, "localhost" | "127.0.0.1" | "[::1]") {
            return Err(Refusal::new(
                rule::NETWORK,
                "a server others can reach is not started here; serve on localhost",
            ));
        }
        self.need_writer("starts a server")?;
        // Pages this command wrote would run unread.
        if self.wrote_named(".php") || self.has_landed(&format!("{folder}/x"), st) {
            return Ok(None);
        }
        let inside = st
            .cwd
            .iter()
            .all(|place| self.paths.is_inside(folder, place));
        if !inside {
            return Err(Refusal::new(
                rule::OUTSIDE,
                format!(
                    "{} is outside your worktree; serve a folder inside",
                    brief(folder)
                ),
            ));
        }
        if let Some(router) = router {
            match self.known_script(router, st) {
                Some(source) => self.judge_code(&source, Family::Php, &[], call, st)?,
                None if Path::new(router).extension().is_some() => {
                    self.project_script("php", router, st)?;
                }
                None => return Ok(None),
            }
        }
        Ok(Some(Done::default()))
    }
}
