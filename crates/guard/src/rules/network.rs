//! Programs that talk to other machines.
//!
//! Downloading to a file inside is fine; logging in elsewhere and publishing by hand are not.

use super::flags::parse;
use super::publish::addresses::drops_at;
use super::{curl, sending, wget};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    Some(match name {
        "curl" => curl::judge(w, call, st).and_then(|()| sending::curl(w, call, st)),
        "wget" | "wget2" => wget::wget(w, args, st).and_then(|()| sending::wget(w, call, st)),
        "http" | "https" | "xh" | "xhs" | "httpie" => {
            wget::httpie(w, args, st).and_then(|()| sending::httpie(w, call, st))
        }
        "aria2c" | "axel" | "youtube-dl" | "yt-dlp" => w
            .need_writer("downloads files")
            .and_then(|()| super::generic::outside_arguments(w, name, args, st))
            .and_then(|()| fetched(w, name, args, st)),
        "ssh" | "scp" | "sftp" | "telnet" | "ftp" | "lftp" | "rlogin" | "rsh" | "sshpass"
        | "autossh" | "rclone" | "s3cmd" | "mc" | "gsutil" | "socat" | "ncat" | "ngrok"
        | "cloudflared" | "localtunnel" | "lt" | "croc" | "magic-wormhole" | "wormhole"
        | "sendmail" | "mail" | "mailx" | "mutt" | "msmtp" | "swaks" => {
            if matches!(args, [only] if only == "-V" || only == "--version" || only == "--help") {
                return Some(Ok(()));
            }
            Err(reaches(name))
        }
        "duplicity" | "unison" | "syncthing" | "tailscale" | "zerotier-cli" | "netbird"
        | "wg-quick" | "devtunnel" | "bore" | "frpc" | "zrok" | "ssh-copy-id" | "mosh"
        | "wormhole-william" | "openvpn" | "openconnect" | "sshuttle" | "sshfs" | "psftp"
        | "pscp" | "plink" | "ncftp" | "ncftpput" | "smbclient" | "tftp" => {
            let asks = matches!(
                args,
                [only, ..] if matches!(only.as_str(), "status" | "version" | "ip" | "--version" | "--help")
            );
            if asks { Ok(()) } else { Err(reaches(name)) }
        }
        "restic" | "rustic" | "borg" | "kopia" | "rdiff-backup" => kept(w, name, call, st),
        "ssh-keyscan" => Ok(()),
        "nc" | "netcat" | "nc.openbsd" => sending::plain(call)
            .and_then(|()| netcat(args))
            .and_then(|()| sending::streamed(call)),
        "ping" | "dig" | "host" | "nslookup" | "drill" | "traceroute" | "whois" => {
            // `dig -f file` asks for every line of it.
            let files = parse(args, if name == "dig" { "fpqtcbxyk" } else { "" }, &[]);
            let read = files.values(&["f"]).into_iter().filter(|_| name == "dig");
            let mut read = read.map(str::to_owned).collect::<Vec<_>>().into_iter();
            read.try_for_each(|file| w.read_path(&file, st))
                .and_then(|()| sending::plain(call))
        }
        _ => return None,
    })
}

fn reaches(name: &str) -> Refusal {
    Refusal::new(
        rule::NETWORK,
        format!(
            "{name} reaches another machine, which cannot be guarded; work inside your worktree"
        ),
    )
}

/// Copies that are kept in a repository: in a folder, or elsewhere (`sftp:host:/x`, `ssh://host/x`, `host:x::name`).
fn kept(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let elsewhere = |place: &str| {
        let head = place.split('/').next().unwrap_or(place);
        head.contains(':')
    };
    let set = ["RESTIC_REPOSITORY", "BORG_REPO"];
    let set = set.iter().filter_map(|name| call.variable(name));
    let given = call.args().iter().map(|arg| match arg.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        Some(_) | None => arg.as_str(),
    });
    let kinds = matches!(name, "kopia")
        && call.args().iter().any(|arg| {
            matches!(
                arg.as_str(),
                "s3" | "gcs" | "azure" | "b2" | "sftp" | "webdav"
            )
        });
    // `folder::name` is an archive of a repository here.
    let there = |place: &str| elsewhere(place.split("::").next().unwrap_or(place));
    if kinds || set.chain(given).any(there) {
        return Err(reaches(name));
    }
    w.need_writer("keeps copies of files")?;
    super::generic::outside_arguments(w, name, call.args(), st)
}

/// Where clients that only download put what they get.
fn fetched(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "odisxjknNSHUaT",
        &["out", "output", "dir", "input-file", "paths"],
    );
    let folder = flags.value(&["d", "dir", "P", "paths"]).unwrap_or(".");
    // Others are patterns of names.
    match flags.value(&["o", "out", "output"]) {
        Some(file) if file.starts_with('/') => w.download_to(file, st)?,
        Some(file) if !file.contains('%') => w.download_to(&format!("{folder}/{file}"), st)?,
        Some(_) | None => {}
    }
    if name.ends_with("dlp") || name.ends_with("dl") || flags.has(&["i", "input-file"]) {
        w.landed_in(folder, false, st);
    }
    flags
        .operands
        .iter()
        .try_for_each(|url| w.downloaded(url, folder, st))
}

fn netcat(args: &[String]) -> Judged<()> {
    let runs = args.iter().any(|arg| {
        arg.starts_with("-e")
            || arg.starts_with("-c")
            || arg == "--exec"
            || arg == "--sh-exec"
            || arg == "-l"
    });
    if runs {
        return Err(Refusal::new(
            rule::NETWORK,
            "connections that run programs or listen are not opened; use the project's own server",
        ));
    }
    // `nc termbin.com 9999`
    if args.iter().any(|arg| drops_at(arg)) {
        return Err(publishes());
    }
    Ok(())
}

pub(crate) fn publishes() -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        "a changing request to a forge or registry publishes; the merge queue is the only way out",
    )
}

/// The name of the rule for messages of other files.
pub(super) fn unguarded(what: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} cannot be guarded; use a plain command in your worktree",
            brief(what)
        ),
    )
}
