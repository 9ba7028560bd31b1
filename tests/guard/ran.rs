//! What was allowed once and, really run, changed something outside: by its cause, with what is near and harmless.

use crate::place::Place;

/// A worktree with a link that leads out of it, and one that leads to a folder of it.
fn linked() -> Place {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside");
    for folder in [
        &outside,
        &place.worktree.join("src"),
        &place.worktree.join("docs/deep"),
    ] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for (name, target) in [("out", outside.as_path()), ("in", "docs/deep".as_ref())] {
        std::os::unix::fs::symlink(target, place.worktree.join(name)).unwrap();
    }
    place
}

/// Checks what a builder may do and what not.
fn expect(refused: &[&str], allowed: &[&str]) {
    let place = linked();
    let mut wrong = Vec::new();
    for (expected, commands) in [("block", refused), ("allow", allowed)] {
        for command in commands {
            let (decision, reason) = place.bash("builder", command);
            if decision != expected {
                wrong.push(format!("{decision}: {command} ({reason})"));
            }
        }
    }
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
}

#[test]
fn a_replacement_tied_to_an_end_of_the_value_is_made_there() {
    expect(
        &[
            "a=(x y); rm -f \"${a[@]/#/..\\/}\"",
            "f=src/x; rm -f ${f/#src/..}",
            "f=x; rm -f ${f/#/../}",
            "f=../a.x; rm -f ${f/%x/y}",
            "f=src/x; rm -f ${f/src\\/x/..\\/x}",
            "f=src/x; rm -f ${f/\"src/x\"/../x}",
            "f=..; rm -f ${f/z/&}/x",
            "f=a.x; rm -f ${f/a/&.}/x",
            "f=a/x; rm -f ${f//a/..}",
            "f=/x; rm -f ${f////..\\/}",
            "f=a; rm -f ${f////../}",
        ],
        &[
            "f=src/x; rm -f ${f/#src/docs}",
            "f=x.c; rm -f ${f/%.c/.o}",
            "f=a/b; touch src/${f////-}",
            "f=a.b; touch src/${f//./_}",
            "f=a; touch ${f/#/src/}",
        ],
    );
}

#[test]
fn what_goes_up_from_a_path_of_unknown_depth_may_leave() {
    expect(
        &[
            "find . -maxdepth 1 -type d -name src -exec touch {}/../../x \\;",
            "find . -type d -exec touch {}/../x \\;",
            "shopt -s globstar; touch **/../x",
            "cd \"$(find . -type d | head -1)/..\" && touch x",
        ],
        &[
            "find . -type f -name '*.o' -exec rm {} +",
            "find src -name a -exec cp {} {}.bak \\;",
            "for f in src/*; do touch \"${f%/*}/x\"; done",
        ],
    );
}

#[test]
fn a_name_that_is_only_listed_may_be_that_of_a_link_or_of_the_folder_above() {
    expect(
        &[
            "for f in $(ls -a); do touch $f/x; done",
            "ls -a | while read -r f; do touch \"$f/x\"; done",
            "for f in $(ls); do touch $f/x; done",
            "for f in $(ls); do (cd $f && touch x); done",
            "find . -maxdepth 1 -type l -exec touch {}/x \\;",
        ],
        &[
            "for f in $(ls); do echo $f; done",
            "for f in $(ls src); do touch src/$f/x; done",
            "mkdir -p build/$(date +%F) && touch build/$(date +%F)/log",
            "for f in $(ls src); do cp src/$f docs/$f; done",
        ],
    );
}

#[test]
fn a_directory_is_entered_through_its_links_where_programs_and_set_p_do() {
    expect(
        &[
            "env -C out/.. touch x",
            "env -iC .. touch x",
            "env -C.. touch x",
            "env --chd .. touch x",
            "set -P; cd out; cd ..; touch x",
            "set -o physical; cd out/..; touch x",
            "cd -P out; cd ..; touch x",
            "cd -eP ..; touch x",
            "cd -P out/.. && touch x",
            "bash -P -c 'cd out; cd ..; touch x'",
            "cd out; env -u PWD bash -c 'cd ..; touch x'",
            "zsh -c 'setopt CHASE_LINKS; cd out; cd ..; touch x'",
        ],
        &[
            "env -C src touch x",
            "cd -P in && touch x",
            "cd in; cd ..; touch x",
            "cd out; cd ..; touch x",
            "set -P; cd src; cd ..; touch x",
            "bash -euo pipefail -c 'cd src; cd ..; touch x'",
        ],
    );
}

#[test]
fn a_name_may_be_a_variable_where_cd_takes_those() {
    expect(
        &[
            "shopt -s cdable_vars; v=..; cd v; touch x",
            "bash -O cdable_vars -c 'v=..; cd v; touch x'",
        ],
        &["shopt -s nullglob; cd src; touch x"],
    );
}

#[test]
fn the_last_part_of_a_pipeline_may_be_run_by_the_shell_itself() {
    expect(
        &[
            "shopt -s lastpipe; true | cd ..; touch x",
            "zsh -c 'true | cd ..; touch x'",
            "d=src; echo .. | read d; touch $d/x",
        ],
        &[
            "d=src; ls | while read -r f; do echo $f; done; touch $d/x",
            "ls | (cd .. && cat); touch x",
            "true | cd src; touch x",
        ],
    );
}

