//! Programs that talk to other machines, and stores of credentials.
//!
//! Downloading to a file inside is fine; logging in elsewhere, publishing by hand and reading secrets are not.

use super::flags::parse;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let first = args.first().map_or("", String::as_str);
    Some(match name {
        "curl" => curl(w, args, st).and_then(|()| super::sending::curl(w, call, st)),
        "wget" | "wget2" => wget(w, args, st).and_then(|()| super::sending::wget(w, call, st)),
        "http" | "https" | "xh" | "xhs" | "httpie" => httpie(w, args, st),
        "aria2c" | "axel" | "youtube-dl" | "yt-dlp" => w
            .need_writer("downloads files")
            .and_then(|()| super::generic::outside_arguments(w, name, args, st)),
        "ssh" | "scp" | "sftp" | "telnet" | "ftp" | "lftp" | "rlogin" | "rsh" | "sshpass"
        | "autossh" | "rclone" | "s3cmd" | "mc" | "gsutil" | "socat" | "ncat" | "ngrok"
        | "cloudflared" | "localtunnel" | "lt" | "croc" | "magic-wormhole" | "wormhole"
        | "sendmail" | "mail" | "mailx" | "mutt" | "msmtp" | "swaks" => {
            if matches!(args, [only] if only == "-V" || only == "--version" || only == "--help") {
                return Some(Ok(()));
            }
            Err(Refusal::new(
                rule::NETWORK,
                format!(
                    "{name} reaches another machine, which cannot be guarded; work inside your worktree"
                ),
            ))
        }
        "ssh-keygen" => match parse(args, "tfbCNPmaOnIVDE", &[]).value(&["f"]) {
            Some(path) => w.write_path(path, st),
            None => Err(credentials("ssh-keygen")),
        },
        "ssh-keyscan" => Ok(()),
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

fn credentials(name: &str) -> Refusal {
    Refusal::new(
        rule::CREDENTIALS,
        format!("{name} reaches stored credentials, which are not for agents"),
    )
}

/// Hosts where a changing request publishes.
fn is_forge(url: &str) -> bool {
    let lower = url.to_lowercase();
    [
        "github.com",
        "gitlab.",
        "bitbucket.org",
        "codeberg.org",
        "gitea.",
        "npmjs.",
        "//crates.",
        "pypi.",
        "rubygems.",
        "hub.docker.com",
        "docker.io",
        "ghcr.io",
        "nuget.",
        "dev.azure.com",
        "hooks.slack.com",
        "discord.com",
    ]
    .iter()
    .any(|host| lower.contains(host))
}

fn publishes() -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        "a changing request to a forge or registry publishes; the merge queue is the only way out",
    )
}

fn curl(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "oXdFTHubAeKcDwmxECYyPQrtzU",
        &[
            "output",
            "request",
            "data",
            "data-raw",
            "data-binary",
            "data-urlencode",
            "form",
            "form-string",
            "upload-file",
            "header",
            "user",
            "cookie",
            "cookie-jar",
            "user-agent",
            "referer",
            "config",
            "dump-header",
            "write-out",
            "max-time",
            "connect-timeout",
            "retry",
            "retry-delay",
            "proxy",
            "cert",
            "key",
            "cacert",
            "json",
            "variable",
            "data-ascii",
            "proxy-header",
            "url",
            "range",
            "trace",
            "trace-ascii",
            "stderr",
            "output-dir",
            "netrc-file",
            "resolve",
            "limit-rate",
            "etag-save",
            "etag-compare",
            "hsts",
            "alt-svc",
            "libcurl",
            "unix-socket",
            "interface",
            "max-redirs",
            "retry-max-time",
            "url-query",
        ],
    );
    for path in flags.values(&[
        "o",
        "output",
        "c",
        "cookie-jar",
        "D",
        "dump-header",
        "trace",
        "trace-ascii",
        "stderr",
        "output-dir",
        "etag-save",
        "hsts",
        "alt-svc",
        "libcurl",
    ]) {
        if path != "-" {
            w.write_path(path, st)?;
        }
    }
    if flags.has(&[
        "O",
        "remote-name",
        "J",
        "remote-header-name",
        "remote-name-all",
    ]) {
        w.need_writer("downloads files")?;
        w.need_inside(st, "downloading")?;
        let folder = flags.value(&["output-dir"]).unwrap_or(".");
        if flags.has(&["J", "remote-header-name"]) {
            w.landed_in(folder, false, st);
        }
        let urls = flags.operands.iter().map(String::as_str);
        for url in urls.chain(flags.values(&["url"])) {
            w.downloaded(url, folder, st)?;
        }
    }
    if flags.has(&["K", "config"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "curl options in a file cannot be judged; write them on the command line",
        ));
    }
    if flags.has(&["n", "netrc", "netrc-optional", "netrc-file"]) {
        return Err(credentials("curl"));
    }
    let sends = [
        "d",
        "data",
        "data-raw",
        "data-binary",
        "data-urlencode",
        "F",
        "form",
        "form-string",
        "T",
        "upload-file",
        "json",
    ];
    let named = ["H", "header", "proxy-header", "variable", "data-ascii"];
    for value in flags.values(&sends).into_iter().chain(flags.values(&named)) {
        if let Some((_, file)) = value.split_once('@') {
            w.read_path(file, st)?;
        }
    }
    for value in flags.values(&["F", "form"]) {
        // `name=@file,file;type=…` and `name=<file`.
        let Some((_, files)) = value.split_once(['@', '<']) else {
            continue;
        };
        for file in files.split([',', ';']) {
            w.read_path(file.trim_matches('"'), st)?;
        }
    }
    for files in flags.values(&["T", "upload-file", "E", "cert", "key", "b", "cookie"]) {
        for file in files.split(['{', ',', '}']) {
            w.read_path(file, st)?;
        }
    }
    let method = flags.value(&["X", "request"]).unwrap_or("").to_uppercase();
    let changes = !matches!(method.as_str(), "" | "GET" | "HEAD" | "OPTIONS")
        || flags.has(&sends) && !flags.has(&["G", "get"]);
    let urls = flags
        .operands
        .iter()
        .map(String::as_str)
        .chain(flags.values(&["url"]));
    for url in urls {
        if url.to_lowercase().starts_with("file:") {
            w.read_path(&crate::tools::home(url), st)?;
        }
        let sending = ["smtp", "ftp", "sftp", "scp", "telnet", "dict", "gopher"]
            .iter()
            .any(|scheme| url.to_lowercase().starts_with(&format!("{scheme}:")));
        if changes && is_forge(url) || sending && flags.has(&["T", "upload-file", "Q", "quote"]) {
            return Err(publishes());
        }
        if changes && text::is_any(url) && !url.contains("localhost") && !url.contains("127.0.0.1")
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "where this request goes is not known; write the address out",
            ));
        }
        if changes && !w.role.writes() && !url.contains("localhost") && !url.contains("127.0.0.1") {
            return Err(crate::commands::read_only("sends a changing request"));
        }
    }
    if flags.has(&["unix-socket"]) && changes {
        return Err(Refusal::new(
            rule::PROCESS,
            "control sockets are not for agents",
        ));
    }
    Ok(())
}

