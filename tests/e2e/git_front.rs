//! Everyday git of an agent in a sandbox: what removes refs works, what is not the agent's stays refused, and
//! nothing of it is seen by the project but commits.

use crate::sandbox::{has_landlock, recorded};
use crate::support::{LONG, TestProject, wait_until};

/// Tells of every step that fails, or of which git says that something could not be locked.
const STEPS: &str = r#"#!/bin/sh
step() {
  name=$1; shift
  if said=$(sh -ec "$*" 2>&1); then :; else echo "failed:$name: $said"; fi
  case $said in *packed-refs*|*"lock config"*|*"config-file"*|*"ermission denied"*) echo "noise:$name: $said";; esac
}
change() { echo "$2" > "$1"; git add "$1"; }
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; exit 1; }; }
"#;

const EVERYDAY: &str = r#"
export GIT_EDITOR=true
B=$(git symbolic-ref --short HEAD)
me=${B%/*}
base=$(git rev-parse HEAD)
common() { echo "change() { echo \"\$2\" > \"\$1\"; git add \"\$1\"; }; is() { [ \"\$1\" = \"\$2\" ] || { echo \"'\$1' is not '\$2'\"; exit 1; }; }; B=$B; me=$me; base=$base"; }
ok() { name=$1; shift; step "$name" "$(common); $*"; }
ok commit 'change a 1; git commit -qm one; change a 2; git commit -qam two; git commit -q --amend -m second'
ok stash 'echo wip > a; git stash push -q; is "$(cat a)" 2; is "$(git stash list | wc -l | tr -d " ")" 1; git stash show -p | grep -q wip; git stash pop -q; is "$(cat a)" wip; is "$(git stash list)" ""; git checkout -q a'
ok stashes 'for n in 1 2 3; do echo "w$n" > a; git stash push -q -m "m$n"; done; git show stash@{1}:a | grep -q w2; git stash show | grep -q "^+w3"; git stash drop -q stash@{1}; git stash apply -q; is "$(cat a)" w3; git checkout -q a; git stash drop -q; git stash pop -q; is "$(cat a)" w1; git checkout -q a; is "$(git stash list)" ""'
ok untracked 'echo new > untracked; git stash -q -u; test ! -e untracked; git stash pop -q; rm untracked'
ok side 'git switch -q -c $me/side $base; change b 1; git commit -qm b1; change b 2; git commit -qm b2; change a other; git commit -qm clash; git switch -q $B'
ok pick 'git cherry-pick $me/side~2 $me/side~1; is "$(cat b)" 2; git commit -q --amend -m amended'
ok conflict 'git cherry-pick $me/side && exit 1; git status | grep -q cherry-picking; echo both > a; git add a; git cherry-pick --continue; git status | grep -q "nothing to commit"'
ok abort 'git cherry-pick -x $me/side~2 || git cherry-pick --abort; git revert --no-edit HEAD; git status | grep -q "nothing to commit"'
ok merge 'git switch -q -c $me/m $B~1; change c 1; git commit -qm c1; git merge -q --no-edit $B; git switch -q $B'
ok merge-conflict 'git merge $me/side && exit 1; test -e "$(git rev-parse --git-path MERGE_HEAD)"; git merge --abort; git status | grep -q "nothing to commit"'
ok rebase 'git switch -q $me/side; git rebase -q $B && exit 1; git status | grep -q rebas; git rebase --skip; is "$(git log --format=%s -1 $me/side)" "$(git log --format=%s -1 $B)"; git switch -q $B'
ok exec 'git rebase -q --exec "git log -1 --format=%s >> \"$TMPDIR/seen\"" $base; test -s "$TMPDIR/seen"'
ok bisect 'git bisect start HEAD $base; git bisect run test ! -e b; git bisect log | grep -q "first bad commit"; git bisect reset; is "$(git symbolic-ref --short HEAD)" $B'
ok reset 'git reset -q --hard HEAD; git reset -q HEAD~1; git stash -q -u; git stash drop -q; git reset -q --hard ORIG_HEAD'
ok below 'mkdir -p d/e; cd d/e; change f 1; git commit -qm below; git stash list; test "$(git rev-parse --show-prefix)" = d/e/'
ok elsewhere 'git init -q "$TMPDIR/o"; cd "$TMPDIR/o"; git commit -q --allow-empty -m o; echo x > x; git add x; git stash -q; is "$(git stash list | wc -l | tr -d " ")" 1; git clone -q "$OVERSTORY_PROJECT_ROOT" "$TMPDIR/clone"; git -C "$TMPDIR/clone" commit -q --allow-empty -m c; is "$(git -C "$TMPDIR/clone" stash list)" ""'
ok nested 'git init -q inner; git -C inner commit -q --allow-empty -m i; rm -rf inner'
ok codes 'git commit -qm nothing > /dev/null && exit 1; test $? = 1; git stash show nowhere 2> /dev/null && exit 1; true'
ok rename 'git branch $me/old; git branch -m $me/old $me/new; git rev-parse -q --verify $me/new; git rev-parse -q --verify $me/old && exit 1; git switch -q $me/new; git branch -M $me/newer; is "$(git symbolic-ref --short HEAD)" $me/newer; git switch -q $B; git branch -d $me/newer; git rev-parse -q --verify $me/newer && exit 1; true'
ok aliases 'change g 1; git ci -qm aliased; echo wip > g; git save -q; git stash list | grep -q .; git save pop -q; is "$(cat g)" wip; git checkout -q g; git branch $me/alias; git gone $me/alias > /dev/null; git rev-parse -q --verify $me/alias && exit 1; git branch $me/byref; git update-ref -d refs/heads/$me/byref; git rev-parse -q --verify $me/byref && exit 1; true'
ok hook 'test "$(cat "$TMPDIR/hook-ran")" = "$(git rev-parse --show-toplevel)"'
for refused in push pu nested-pu shell-pu "-c alias.x=push x"; do
  said=$(env -u GIT_CONFIG_COUNT git $refused -q "$TMPDIR/o/.git" HEAD:refs/heads/x 2>&1) && echo "failed:through $refused"
  case $said in *"agents do not push"*) ;; *) echo "failed:words of $refused: $said";; esac
done
git branch -D $me/m > removed 2>&1; cat removed | grep -q "Deleted branch" || echo "failed:branch"; rm removed
git stash list > "$TMPDIR/list"; [ -s "$TMPDIR/list" ] && echo "failed:left"
for refused in "update-ref refs/stash HEAD" "checkout -q -B main" "branch -f main HEAD" "switch -q -c evil" "reset -q --soft HEAD && git tag evil" "branch -D kept" "branch -m kept gone" "worktree add ../evil" "config user.evil 1" "gc -q" "pack-refs --all" "push -q . HEAD:main" "send-pack \"$TMPDIR/o/.git\" HEAD:refs/heads/x"; do
  if sh -c "git $refused" > /dev/null 2>&1; then echo "failed:through $refused"; fi
done
echo all-done
"#;

fn with_script(script: &str) -> TestProject {
    let project = TestProject::initialised();
    project.write("everyday.sh", &format!("{STEPS}{script}"));
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Add a script"]);
    project.git(&["branch", "kept"]);
    project.write(
        "team.gitconfig",
        "[stash]\n\tshowPatch = true\n[alias]\n\tci = commit\n\tsave = stash\n\tgone = branch -D\n\tpu = push\n\tnested-pu = pu\n\tshell-pu = !git push\n",
    );
    project.git(&["config", "include.path", "../team.gitconfig"]);
    let hook = project.root().join(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(
        &hook,
        "#!/bin/sh\n[ -n \"$OVERSTORY_AGENT_NAME\" ] || exit 0\ngit rev-parse --show-toplevel > \"$TMPDIR/hook-ran\"\n",
    )
    .unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    project
}

fn start(project: &TestProject) {
    let spec = project.script(
        "gita",
        "steps:\n- run: \"sh ./everyday.sh > \\\"$TMPDIR/out\\\" 2>&1; echo result:; cat \\\"$TMPDIR/out\\\"; echo end of result\"\n- done: \"tried\"\n",
    );
    let words = ["sling", "t-1", "--name", "gita", "--runtime", "script"];
    project.grove_ok(&[&words[..], &["--spec", &spec]].concat());
}

fn result(project: &TestProject) -> String {
    let shown = wait_until(
        "the agent has tried everything",
        LONG,
        || {
            let shown = recorded(project, "gita");
            shown.contains("\nend of result").then_some(shown)
        },
        || project.report(),
    );
    let (_, result) = shown.rsplit_once("\nresult:").unwrap_or(("", &shown));
    result.to_owned()
}

/// Waits until the agent has made a file of this name in its temporary folder.
fn until_touched(project: &TestProject, name: &str) {
    let is_there = || {
        let file = project.overstory("hosts/gita/sandbox.json");
        let rules = std::fs::read_to_string(file).ok()?;
        let rules: serde_json::Value = serde_json::from_str(&rules).ok()?;
        let mut writable = rules["write"].as_array()?.iter();
        let has_it = |path: &serde_json::Value| {
            let folder = path.as_str().map(std::path::Path::new);
            folder.is_some_and(|folder| folder.join(name).exists())
        };
        writable.any(has_it).then_some(())
    };
    wait_until("the agent waits", LONG, is_there, || project.report());
}

fn wrong(result: &str) -> Vec<&str> {
    let is_wrong = |line: &&str| line.starts_with("failed:") || line.starts_with("noise:");
    result.lines().map(str::trim).filter(is_wrong).collect()
}

#[test]
fn everyday_git_works_in_a_sandbox_and_others_see_commits_only() {
    if !has_landlock() {
        return;
    }
    let project = with_script(EVERYDAY);
    let picture = || {
        let of_others = "--exclude=refs/heads/overstory/gita/*";
        let refs = project.git(&[
            "for-each-ref",
            of_others,
            "--format=%(refname) %(objectname)",
        ]);
        (refs, project.git(&["config", "--local", "--list"]))
    };
    let before = picture();
    start(&project);
    let result = result(&project);
    assert!(result.contains("all-done"), "{result}");
    assert_eq!(wrong(&result), Vec::<&str>::new(), "{result}");
    assert_eq!(picture(), before);
    assert_eq!(project.git(&["stash", "list"]), "");
    project.git(&["fsck", "--strict"]);
    let worktree = project.overstory("worktrees/gita").display().to_string();
    let status = project.git(&["-C", &worktree, "status", "--porcelain=v2", "--branch"]);
    assert!(
        status.contains("# branch.head overstory/gita/t-1"),
        "{status}"
    );
    assert!(!status.contains("\nu "), "{status}");
}

/// Waits for what the user does meanwhile, and is killed in the middle of a rebase.
const MEANWHILE: &str = r#"
git commit -q --allow-empty -m before
me=overstory/gita
for name in packed by-ref renamed moved; do git branch $me/$name; done
git branch $me/kept-name
echo wip > wip; git add wip; git stash -q
touch "$TMPDIR/ready"; until [ -e "$OVERSTORY_PROJECT_ROOT/packed" ]; do sleep 0.05; done
step packed 'git commit -q --allow-empty -m "after packing"; [ "$(git log --format=%s -1 HEAD~1)" = before ]'
gone() { echo "! git rev-parse -q --verify refs/heads/$me/$1 > /dev/null"; }
step removed "git branch -D $me/packed; $(gone packed)"
step by-ref "git update-ref -d refs/heads/$me/by-ref; $(gone by-ref)"
step renamed "git branch -m $me/renamed $me/other; git rev-parse -q --verify $me/other; $(gone renamed)"
step on-it "git switch -q $me/moved; git commit -q --allow-empty -m moved; git branch -m $me/here; [ \$(git symbolic-ref --short HEAD) = $me/here ]; git switch -q $me/t-1; $(gone moved)"
step no-host "said=\$(env -u GROVE_HOST_SOCKET git branch -D $me/kept-name 2>&1) && exit 1; echo \"\$said\" | grep -q 'the user can remove it'; git rev-parse -q --verify $me/kept-name"
for refused in "branch -D kept" "branch -m kept gone" "branch -D overstory/other/x" "update-ref -d refs/heads/kept"; do
  if sh -c "git $refused" > /dev/null 2>&1; then echo "failed:through $refused"; fi
done
step list '[ "$(git stash list | wc -l)" -eq 1 ]; git stash list | grep -q before'
step stash 'git stash pop -q; [ "$(cat wip)" = wip ]; git commit -qm wip'
step others '[ -z "$(git stash list)" ]; git stash pop 2> /dev/null && exit 1; git show -q stash 2> /dev/null && exit 1; git rev-parse -q --verify stash && exit 1; echo again > wip; git stash -q; git stash drop -q; [ -z "$(git stash list)" ]'
tip=$(git rev-parse HEAD)
git rebase -q --exec "echo \$PPID > '$TMPDIR/git'; exec sleep 1000" HEAD~1 & front=$!
until [ -s "$TMPDIR/git" ]; do sleep 0.05; done
git=$(cat "$TMPDIR/git"); sleeping=$(ps -o pid= --ppid "$git")
kill -9 $front; kill -9 $git $sleeping
step seen 'git status | grep -q "rebase in progress"'
step abort "git rebase --abort; [ \$(git rev-parse HEAD) = $tip ]; git status | grep -q 'On branch overstory/gita/t-1'"
git rebase -q --exec "echo \$PPID > '$TMPDIR/git2'; exec sleep 1000" HEAD~1 & front=$!
until [ -s "$TMPDIR/git2" ]; do sleep 0.05; done
sleeping=$(ps -o pid= --ppid "$(cat "$TMPDIR/git2")")
kill -TERM $front; wait $front; code=$?
[ $code = 143 ] || echo "failed:the code of a signal is $code"
kill -9 $sleeping
step aborted "git rebase --abort; [ \$(git rev-parse HEAD) = $tip ]"
step apart 'for n in 1 2 3 4; do git commit -q --allow-empty -m "apart $n" & done; wait; [ "$(git log --format=%s | grep -c apart)" = 4 ]'
left=$(find "$(git rev-parse --git-dir)" -name '*.lock'); [ -z "$left" ] || echo "failed:left $left"
read -r holder rest < "$(git rev-parse --git-dir)/grove/running"; [ "$holder" = 0 ] || echo "failed:left $holder $rest"
echo all-done
"#;

#[test]
fn packing_killing_and_crowding_do_no_harm_to_the_git_of_an_agent() {
    if !has_landlock() {
        return;
    }
    let project = with_script(MEANWHILE);
    start(&project);
    until_touched(&project, "ready");
    stash_as_the_user(&project);
    project.git(&["branch", "overstory/other/x"]);
    project.git(&["pack-refs", "--all"]);
    project.write("packed", "");
    let result = result(&project);
    assert!(result.contains("all-done"), "{result}");
    assert_eq!(wrong(&result), Vec::<&str>::new(), "{result}");
    project.git(&["fsck", "--strict"]);
    let branches = project.git(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
    let own = ["here", "kept-name", "other", "t-1"].map(|name| format!("overstory/gita/{name}"));
    let others = ["kept", "main", "overstory/other/x"].map(str::to_owned);
    let mut expected = [&own[..], &others].concat();
    expected.sort_unstable();
    assert_eq!(branches.lines().collect::<Vec<_>>(), expected);
    assert_eq!(project.git(&["stash", "list"]).lines().count(), 1);
}

fn stash_as_the_user(project: &TestProject) {
    project.write("everyday.sh", "of the user");
    project.git(&["stash", "-q"]);
}

/// Leaves two entries in its stash.
const STASHING: &str = r#"
step empty '[ -z "$(git stash list)" ]; git stash pop 2> /dev/null && exit 1; git stash drop 2> /dev/null && exit 1; true'
step own 'echo 1 > a; git add a; git stash -q; git stash pop -q; git commit -qm a; git branch overstory/gita/x; git branch -m overstory/gita/x overstory/gita/y; git branch -D overstory/gita/y'
for n in first second; do step $n "echo $n > a; git stash -q -m $n"; done
echo all-done
"#;

#[test]
fn the_stash_of_an_agent_with_a_guard_only_is_not_the_users() {
    let project = with_script(STASHING);
    project.write(".overstory/config.local.yaml", "sandbox: guard\n");
    stash_as_the_user(&project);
    start(&project);
    let result = result(&project);
    assert!(result.contains("all-done"), "{result}");
    assert_eq!(wrong(&result), Vec::<&str>::new(), "{result}");
    assert_eq!(project.git(&["stash", "list"]).lines().count(), 1);
    assert!(
        project
            .git(&["stash", "show", "-p"])
            .contains("of the user")
    );
}

#[test]
fn a_stash_made_in_the_sandbox_is_kept_when_its_worktree_goes() {
    if !has_landlock() {
        return;
    }
    let project = with_script(STASHING);
    start(&project);
    let result = result(&project);
    assert_eq!(wrong(&result), Vec::<&str>::new(), "{result}");
    let said = project.grove_ok(&["stop", "gita", "--clean-worktree", "--force"]);
    let kept = said
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Work kept at "))
        .filter(|name| name.contains("/stash-"));
    let kept: Vec<String> = kept
        .map(|name| project.git(&["show", &format!("{name}:a")]))
        .collect();
    assert_eq!(kept, ["second", "first"], "{said}");
}

/// The remote has moved on since it was looked at last, and has dropped a branch.
const FETCHING: &str = r#"
at() { git rev-parse -q --verify "refs/remotes/$1"; }
step quiet 'before=$(git rev-parse refs/remotes/origin/main); git fetch -q origin; [ "$(git rev-parse refs/remotes/origin/main)" != "$before" ]; [ "$(git log -1 --format=%s origin/main)" = moved ]'
step head '[ "$(git rev-parse FETCH_HEAD)" = "$(git rev-parse origin/main)" ]'
step tag 'git rev-parse -q --verify refs/tags/v2'
touch "$TMPDIR/again"; until [ -e "$OVERSTORY_PROJECT_ROOT/again" ]; do sleep 0.05; done
step pull 'git pull -q --no-rebase --no-edit origin main; [ -e again.txt ]; [ "$(git log -1 --format=%s origin/main)" = again ]'
step prune 'git rev-parse -q --verify refs/remotes/origin/gone; git remote prune origin; git rev-parse -q --verify refs/remotes/origin/gone && exit 1; true'
step alias 'git up -q'
git commit -q --allow-empty -m own
for refused in "update-ref refs/remotes/origin/main HEAD" "fetch -q . +HEAD:refs/remotes/origin/main" "fetch -q origin +main:kept" "tag -d v2"; do
  if sh -c "git $refused" > /dev/null 2>&1; then echo "failed:through $refused"; fi
done
echo all-done
"#;

/// It ended with `refs/remotes/origin/main.lock: Permission denied`.
#[test]
fn an_agent_in_a_sandbox_fetches_what_a_remote_has_got_since() {
    if !has_landlock() {
        return;
    }
    let project = with_script(FETCHING);
    project.write("more.gitconfig", "[alias]\n\tup = fetch --all\n");
    project.git(&["config", "--add", "include.path", "../more.gitconfig"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let at = |name: &str| elsewhere.path().join(name).display().to_string();
    let (remote, clone) = (at("remote.git"), at("clone"));
    project.git(&["init", "-q", "--bare", &remote]);
    project.git(&["remote", "add", "origin", &remote]);
    project.git(&["push", "-q", "origin", "main", "main:gone"]);
    project.git(&["fetch", "-q", "origin"]);
    project.git(&["clone", "-q", "-b", "main", &remote, &clone]);
    let move_on = |name: &str| {
        std::fs::write(format!("{clone}/{name}.txt"), name).unwrap();
        project.git(&["-C", &clone, "add", "-A"]);
        project.git(&["-C", &clone, "commit", "-q", "-m", name]);
        project.git(&["-C", &clone, "push", "-q", "origin", "main"]);
    };
    move_on("moved");
    project.git(&["-C", &clone, "tag", "v2"]);
    project.git(&["-C", &clone, "push", "-q", "origin", "v2", ":gone"]);
    let users = || {
        let fetched = std::fs::read(project.root().join(".git/FETCH_HEAD")).unwrap();
        (fetched, project.git(&["rev-parse", "main", "kept"]))
    };
    let before = users();
    start(&project);
    until_touched(&project, "again");
    move_on("again");
    project.write("again", "");
    let result = result(&project);
    assert!(result.contains("all-done"), "{result}");
    assert_eq!(wrong(&result), Vec::<&str>::new(), "{result}");
    assert_eq!(users(), before);
}
