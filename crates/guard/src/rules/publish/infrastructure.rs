//! Tools for machines, clusters and services elsewhere: the words that change them, and what leaves them as they are.

use super::addresses::is_here;
use crate::commands::Call;

/// The words that change something elsewhere; `None` for other tools.
pub(super) fn words_of(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "cdk" => &[
            "deploy",
            "destroy",
            "bootstrap",
            "import",
            "rollback",
            "watch",
            "gc",
            "refactor",
        ],
        "cdktf" => &["deploy", "apply", "destroy", "watch"],
        "sam" => &[
            "deploy",
            "delete",
            "sync",
            "publish",
            "package",
            "remote",
            "bootstrap",
        ],
        "pulumi" => &[
            "up",
            "update",
            "destroy",
            "refresh",
            "import",
            "cancel",
            "delete",
            "watch",
            "login",
            "logout",
            "deployment",
            "publish",
        ],
        "sst" => &["deploy", "remove", "secret", "refresh", "unlock"],
        "packer" => &["build", "push"],
        "ray" => &[
            "up",
            "down",
            "submit",
            "attach",
            "exec",
            "rsync-up",
            "rsync_up",
            "create-or-update",
            "teardown",
        ],
        "prefect" => &["deploy", "apply", "delete", "run", "cancel", "login"],
        "colmena" => &["apply", "apply-local", "upload-keys", "exec"],
        "puppet" => &["apply", "agent", "device", "ssh"],
        "bolt" => &["run", "apply", "upload"],
        "istioctl" => &["install", "upgrade", "uninstall", "apply"],
        "velero" => &["create", "delete", "install", "uninstall", "patch"],
        "cilium" => &["install", "upgrade", "uninstall", "enable", "disable"],
        "juju" => &[
            "deploy",
            "bootstrap",
            "add-model",
            "add-unit",
            "remove-unit",
            "remove-application",
            "destroy-model",
            "destroy-controller",
            "refresh",
            "integrate",
            "relate",
            "run",
            "exec",
            "ssh",
            "scp",
        ],
        "consul" => &[
            "put",
            "delete",
            "import",
            "register",
            "deregister",
            "restore",
            "leave",
            "force-leave",
            "exec",
            "lock",
            "event",
            "maint",
            "write",
            "create",
            "update",
            "bootstrap",
        ],
        "etcdctl" => &[
            "put",
            "del",
            "txn",
            "compaction",
            "defrag",
            "grant",
            "revoke",
            "add",
            "remove",
            "update",
            "promote",
            "move-leader",
            "enable",
            "disable",
            "delete",
            "passwd",
        ],
        "supabase" => &[
            "push", "deploy", "link", "login", "logout", "secrets", "delete", "repair", "restore",
        ],
        "convex" => &["deploy", "import", "env"],
        "knife" => &[
            "upload",
            "share",
            "create",
            "delete",
            "bootstrap",
            "ssh",
            "winrm",
            "exec",
            "edit",
            "from",
            "bulk",
            "promote",
            "add",
            "remove",
            "set",
        ],
        "terraform" | "tofu" | "terragrunt" => &[
            "apply",
            "destroy",
            "import",
            "taint",
            "untaint",
            "state",
            "refresh",
            "force-unlock",
            "login",
            "logout",
        ],
        "kubectl" | "oc" => &[
            "apply",
            "create",
            "delete",
            "edit",
            "exec",
            "patch",
            "replace",
            "rollout",
            "run",
            "scale",
            "set",
            "drain",
            "cordon",
            "label",
            "annotate",
            "cp",
            "attach",
            "expose",
            "taint",
            "autoscale",
            "port-forward",
            "uncordon",
            "new-app",
            "new-build",
            "new-project",
            "import-image",
            "start-build",
            "login",
        ],
        "skaffold" => &["run", "dev", "debug", "deploy", "apply", "delete"],
        "helmfile" => &["apply", "sync", "destroy", "delete"],
        "argocd" => &["sync", "create", "delete", "set", "rollback", "patch"],
        "flux" => &[
            "reconcile",
            "create",
            "delete",
            "suspend",
            "resume",
            "bootstrap",
            "install",
            "uninstall",
            "push",
            "tag",
        ],
        "nomad" => &[
            "run", "stop", "dispatch", "revert", "scale", "promote", "exec",
        ],
        "azd" => &["up", "deploy", "provision", "down", "publish"],
        "zappa" | "chalice" | "modal" | "sky" => {
            &["deploy", "update", "undeploy", "delete", "launch"]
        }
        _ => return None,
    })
}

/// Clients of providers of machines and databases: whatever does not plainly ask changes something there.
pub(super) const PROVIDERS: &[&str] = &[
    "oci",
    "hcloud",
    "linode-cli",
    "scw",
    "vultr-cli",
    "exo",
    "openstack",
    "upctl",
    "civo",
    "ibmcloud",
    "yc",
    "aliyun",
    "pscale",
    "turso",
    "neonctl",
    "neon",
    "nixos-anywhere",
    "deploy-rs",
];