fn wget(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "oaOPitTwUeBQDAXIRl",
        &[
            "output-document",
            "output-file",
            "append-output",
            "directory-prefix",
            "input-file",
            "tries",
            "timeout",
            "wait",
            "user-agent",
            "execute",
            "post-data",
            "post-file",
            "method",
            "body-data",
            "body-file",
            "header",
            "user",
            "password",
            "save-cookies",
            "load-cookies",
            "use-askpass",
            "certificate",
            "private-key",
            "level",
        ],
    );
    if flags.has(&["e", "execute", "use-askpass", "config"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "wget settings could run or write anything; use plain options",
        ));
    }
    for path in flags.values(&["o", "output-file", "a", "append-output", "save-cookies"]) {
        w.write_path(path, st)?;
    }
    for file in flags.values(&[
        "post-file",
        "body-file",
        "i",
        "input-file",
        "load-cookies",
        "certificate",
        "private-key",
    ]) {
        w.read_path(file, st)?;
    }
    let changes = flags.has(&["post-data", "post-file", "body-data", "body-file"])
        || flags
            .value(&["method"])
            .is_some_and(|method| !matches!(method, "GET" | "HEAD"));
    if changes && (!w.role.writes() || flags.operands.iter().any(|url| is_forge(url))) {
        return Err(publishes());
    }
    if flags.has(&["spider"]) {
        return Ok(());
    }
    match flags.value(&["O", "output-document"]) {
        Some("-" | "/dev/stdout") => Ok(()),
        Some(path) => w.write_path(path, st),
        None => {
            w.need_writer("downloads files")?;
            let folder = flags.value(&["P", "directory-prefix"]);
            match folder {
                Some(path) => w.write_path(path, st)?,
                None => w.need_inside(st, "downloading")?,
            }
            let folder = folder.unwrap_or(".");
            // Whole sites come in folders; the server may name what it sends.
            let many = [
                "r",
                "m",
                "p",
                "x",
                "recursive",
                "mirror",
                "page-requisites",
                "force-directories",
            ];
            if flags.has(&many) {
                w.landed_in(folder, true, st);
            }
            if flags.has(&[
                "i",
                "input-file",
                "content-disposition",
                "trust-server-names",
            ]) {
                w.landed_in(folder, false, st);
            }
            flags
                .operands
                .iter()
                .try_for_each(|url| w.downloaded(url, folder, st))
        }
    }
}

fn httpie(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "oA", &["output", "session", "auth"]);
    for path in flags.values(&["o", "output"]) {
        w.write_path(path, st)?;
    }
    if flags.has(&["d", "download"]) && !flags.has(&["o", "output"]) {
        w.need_writer("downloads files")?;
        w.need_inside(st, "downloading")?;
    }
    let changes = matches!(flags.first(), "POST" | "PUT" | "PATCH" | "DELETE")
        || flags
            .operands
            .iter()
            .skip(1)
            .any(|word| word.contains('=') && !word.contains("=="));
    let local = flags.operands.iter().any(|word| {
        word.starts_with(':') || word.contains("localhost") || word.contains("127.0.0.1")
    });
    if changes && (flags.operands.iter().any(|word| is_forge(word)) || !w.role.writes() && !local) {
        return Err(publishes());
    }
    for word in &flags.operands {
        if let Some((_, file)) = word.split_once('@') {
            w.read_path(file, st)?;
        }
    }
    Ok(())
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
