//! Lists of words: what is at a place of `$@` or of an array, and what an operator makes of its elements.

use crate::place::Place;

fn answered(expected: &str, commands: &[&str]) {
    let place = Place::new();
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|command| {
            let (decision, reason) = place.bash("builder", command);
            (decision != expected).then(|| format!("{decision}: {command} ({reason})"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_operator_works_on_each_element_of_a_list_and_not_on_all_of_them_as_one() {
    answered(
        "block",
        &[
            r#"set -- abc ../b; rm "${@:2}""#,
            r#"set -- abc ../b; rm "${@: -1}""#,
            r#"set -- abc ../b; x="${@:2}"; rm "$x""#,
            r#"set -- abc ../b; rm "${@/c/}""#,
            r#"a=(abc ../b); rm "${a[@]:1}""#,
            r#"a=(abc ../b); rm "${a[@]:1:1}""#,
            r#"a=(abc ../b); rm "${a[@]/c/}""#,
            r#"a=(abc ../b); rm "${a[@]%c}""#,
            r#"a=(abc ../b); rm "${a[@]:-x}""#,
            r#"a=(abc ../B); rm "${a[@],,}""#,
            r#"a=(x git push); "${a[@]:1}""#,
            r#"a=(.. b); IFS=/; rm "${a[*]}""#,
            r#"a=(abc ../b); rm "${a[$((0+1))]}""#,
        ],
    );
    answered(
        "allow",
        &[
            r#"set -- abc ../b; rm "${@:1:1}""#,
            r#"a=(../abc b); rm "${a[@]:1}""#,
            r#"a=(a.rs b.rs); rm "${a[@]/%.rs/.o}""#,
            r#"a=(a.rs b.rs); touch "${a[@]%.rs}""#,
            r#"args=(--release -q); cargo build "${args[@]:1}""#,
            r#"args=(); cargo build ${args[@]+"${args[@]}"}"#,
            r#"run() { timeout "$1" "${@:2}"; }; run 5 cargo test"#,
            r#"a=(x y); IFS=,; echo "${a[*]}" > list.txt"#,
        ],
    );
}

#[test]
fn words_that_may_be_none_or_several_move_the_words_behind_them() {
    answered(
        "block",
        &[
            r#"a=($(find . ../other -name x)); rm "${a[0]}""#,
            r#"a=($(find . ../other -name x)); rm "${a[1]}""#,
            r#"set -- $(find src ../other -name x); rm "$1""#,
            r#"set -- $(cat list) ok; rm "$2""#,
            r#"set -- ../*.a ok; rm "$2""#,
            r#"set -- ../*; rm "$2""#,
            r#"f() { rm "$2"; }; f ../*.a ok"#,
            r#"bash -c 'rm "$2"' x ../*.a ok"#,
            r#"mapfile -t a < <(find . ../other -name x); rm "${a[0]}""#,
            r#"echo ../*.a ok c | { read a b c; rm "$b"; }"#,
        ],
    );
    answered(
        "allow",
        &[
            r#"a=($(rg -l foo)); rm "${a[0]}""#,
            r#"a=(src/*.rs); rm "${a[0]}""#,
            r#"set -- *.rs; rm "$1" "$2""#,
            r#"f() { curl -s "$1" > "$2"; }; f "$URL/api" out.json"#,
            r#"f() { echo "$2"; cargo "$1"; }; f test *.rs"#,
            r#"mapfile -t a < <(git ls-files); for f in "${a[@]}"; do sed -i s/a/b/ "$f"; done"#,
            r#"readarray -t a < <(find . -name '*.rs'); sed -i s/a/b/ "${a[@]}""#,
        ],
    );
}

#[test]
fn a_case_that_takes_everything_leaves_nothing_of_what_was_before() {
    answered(
        "allow",
        &[
            r#"case "$(uname)" in Darwin) S=gsed;; *) S=sed;; esac; $S -i s/a/b/ a.txt"#,
            r#"D=..; case "$1" in a) D=src;; *) D=tests;; esac; touch $D/a"#,
        ],
    );
    answered(
        "block",
        &[
            r#"D=..; case "$1" in a) D=src;; esac; touch $D/a"#,
            r#"D=..; case "$1" in a) D=src;; '*') D=tests;; esac; touch $D/a"#,
            r#"D=src; case "$1" in a) D=..;; *) ;; esac; touch $D/a"#,
        ],
    );
}

#[test]
fn a_folder_that_the_command_made_for_itself_may_be_filled() {
    answered(
        "allow",
        &[
            r#"T=$(mktemp -d) && tar xzf a.tgz -C "$T" && ls "$T" && rm -rf "$T""#,
            r#"T=$(mktemp -d); unzip a.zip -d "$T""#,
            "sed -i '' -e s/a/b/ a.txt",
        ],
    );
    answered(
        "block",
        &[
            "tar xzf a.tgz -C /tmp/other",
            r#"T=$(mktemp -d); tar xzf a.tgz -C "$T/../../other""#,
        ],
    );
}
