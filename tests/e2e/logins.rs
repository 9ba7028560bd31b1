//! A subscription's login of the agent CLI runs out while agents work. They cannot renew it from inside of their sandbox.

use super::sandbox::has_landlock;
use crate::support::{LONG, TestProject, wait_until};
use std::path::PathBuf;

/// Stands in for Claude Code. Asked for its status, it renews a login in its last five minutes as version 2.1.330
/// does: under a lock beside it, by a new file in its place. As an agent it tries the same, then waits for the new login.
const CLAUDE: &str = r#"
folder="${CLAUDE_SECURESTORAGE_CONFIG_DIR:-$HOME/.claude}"
renew() {
  mkdir "$folder/.oauth_refresh.lock" || return
  echo "{\"claudeAiOauth\":{\"accessToken\":\"$1\",\"refreshToken\":\"r\",\"expiresAt\":$2}}" > "$folder/.credentials.new"
  mv "$folder/.credentials.new" "$folder/.credentials.json"
  rmdir "$folder/.oauth_refresh.lock"
}
case "$*" in *"auth status")
  echo "$(ls -A | wc -l) ${GROVE_HOST_SOCKET-none} ${CLAUDE_CONFIG_DIR-none} $FROM_SETTINGS" >> "TOLD"
  now=$(date +%s)
  case "KIND $(wc -l < "TOLD")" in
    refused*) renew "" 0;;
    unreachable*) echo "no route to the service" >&2; exit 1;;
    *" 1") renew soon-over $((now + 275))000;;
    *) renew good-for-long $((now + 28800))000;;
  esac
  exit 0;;
esac
printf '{"session_id":"c1"}' | grove hook session-start > hook.out
if mkdir "$folder/.oauth_refresh.lock"; then echo "has locked" >> said; else echo "cannot lock" >> said; fi
ls "$HOME/.local/share/grove/logins/"*.lease >> listed && cat "$HOME/.local/share/grove/logins/"*.lease && echo "opens the lease" >> said
until grep -q "good-for-long" "$folder/.credentials.json"; do [ -e "GO" ] && exit 0; sleep 0.05; done
echo "reads the new login" >> said
until [ -e "GO" ]; do sleep 0.05; done
"#;

struct Logins {
    project: TestProject,
    told: PathBuf,
}

impl Logins {
    /// A project of somebody whose login has some seconds left.
    fn with(kind: &str, seconds: i64) -> Self {
        let project = TestProject::initialised();
        let told = project.beside().join("told");
        let go = project.beside().join("go");
        let script = CLAUDE
            .replace("KIND", kind)
            .replace("TOLD", told.to_str().unwrap())
            .replace("GO\"", &format!("{}\"", go.display()));
        project.install_script("claude", &script);
        let folder = project.home().join(".claude");
        std::fs::create_dir_all(&folder).unwrap();
        let settings = r#"{"env":{"FROM_SETTINGS":"proxy"},"hooks":{}}"#;
        std::fs::write(folder.join("settings.json"), settings).unwrap();
        let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() as i64;
        let text = format!(
            r#"{{"claudeAiOauth":{{"accessToken":"old","refreshToken":"r","expiresAt":{}}}}}"#,
            now + seconds * 1000
        );
        std::fs::write(folder.join(".credentials.json"), text).unwrap();
        Self { project, told }
    }

    fn sling(&self, task: &str, name: &str) {
        self.project
            .grove_ok(&["sling", task, "--name", name, "--pty"]);
    }

    /// What an agent has said, once it has said this.
    fn said(&self, agent: &str, wanted: &str) -> String {
        let file = self.project.overstory(&format!("worktrees/{agent}/said"));
        wait_until(
            &format!("{agent}: {wanted}"),
            LONG,
            || {
                let said = std::fs::read_to_string(&file).unwrap_or_default();
                said.contains(wanted).then_some(said)
            },
            || format!("{:?}\n{}", self.told(), self.project.report()),
        )
    }

    /// What each call outside of the sandbox had: entries in its folder, the socket of a host, folder, setting.
    fn told(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.told).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[test]
fn a_login_that_runs_out_is_renewed_outside_of_the_sandbox_once_for_all_agents() {
    if !has_landlock() {
        return;
    }
    // At once, and a moment later by the clock.
    let logins = Logins::with("renews", 200);
    for (task, name) in [("t-1", "ann"), ("t-2", "ben"), ("t-3", "cleo")] {
        logins.sling(task, name);
    }
    for name in ["ann", "ben", "cleo"] {
        let said = logins.said(name, "reads the new login");
        assert!(said.contains("cannot lock"), "{name}: {said}");
        // Who could lock that, could keep everybody from renewing.
        assert!(!said.contains("opens the lease"), "{name}");
    }
    assert_eq!(logins.told(), ["0 none none proxy"; 2]);
    assert!(logins.project.mail("ann", "error").is_empty());
    let mode = std::fs::metadata(logins.project.home().join(".local/share/grove/logins")).unwrap();
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(mode.permissions().mode() & 0o077, 0);
}

#[test]
fn a_login_that_the_service_renews_no_more_is_told_once_with_the_next_step() {
    if !has_landlock() {
        return;
    }
    let logins = Logins::with("refused", 200);
    logins.sling("t-1", "ann");
    logins.sling("t-2", "ben");
    let query = "SELECT body FROM messages WHERE type = 'error'";
    let bodies = wait_until(
        "mail about the login",
        LONG,
        || Some(logins.project.sql("mail.db", query)).filter(|found| !found.is_empty()),
        || logins.project.report(),
    );
    std::fs::write(logins.project.beside().join("go"), "").unwrap();
    for name in ["ann", "ben"] {
        logins.project.grove_ok(&["stop", name]);
    }
    assert_eq!(logins.told().len(), 1, "{}", logins.project.report());
    assert_eq!(logins.project.sql("mail.db", query), bodies);
    let [row] = &bodies[..] else {
        panic!("{bodies:?}")
    };
    for wanted in ["/login", "claude setup-token", "CLAUDE_CODE_OAUTH_TOKEN"] {
        assert!(row[0].contains(wanted), "{row:?}");
    }
}

#[test]
fn nothing_renews_the_login_of_agents_without_a_sandbox() {
    let logins = Logins::with("renews", 200);
    let config = logins.project.read(".overstory/config.yaml");
    let config = format!("{config}\nsandbox:\n  default: guard\n");
    logins.project.write(".overstory/config.yaml", &config);
    logins.sling("t-1", "ann");
    logins.said("ann", "has locked");
    logins.project.grove_ok(&["stop", "ann"]);
    assert_eq!(logins.told(), [""; 0]);
}
