//! Containers: what of this machine they get to see, and which of them may be stopped.
//!
//! A folder mounted for writing is a write to it; the command inside is judged for publishing only, because
//! its paths are not this machine's.

use std::path::Path;

use super::network::unguarded;
use crate::commands::{Call, read_only};
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "docker" | "podman" | "nerdctl" | "buildah" => Some(docker(w, name, call, st)),
        "docker-compose" | "podman-compose" => {
            let mut argv = vec!["docker".to_owned(), "compose".to_owned()];
            argv.extend_from_slice(call.args());
            Some(docker(w, name, &call.with(argv), st))
        }
        "lxc" | "lxc-attach" | "incus" | "vagrant" | "multipass" | "limactl" | "kind"
        | "minikube" | "k3d" | "crictl" | "ctr" | "runc" => {
            let words: Vec<&str> = call.args().iter().map(String::as_str).collect();
            let asks = matches!(
                words.as_slice(),
                ["status" | "version" | "--version" | "list" | "ls" | "validate"]
                    | ["get", "clusters" | "nodes"]
                    | ["cluster", "list"]
            );
            Some(if asks { Ok(()) } else { Err(unguarded(name)) })
        }
        _ => None,
    }
}

fn docker(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let own: Vec<&str> = args.iter().map(String::as_str).collect();
    if own.iter().any(|arg| {
        matches!(*arg, "-H" | "--host" | "--context")
            || arg.starts_with("--host=")
            || arg.starts_with("-H=")
    }) {
        return Err(unguarded("another container host"));
    }
    let mut words = own.iter().copied().filter(|arg| !arg.starts_with('-'));
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    let reads = match first {
        "" | "ps" | "images" | "logs" | "inspect" | "version" | "info" | "top" | "stats"
        | "port" | "history" | "search" | "diff" | "events" | "help" => true,
        "container" | "image" | "volume" | "network" | "system" | "context" | "buildx"
        | "manifest" => matches!(
            second,
            "ls" | "list"
                | "ps"
                | "inspect"
                | "logs"
                | "df"
                | "info"
                | "history"
                | "show"
                | "version"
        ),
        "compose" => own.iter().any(|arg| {
            matches!(
                *arg,
                "ps" | "logs" | "config" | "ls" | "images" | "version" | "top"
            )
        }),
        _ => false,
    };
    if reads {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only(&format!("uses {name}, which may change things")));
    }
    match first {
        "build" | "pull" | "create" | "run" | "exec" | "tag" | "cp" | "compose" | "bake"
        | "start" | "wait" | "bud" | "from" => {}
        "buildx" | "builder" if matches!(second, "build" | "bake" | "create" | "use") => {}
        "container" if matches!(second, "run" | "exec" | "create" | "start" | "cp") => {}
        "image" if matches!(second, "build" | "pull" | "tag") => {}
        "network" | "volume" if second == "create" => {}
        _ if super::container_names::ends_own(w, args) => return Ok(()),
        _ => {
            return Err(Refusal::new(
                rule::PROCESS,
                format!(
                    "{} {} could stop or remove what others use; leave it running or use compose in your worktree",
                    brief(name),
                    brief(first)
                ),
            ));
        }
    }
    if first == "compose"
        && own
            .iter()
            .any(|arg| matches!(*arg, "kill" | "-v" | "--volumes" | "--rmi"))
        && own.iter().any(|arg| matches!(*arg, "kill" | "down" | "rm"))
    {
        return Err(Refusal::new(
            rule::PROCESS,
            "this removes data of running services; use compose down without options",
        ));
    }
    mounts(w, args, st)?;
    super::container_names::remember(w, args);
    if first == "compose" && own.iter().any(|arg| matches!(*arg, "run" | "exec")) {
        inner(w, call, st)?;
    }
    if matches!(first, "build" | "buildx" | "compose" | "bake") {
        return super::generic::outside_arguments(w, name, args, st);
    }
    if first == "cp" || second == "cp" {
        return match own.last() {
            Some(target) if !target.contains(':') => w.write_path(target, st),
            _ => Ok(()),
        };
    }
    inner(w, call, st)
}

