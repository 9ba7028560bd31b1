//! Programs that keep credentials, or make and hand them out.

use super::flags::parse;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let first = args.first().map_or("", String::as_str);
    Some(match name {
        "ssh-keygen" if shows_key(args) => {
            let flags = parse(args, "fEF", &[]);
            flags
                .values(&["f"])
                .into_iter()
                .try_for_each(|path| w.read_path(path, st))
        }
        "ssh-keygen" => match parse(args, "tfbCNPmaOnIVDE", &[]).value(&["f"]) {
            Some(path) => w.write_path(path, st),
            None => Err(credentials("ssh-keygen")),
        },
        "pass"
        | "gopass"
        | "secret-tool"
        | "keyring"
        | "lpass"
        | "bw"
        | "kwallet-query"
        | "vault"
        | "ssh-add"
        | "ssh-agent"
        | "gnome-keyring"
        | "chamber"
        | "doppler"
        | "infisical"
        | "aws-vault"
        | "op"
        | "gcloud-auth"
        | "docker-credential-desktop"
        | "security" => {
            let harmless = name == "security" && first == "list-keychains"
                || matches!(first, "--version" | "--help");
            if harmless {
                Ok(())
            } else {
                Err(credentials(name))
            }
        }
        "gpg" | "gpg2" => {
            if args.iter().any(|arg| {
                arg.starts_with("--export-secret")
                    || arg.starts_with("--delete-secret")
                    || arg.starts_with("--edit-key")
                    || arg.starts_with("--import")
            }) {
                return Some(Err(credentials(name)));
            }
            let flags = parse(args, "ou", &["output", "local-user", "homedir"]);
            let mut result = w.need_writer("may write files").or_else(|refusal| {
                if flags.has(&["verify", "list-keys", "k"]) {
                    Ok(())
                } else {
                    Err(refusal)
                }
            });
            for path in flags.values(&["o", "output"]) {
                result = result.and_then(|()| w.write_path(path, st));
            }
            result
        }
        _ => return None,
    })
}

/// `ssh-keygen -lf key.pub` prints a fingerprint, `-Lf cert` what a certificate says.
fn shows_key(args: &[String]) -> bool {
    let flags = parse(args, "fEF", &[]);
    let known = |name: &str| matches!(name, "l" | "B" | "L" | "v" | "f" | "E");
    flags.has(&["l", "B", "L"])
        && flags.has(&["f"])
        && flags.operands.is_empty()
        && flags.options.iter().all(|(name, _)| known(name))
}

pub(super) fn credentials(name: &str) -> Refusal {
    Refusal::new(
        rule::CREDENTIALS,
        format!("{name} reaches stored credentials, which are not for agents"),
    )
}
