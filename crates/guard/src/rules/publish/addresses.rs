//! Addresses at which a changing request publishes: forges, registries and services that deploy, known by their hosts,
//! and by the paths under which their programs answer on any other host.

use crate::shell::text;

/// Hosts of forges and registries, by a part of the address.
const PARTS: &[&str] = &[
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
];

/// Domains of registries and of services that deploy; what is below them as well.
const DOMAINS: &[&str] = &[
    "maven.org",
    "maven.apache.org",
    "sonatype.org",
    "sonatype.com",
    "fury.io",
    "gemfury.com",
    "jfrog.io",
    "bintray.com",
    "packagecloud.io",
    "cloudsmith.io",
    "hex.pm",
    "packagist.org",
    "packagist.com",
    "pub.dev",
    "jsr.io",
    "cocoapods.org",
    "open-vsx.org",
    "marketplace.visualstudio.com",
    "clojars.org",
    "hackage.haskell.org",
    "luarocks.org",
    "anaconda.org",
    "pause.perl.org",
    "ctan.org",
    "chocolatey.org",
    "snapcraft.io",
    "addons.mozilla.org",
    "appstoreconnect.apple.com",
    "androidpublisher.googleapis.com",
    "firebasehosting.googleapis.com",
    "quay.io",
    "gcr.io",
    "pkg.dev",
    "azurecr.io",
    "public.ecr.aws",
    "api.netlify.com",
    "api.vercel.com",
    "api.render.com",
    "api.heroku.com",
    "api.cloudflare.com",
    "api.fly.io",
    "api.machines.dev",
    "api.digitalocean.com",
    "backboard.railway.app",
];

/// Domains that show whatever they are sent to everybody who has the address, or to who set it up.
const DROPS: &[&str] = &[
    "file.io",
    "transfer.sh",
    "0x0.st",
    "x0.at",
    "temp.sh",
    "bashupload.com",
    "catbox.moe",
    "gofile.io",
    "tmpfiles.org",
    "tmpfile.link",
    "oshi.at",
    "uguu.se",
    "ttm.sh",
    "envs.sh",
    "termbin.com",
    "paste.rs",
    "ix.io",
    "sprunge.us",
    "clbin.com",
    "dpaste.com",
    "dpaste.org",
    "pastebin.com",
    "hastebin.com",
    "rentry.co",
    "webhook.site",
    "requestbin.com",
    "requestcatcher.com",
    "pipedream.net",
    "beeceptor.com",
    "interact.sh",
    "oast.fun",
];

/// Paths of programs that a company runs on a host of its own; a star stands for one part.
const PATHS: &[&str] = &[
    // Forges.
    "api/v1/repos/*",
    "api/v3/repos/*",
    "api/v4/projects/*",
    "rest/api/*/projects/*/repos",
    "_apis/git/*",
    // Registries.
    "artifactory/*",
    "repository/*/*",
    "service/rest/*/components",
    "service/local/staging",
    "api/charts",
    "api/v1/crates/new",
    "api/v1/gems",
    "api/v2/package",
    "api/-/publish",
];

/// What forges change by a query, in any of their names for it.
const MUTATIONS: &[&str] = &[
    "pullrequest",
    "mergerequest",
    "mergebranch",
    "createref",
    "updateref",
    "deleteref",
    "commitonbranch",
    "commitcreate",
];

/// Whether a changing request to this address lets work out. Never so on this machine.
pub(crate) fn publishes_at(url: &str) -> bool {
    let lower = url.to_lowercase();
    let (host, path) = taken_apart(&lower);
    if is_this_machine(host) {
        return false;
    }
    PARTS.iter().any(|part| lower.contains(part))
        || DOMAINS
            .iter()
            .chain(DROPS)
            .any(|domain| is_below(host, domain))
        || host.contains(".ecr.") && is_below(host, "amazonaws.com")
        || host.contains("nexus") && path.starts_with("repository/")
        || answers(path)
}

/// Whether whatever this host is sent is shown to others.
pub(crate) fn drops_at(url: &str) -> bool {
    let lower = url.to_lowercase();
    let (host, _) = taken_apart(&lower);
    DROPS.iter().any(|domain| is_below(host, domain))
}