#[test]
fn the_old_text_of_an_edited_file_may_be_kept_elsewhere() {
    expect(
        &[
            "sed -i'../*' s/a/b/ x",
            "sed --in-place='../*.bak' s/a/b/ x",
            "perl -i'../*' -pe s/a/b/ x",
            "ruby -i/tmp/x -pe '$_' x",
        ],
        &[
            "sed -i.bak s/a/b/ x",
            "sed -i'src/*.bak' s/a/b/ x",
            "perl -i.orig -pe s/a/b/ x",
            "perl -pi -e s/a/b/ x",
        ],
    );
}

#[test]
fn the_word_behind_the_text_of_a_shell_is_its_own_name() {
    expect(
        &[
            "sh -c 'touch \"$0\"' ../{x,y}",
            "echo ../x | xargs -n1 sh -c 'touch \"$0\"'",
        ],
        &[
            "sh -c 'touch \"$0\"' src/x",
            "find src -name a -exec sh -c 'touch \"$0.bak\"' {} \\;",
        ],
    );
}

#[test]
fn what_is_run_beside_a_found_file_runs_in_its_folder() {
    expect(
        &[
            "find .. -maxdepth 1 -name x -execdir touch y \\;",
            "find out/.. -maxdepth 1 -name x -execdir touch y \\;",
            "find \"$PWD\" -maxdepth 0 -execdir touch y \\;",
        ],
        &[
            "find . -name x -execdir touch y \\;",
            "find src docs -name x -execdir mv {} y \\;",
            "find \"$PWD\" -name x -execdir touch y \\;",
        ],
    );
}

#[test]
fn the_last_match_of_a_pattern_may_be_a_folder_that_takes_the_others() {
    expect(
        &["ln -s src/x o*", "cp src/x o*", "mv src/x o*"],
        &["ln -s src/x x", "cp src/x d*"],
    );
}

#[test]
fn options_of_env_are_read_in_clusters_and_cut_short() {
    expect(
        &[
            "env --split-str='git push'",
            "env -iu A git push",
            "env --uns A git push",
            "env --argv0 a git push",
            "env -P /bin git push",
        ],
        &[
            "env -iu A cargo test",
            "env --unset=A cargo test",
            "env -S 'cargo test'",
            "env --ignore-environment cargo test",
        ],
    );
}

#[test]
fn an_editor_writes_other_files_by_more_than_its_write_commands() {
    expect(
        &[
            "vim -es -W ../x -c 'qa!'",
            "vim -es -c 'redir! > ../x' -c 'qa!'",
            "vim -es -c 'cd ..' -c 'w! x' -c 'qa!' y",
            "vim -es -c 'mksession! ../x'",
            "vim -es -c 'set backup backupdir=.. | w' y",
            "ex -s y <<'E'\ncd ..\nw! x\nq!\nE",
            "ex -s y <<'E'\nsav! ../x\nq!\nE",
        ],
        &[
            "ex -s y <<'E'\n%s/a/b/g\nsav! src/x\nq!\nE",
            "vim -es -c 'set nu' -c '%s/a/b/' -c 'wq' y",
            "ed -s y <<'E'\n,s/a/b/\nw\nq\nE",
        ],
    );
}

#[test]
fn what_is_printed_for_a_path_is_what_the_program_prints() {
    expect(
        &[
            "touch $(git rev-parse --show-prefix)../x",
            "touch $(printf '%q' ..)/x",
            "touch \"$(printf '%q' '../a b')\"",
            "touch $(git branch --show-current)../x",
            "ar x --output=.. src/a.a",
            "sh -c 'pushd src; cd ..; touch x'",
        ],
        &[
            "touch $(printf '%q' src)/x",
            "eval \"$(printf 'echo %q ' 'a b' 'c')\"",
            "pushd src; touch x; popd; touch y",
            "bash -c 'pushd src; cd ..; touch x'",
            "touch $(git rev-parse --short HEAD).log",
        ],
    );
}

#[test]
fn a_makefile_that_calls_make_again_is_judged_where_that_runs() {
    expect(
        &[
            "printf 'a:\\n\\tcd ..; make -f ada/Makefile b\\nb:\\n\\ttouch x\\n' > Makefile; make a",
            "printf 'a:\\n\\t$(MAKE) b\\nb:\\n\\ttouch ../x\\n' > Makefile; make a",
        ],
        &["printf 'a:\\n\\t$(MAKE) b\\nb:\\n\\ttouch x\\n' > Makefile; make a"],
    );
}

#[test]
fn fd_leaves_out_the_folder_of_git_only_where_its_pattern_does() {
    expect(
        &[
            "fd -H '\\.git' -X rm -r",
            "fd -H '\\x2egit' -X rm -r",
            "fd -H -g '{a,.git}' -X rm -r",
            "fd -H -p src -X rm -r",
        ],
        &[
            "fd -H '^\\.DS_Store$' -X rm",
            "fd -H '\\.orig$' -X rm",
            "fd -H -E .git . src -X touch",
        ],
    );
}