/// Whether such a client is only asked what there is, and not for what it keeps secret.
pub(super) fn asks_provider(name: &str, args: &[String]) -> bool {
    const ASKS: &[&str] = &[
        "list",
        "ls",
        "get",
        "show",
        "describe",
        "status",
        "info",
        "inspect",
        "view",
        "logs",
        "whoami",
        "completion",
        "search",
        "schema",
        "diff",
        "lint",
        "locations",
    ];
    const CHANGES: &[&str] = &[
        "create",
        "delete",
        "destroy",
        "update",
        "remove",
        "set",
        "add",
        "start",
        "stop",
        "reboot",
        "reset",
        "import",
        "attach",
        "detach",
        "enable",
        "disable",
        "apply",
        "deploy",
        "resize",
        "terminate",
        "launch",
        "restore",
        "promote",
        "put",
    ];
    const SECRET: &[&str] = &[
        "secret",
        "token",
        "password",
        "credential",
        "kubeconfig",
        "connection-string",
    ];
    let words: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|arg| !arg.starts_with('-'))
        .take(4)
        .collect();
    let any = |list: &[&str], fits: fn(&str, &str) -> bool| {
        words
            .iter()
            .any(|word| list.iter().any(|known| fits(word, known)))
    };
    // `turso dev` starts a database here.
    let here = name == "turso" && words.first() == Some(&"dev");
    here || any(ASKS, |word, known| word == known)
        // `add-label`; a `deploy-request` is a thing.
        && !any(CHANGES, |word, known| {
            let rest = word.strip_prefix(known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') && known != "deploy")
        })
        && !any(SECRET, |word, known| word.contains(known))
}

/// Whether a tool is told to stay on this machine, or only to show what it would do.
pub(super) fn stays_here(name: &str, call: &Call) -> bool {
    let args = call.args();
    let said = |words: &[&str]| args.iter().any(|arg| words.contains(&arg.as_str()));
    let local = |options: &[&str], variable: &str| {
        let given = args.iter().enumerate().find_map(|(at, arg)| {
            let (option, value) = match arg.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (arg.as_str(), args.get(at + 1).map(String::as_str)),
            };
            options.contains(&option).then_some(value)?
        });
        given
            .or(call.variable(variable))
            .is_some_and(|all| all.split(',').all(is_here))
    };
    match name {
        "eas" | "eas-cli" => said(&["--local"]),
        "supabase" => said(&["--local"]) && !said(&["--linked", "--db-url"]),
        "puppet" => said(&["--noop"]) && said(&["apply"]),
        "consul" => local(&["-http-addr", "--http-addr"], "CONSUL_HTTP_ADDR"),
        "nomad" => local(&["-address", "--address"], "NOMAD_ADDR"),
        "etcdctl" => local(&["--endpoints"], "ETCDCTL_ENDPOINTS"),
        _ => false,
    }
}

/// What no word alone says: two of them, or a word with an option.
pub(super) fn changes(name: &str, own: &[&str]) -> bool {
    let pair = |first: &str, second: &str| own.windows(2).any(|pair| pair == [first, second]);
    let has = |words: &[&str]| own.iter().any(|arg| words.contains(arg));
    match name {
        "pulumi" => pair("stack", "rm") || pair("state", "upgrade"),
        "terraform" | "tofu" | "terragrunt" => pair("workspace", "delete"),
        "supabase" => {
            let there = own
                .iter()
                .any(|arg| *arg == "--linked" || arg.starts_with("--project-ref"));
            there && has(&["reset", "up", "down", "rm", "cp", "mv", "squash", "fetch"])
                || pair("projects", "create")
                || pair("branches", "create")
        }
        _ => false,
    }
}

/// Tools that set up machines, whatever they are asked.
pub(super) const SETS_UP: &[&str] = &[
    "ansible-playbook",
    "ansible",
    "ansible-pull",
    "salt",
    "salt-ssh",
    "salt-run",
    "chef",
    "chef-client",
    "chef-solo",
    "chef-apply",
    "chef-run",
    "cinc-client",
    "pyinfra",
];

/// Whether one of them only checks what it would do, or does it in a container.
pub(super) fn sets_up_nothing(name: &str, args: &[String]) -> bool {
    args.iter().map(String::as_str).any(|arg| match name {
        "ansible-playbook" => {
            matches!(arg, "--check" | "--syntax-check" | "--version") || arg.starts_with("--list-")
        }
        "chef-client" | "chef-solo" | "chef-apply" | "cinc-client" => {
            matches!(arg, "-W" | "--why-run" | "--version")
        }
        "pyinfra" => {
            matches!(arg, "--dry" | "--version" | "--support")
                || arg.starts_with("@docker/")
                || arg.starts_with("@podman/")
        }
        _ => false,
    })
}