fn mounts(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    for (at, arg) in args.iter().enumerate() {
        let value = |name: &str| -> Option<String> {
            if arg == name {
                return args.get(at + 1).cloned();
            }
            arg.strip_prefix(name)
                .and_then(|rest| {
                    rest.strip_prefix('=')
                        .or(if name.len() == 2 { Some(rest) } else { None })
                })
                .map(str::to_owned)
        };
        let power = matches!(
            arg.as_str(),
            "--privileged"
                | "--device"
                | "--cap-add"
                | "--volumes-from"
                | "--security-opt"
                | "--pid"
                | "--ipc"
                | "--userns"
        ) || [
            "--privileged=",
            "--device=",
            "--cap-add=",
            "--pid=",
            "--volumes-from=",
            "--security-opt=",
            "--userns=",
        ]
        .iter()
        .any(|flag| arg.starts_with(flag));
        if power {
            return Err(Refusal::new(
                rule::PRIVILEGE,
                format!(
                    "{} gives the container power over this machine; run it without",
                    brief(arg)
                ),
            ));
        }
        if let Some(volume) = value("-v").or_else(|| value("--volume")) {
            let mut parts = volume.split(':');
            let source = parts.next().unwrap_or("");
            let read_only = volume
                .rsplit(':')
                .next()
                .is_some_and(|mode| mode.split(',').any(|word| word == "ro"));
            if volume.contains(':') || source.starts_with(['/', '.', '~']) {
                mount(w, source, read_only, st)?;
            }
        }
        if let Some(mount_text) = value("--mount") {
            let field = |name: &str| {
                mount_text.split(',').find_map(|part| {
                    part.strip_prefix(name)
                        .and_then(|rest| rest.strip_prefix('='))
                })
            };
            if mount_text.contains("type=bind")
                && let Some(source) = field("source").or_else(|| field("src"))
            {
                let read_only = mount_text
                    .split(',')
                    .any(|part| part.starts_with("readonly") || part.starts_with("ro"));
                mount(w, source, read_only, st)?;
            }
        }
    }
    Ok(())
}

fn mount(w: &mut Walker<'_>, source: &str, read_only: bool, st: &State) -> Judged<()> {
    // A plain name is a volume the container program keeps.
    if !source.contains('/') && !source.starts_with(['.', '~']) && text::is_known(source) {
        return Ok(());
    }
    let path = crate::tool_paths::home(source);
    w.read_path(&path, st)?;
    let socket = Path::new(&path)
        .extension()
        .is_some_and(|end| end == "sock");
    for place in &st.cwd.clone() {
        let zone = w.paths.zone(&path, place);
        let own = matches!(zone, Zone::Inside | Zone::Top | Zone::Temp | Zone::Device);
        let below_root = w.paths.is_below_root(&path, place);
        let visible = own || read_only && below_root;
        if socket || !visible {
            return Err(Refusal::new(
                rule::OUTSIDE,
                format!(
                    "the container would get {}, which is outside your worktree; mount a folder inside",
                    brief(&path)
                ),
            ));
        }
    }
    Ok(())
}

/// Publishing from inside a container is still publishing.
fn inner(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    for at in 2..call.argv.len().min(40) {
        let rest = call.argv.get(at..).unwrap_or_default().to_vec();
        let Some(program) = rest.first() else { break };
        let program = program.rsplit('/').next().unwrap_or("");
        if !matches!(
            program,
            "git"
                | "gh"
                | "npm"
                | "cargo"
                | "sh"
                | "bash"
                | "dash"
                | "ash"
                | "env"
                | "twine"
                | "pnpm"
                | "yarn"
        ) {
            continue;
        }
        if let Err(refusal) = w.separate(call, rest, st)
            && refusal.rule == rule::PUBLISH
        {
            return Err(refusal);
        }
        break;
    }
    Ok(())
}
