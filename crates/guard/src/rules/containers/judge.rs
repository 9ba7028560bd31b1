//! Containers: what of this machine they get to see, and which of them may be stopped.
//!
//! A folder mounted for writing is a write to it; the command inside is judged for publishing only, because
//! its paths are not this machine's.

use std::path::Path;

use super::names;
use super::words::Words;
use crate::commands::{Call, read_only};
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::agents;
use crate::rules::flags::parse;
use crate::rules::network::unguarded;
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

pub(in crate::rules) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    call: &Call,
    st: &State,
) -> Option<Judged<()>> {
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
    let words = Words::of(args);
    let (command, second) = (words.command, words.second);
    let reads = reads(&words);
    hosts(&words, reads)?;
    if reads {
        return printed(w, &words, st);
    }
    if !w.role.writes() {
        return Err(read_only(&format!("uses {name}, which may change things")));
    }
    match command {
        "build" | "pull" | "create" | "run" | "exec" | "tag" | "cp" | "compose" | "bake"
        | "start" | "wait" | "bud" | "from" | "save" | "export" | "load" | "import" => {}
        "buildx" | "builder" if matches!(second, "build" | "bake" | "create" | "use") => {}
        "container"
            if matches!(
                second,
                "run" | "exec" | "create" | "start" | "cp" | "export"
            ) => {}
        "image"
            if matches!(
                second,
                "build" | "pull" | "tag" | "save" | "load" | "import"
            ) => {}
        "network" | "volume" if second == "create" => {}
        _ if names::ends_own(w, words.all) => return Ok(()),
        _ => {
            return Err(Refusal::new(
                rule::PROCESS,
                format!(
                    "{} {} could stop or remove what others use; leave it running or use compose in your worktree",
                    brief(name),
                    brief(command)
                ),
            ));
        }
    }
    if command == "compose" {
        composed(&words)?;
        super::compose::judge(w, &words, st)?;
    }
    mounts(w, &words, st)?;
    agents_inside(&words)?;
    names::remember(w, words.all);
    if command == "compose" && matches!(second, "run" | "exec") {
        inner(w, call, st)?;
    }
    if matches!(command, "build" | "buildx" | "compose" | "bake") {
        return crate::rules::generic::outside_arguments(w, name, args, st);
    }
    // An image or the files of a container, packed into a file or onto the output.
    if [command, second]
        .iter()
        .any(|word| matches!(*word, "save" | "export"))
    {
        let flags = parse(args, "of", &["output", "format", "platform"]);
        return flags
            .values(&["o", "output"])
            .into_iter()
            .try_for_each(|file| w.write_path(file, st));
    }
    if [command, second]
        .iter()
        .any(|word| matches!(*word, "load" | "import"))
    {
        return crate::rules::generic::outside_arguments(w, name, args, st);
    }
    if command == "cp" || second == "cp" {
        return match args.last() {
            Some(target) if !target.contains(':') => w.write_path(target, st),
            _ => Ok(()),
        };
    }
    inner(w, call, st)
}

/// Whether the command only shows something.
fn reads(words: &Words) -> bool {
    match words.command {
        "" | "ps" | "images" | "logs" | "inspect" | "version" | "info" | "top" | "stats"
        | "port" | "history" | "search" | "diff" | "events" | "help" => true,
        "compose" => matches!(
            words.second,
            "" | "ps"
                | "logs"
                | "config"
                | "convert"
                | "ls"
                | "images"
                | "version"
                | "top"
                | "port"
                | "events"
                | "stats"
                | "volumes"
        ),
        "container" | "image" | "volume" | "network" | "system" | "context" | "buildx"
        | "manifest" => matches!(
            words.second,
            "" | "ls"
                | "list"
                | "ps"
                | "inspect"
                | "logs"
                | "df"
                | "info"
                | "history"
                | "show"
                | "version"
                | "top"
                | "stats"
                | "port"
                | "diff"
                | "events"
        ),
        _ => false,
    }
}

/// What a command that only shows something writes into a file all the same.
fn printed(w: &mut Walker<'_>, words: &Words, st: &State) -> Judged<()> {
    let writes = words.command == "compose" && matches!(words.second, "config" | "convert");
    let flags = parse(words.behind(), "o", &["output"]);
    match flags.value(&["o", "output"]) {
        Some(path) if writes => w.write_path(path, st),
        Some(_) | None => Ok(()),
    }
}