/// Whether an address is one of this machine, and not of one whose name or path only speaks of it.
pub(in crate::rules) fn is_here(url: &str) -> bool {
    let lower = text::show(url).to_lowercase();
    let (host, _) = taken_apart(&lower);
    !host.is_empty() && is_this_machine(host)
}

/// The host of an address, without login and port.
pub(in crate::rules) fn host_of(url: &str) -> String {
    let lower = url.to_lowercase();
    taken_apart(&lower).0.to_owned()
}

/// Whether a request changes something at a forge by the query in its body.
pub(in crate::rules) fn mutates(url: &str, body: &str) -> bool {
    let lower = url.to_lowercase();
    let (host, path) = taken_apart(&lower);
    let body = body.to_lowercase();
    path.ends_with("graphql")
        && !is_this_machine(host)
        && body.contains("mutation")
        && MUTATIONS.iter().any(|word| body.contains(word))
}

/// The host of an address, and the path without what is asked for.
fn taken_apart(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = match host.strip_prefix('[') {
        Some(numbers) => numbers.split(']').next().unwrap_or(numbers),
        None => host.split(':').next().unwrap_or(host),
    };
    (host, path.trim_matches('/'))
}

fn is_this_machine(host: &str) -> bool {
    matches!(
        host,
        "" | "localhost" | "::1" | "0.0.0.0" | "host.docker.internal"
    ) || host.starts_with("127.")
        || host.ends_with(".localhost")
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Whether forges and registries answer under a path.
fn answers(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let begins = |pattern: &str| {
        let mut own = parts.iter();
        pattern.split('/').all(|wanted| {
            own.next()
                .is_some_and(|part| wanted == "*" || wanted == *part)
        })
    };
    let api = |pattern: &&str| begins(pattern);
    let image = parts.first() == Some(&"v2")
        && parts
            .iter()
            .skip(2)
            .any(|part| matches!(*part, "manifests" | "blobs"));
    // `/a/changes/12/submit`, `/changes/12/revisions/current/review`
    let reviewed = parts.iter().take(2).any(|part| *part == "changes")
        && matches!(
            parts.last(),
            Some(&("submit" | "review" | "rebase" | "abandon" | "restore" | "revert" | "move"))
        );
    image || reviewed || PATHS.iter().any(api)
}

#[cfg(test)]
mod tests {
    use super::{mutates, publishes_at};

    #[test]
    fn forges_and_registries_are_known_by_host_and_by_path() {
        for url in [
            "https://api.github.com/repos/o/r/pulls",
            "https://u:p@Repo1.Maven.org:443/maven2/a.jar",
            "oss.sonatype.org/x",
            "https://git.corp/api/v4/projects/1/merge_requests",
            "http://git.corp:3000/api/v1/repos/o/r/pulls",
            "https://stash.corp/rest/api/1.0/projects/P/repos/r/pull-requests/1/merge",
            "https://gerrit.corp/a/changes/1/submit?x=y",
            "https://1.dkr.ecr.eu-west-1.amazonaws.com/v2/a/manifests/1",
            "https://reg.corp/v2/a/b/blobs/uploads/",
            "https://nexus.corp/repository/pypi/",
            "https://repo.corp/repository/raw/a.tgz",
        ] {
            assert!(publishes_at(url), "{url}");
        }
        for url in [
            "http://localhost:3000/api/v1/repos/o/r/pulls",
            "http://127.0.0.1:5000/v2/a/manifests/1",
            "http://[::1]:5000/v2/a/manifests/1",
            "https://staging.corp/api/v1/users",
            "https://chat.corp/api/v4/posts",
            "https://notmaven.org/x",
            "https://app.corp/v2/orders",
            "https://app.corp/repository/1",
            "https://app.corp/changes/1",
        ] {
            assert!(!publishes_at(url), "{url}");
        }
    }

    #[test]
    fn a_query_that_merges_is_known_by_its_words() {
        let url = "https://ghe.corp/api/graphql";
        assert!(mutates(url, "mutation { mergePullRequest(input: {}) }"));
        assert!(!mutates(url, "query { pullRequests }"));
        assert!(!mutates(url, "mutation { addUser }"));
        assert!(!mutates(
            "http://localhost/graphql",
            "mutation { mergePullRequest }"
        ));
    }
}
