//! `cmake -E`: a box of file tools and a way to run programs.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Judges `cmake -E tool …` like the tool it stands for; `None` when this is another use of cmake.
pub(super) fn judge(w: &mut Walker<'_>, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    if let Some(at) = args.iter().position(|arg| arg == "-P") {
        let file = args.get(at + 1).map_or("", String::as_str);
        let known = w.content(file, st);
        let runs = !text::is_any(&known) && known.to_lowercase().contains("execute_process");
        if file.starts_with("/dev/") || file.starts_with("/proc/") || file == "-" || runs {
            return Some(Err(Refusal::new(
                rule::UNPROVEN,
                "cmake would run text that is not one of the project's files; write the commands out",
            )));
        }
    }
    if args.first().map(String::as_str) != Some("-E") {
        return None;
    }
    let rest = args.get(2..).unwrap_or_default();
    let with = |head: &[&str]| -> Vec<String> {
        head.iter()
            .map(|word| (*word).to_owned())
            .chain(rest.iter().cloned())
            .collect()
    };
    let argv = match args.get(1).map_or("", String::as_str) {
        "copy"
        | "copy_if_different"
        | "copy_if_newer"
        | "copy_directory"
        | "copy_directory_if_different" => with(&["cp", "-r"]),
        "rename" => with(&["mv"]),
        "rm" => with(&["rm"]),
        "remove" => with(&["rm", "-f"]),
        "remove_directory" => with(&["rm", "-r"]),
        "touch" | "touch_nocreate" => with(&["touch"]),
        "make_directory" => with(&["mkdir", "-p"]),
        "create_symlink" => with(&["ln", "-s"]),
        "create_hardlink" => with(&["ln"]),
        "tar" => with(&["tar"]),
        "cat" | "md5sum" | "sha1sum" | "sha256sum" | "compare_files" => with(&["cat"]),
        "env" => with(&["env"]),
        "time" => rest.to_vec(),
        "chdir" => {
            let mut inner = st.clone();
            w.enter(rest.first().map_or("", String::as_str), &mut inner);
            let argv = rest.get(1..).unwrap_or_default().to_vec();
            return Some(w.separate(call, argv, &inner).map(|_| ()));
        }
        "echo" | "echo_append" | "true" | "false" | "sleep" | "capabilities" | "environment"
        | "" => {
            return Some(Ok(()));
        }
        _ => {
            return Some(Err(Refusal::new(
                rule::UNPROVEN,
                "what this cmake tool does is not known to the guard; use the shell's own tools",
            )));
        }
    };
    Some(w.separate(call, argv, st).map(|_| ()))
}