/// Refuses the containers of other machines, but for looking at them where nothing is started for that.
fn hosts(words: &Words, reads: bool) -> Judged<()> {
    const NAMED: &[&str] = &["H", "host", "c", "context", "connection", "url"];
    let far = |(option, value): &(&str, Option<&str>)| {
        let value = value.unwrap_or_default();
        NAMED.contains(option) && !is_here(value) && (!reads || value.contains("ssh:"))
    };
    if words.own.iter().any(far) {
        return Err(unguarded("another container host"));
    }
    Ok(())
}

/// Whether a container host, by its address or the name that its maker gives it, is this machine.
pub(in crate::rules) fn is_here(host: &str) -> bool {
    matches!(
        host,
        "" | "default" | "desktop-linux" | "rootless" | "colima" | "orbstack" | "rancher-desktop"
    ) || host.starts_with("unix://")
        || host.starts_with("npipe://")
}

/// What compose would remove, and what it would read its services from.
fn composed(words: &Words) -> Judged<()> {
    let behind = words.behind();
    let options = behind.iter().filter(|word| word.starts_with('-'));
    let volumes = options.clone().any(|word| {
        let letters = word.strip_prefix('-').unwrap_or(word);
        word == "--volumes"
            || word.starts_with("--rmi")
            || !letters.starts_with('-') && letters.contains('v')
    });
    if words.second == "kill" || volumes && matches!(words.second, "down" | "rm") {
        return Err(Refusal::new(
            rule::PROCESS,
            "this removes data of running services; use compose down without options",
        ));
    }
    let mut before = words.all.windows(2);
    let piped = before.any(|pair| matches!(pair, [option, file] if matches!(option.as_str(), "-f" | "--file") && file == "-"))
        || words.all.iter().any(|word| matches!(word.as_str(), "-f-" | "--file=-" | "-f=-"));
    let starts = !matches!(words.second, "down" | "stop" | "pull" | "exec");
    if piped && starts {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "services from standard input would start unread; use a file of the project",
        ));
    }
    Ok(())
}

/// What the container would see of this machine, and what it could do to it.
fn mounts(w: &mut Walker<'_>, words: &Words, st: &State) -> Judged<()> {
    for (option, value) in words.options() {
        let value = value.unwrap_or_default();
        let gives_power = match option {
            "privileged" | "device" | "device-cgroup-rule" | "cap-add" | "volumes-from" | "pid"
            | "ipc" => true,
            "security-opt" => !value.starts_with("no-new-privileges"),
            "userns" => !matches!(value, "keep-id" | "auto" | "private"),
            _ => false,
        };
        if gives_power {
            return Err(power(&format!("--{option}")));
        }
        match option {
            "v" | "volume" => {
                let mut parts = value.split(':');
                let source = parts.next().unwrap_or_default();
                let read_only = value
                    .rsplit(':')
                    .next()
                    .is_some_and(|mode| mode.split(',').any(|word| word == "ro"));
                if value.contains(':') || source.starts_with(['/', '.', '~']) {
                    mount(w, source, read_only, st)?;
                }
            }
            "mount" => mounted(w, value, st)?,
            // A volume that is a folder of this machine.
            "o" | "opt" if words.command == "volume" => {
                if let Some(source) = value.strip_prefix("device=") {
                    mount(w, source, false, st)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn power(option: &str) -> Refusal {
    Refusal::new(
        rule::PRIVILEGE,
        format!(
            "{} gives the container power over this machine; run it without",
            brief(option)
        ),
    )
}

/// `type=bind,source=FOLDER,target=…`, and a volume whose driver is told of a folder.
fn mounted(w: &mut Walker<'_>, text: &str, st: &State) -> Judged<()> {
    let parts = || text.split(',').map(|part| part.trim_matches('"'));
    let field = |name: &str| {
        parts().find_map(|part| {
            part.strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('='))
        })
    };
    let read_only = parts().any(|part| part.starts_with("readonly") || part.starts_with("ro"));
    let bind = field("type") == Some("bind");
    let sources = [
        field("source").filter(|_| bind),
        field("src").filter(|_| bind),
        field("volume-opt=device"),
    ];
    for source in sources.into_iter().flatten() {
        mount(w, source, read_only, st)?;
    }
    Ok(())
}

pub(super) fn mount(w: &mut Walker<'_>, source: &str, read_only: bool, st: &State) -> Judged<()> {
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

/// Agents have no guard in a container either.
fn agents_inside(words: &Words) -> Judged<()> {
    let starts = ["run", "exec", "create"];
    if !starts.contains(&words.command) && !starts.contains(&words.second) {
        return Ok(());
    }
    let Some((program, args)) = words.program() else {
        return Ok(());
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    match agents::of_name(name) {
        Some(agent) => agents::judge(agent, args),
        None => Ok(()),
    }
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
