//! What a file or a block of it says but once: the second one is refused, or the first one is without effect. At one place
//! and at two.

use super::{both_ways, contests, held};

/// The sides put `one` and `two` at two places of the base, and something at a third one.
fn held_apart(name: &str, base: &str, one: &str, two: &str) {
    let made = |first: &str, second: &str, third: &str| {
        let text = base.replace("~1", first).replace("~2", second);
        text.replace("~3", third)
    };
    let comment = if name.ends_with("php") || name.ends_with("js") {
        "//"
    } else {
        "#"
    };
    let third = |side: &str| format!("{comment} as {side}\n{side}();\n");
    let old = made("", "", "");
    let (one, two) = (made(one, "", &third("one")), made("", two, &third("two")));
    // Nothing else is to be decided.
    let other = made("", "", &third("two"));
    assert_eq!(contests(name, [&old, &one, &other]), 0, "{name}:\n{one}");
    both_ways(name, &old, &one, &two);
}

/// A base with room for two lines in a list and one before that.
fn lines(of: &str) -> String {
    let line = |n: usize| of.replace('#', &n.to_string());
    let six = |from: usize| (from..from + 6).map(line).collect::<String>();
    format!("{}~3{}~1{}~2{}", line(0), six(1), six(10), six(20))
}

#[test]
fn a_handler_of_a_signal_that_both_sides_set_in_one_script_is_held() {
    let base = "set -e\n~run\n";
    held("a.sh", base, "trap 'rm a' EXIT\n", "trap 'rm b' EXIT\n");
    held(
        "a.sh",
        base,
        "a=1\ntrap 'rm a' 0\n",
        "b=2\ntrap -- cleanup INT SIGEXIT\n",
    );
    held_apart(
        "a.sh",
        &lines("run #\n"),
        "trap 'rm a' EXIT\n",
        "trap b EXIT\n",
    );
}

#[test]
fn a_function_or_a_case_of_a_script_that_both_sides_write_at_two_places_is_held() {
    held_apart(
        "a.sh",
        &lines("run #\n"),
        "go() {\n  a\n}\n",
        "go() {\n  b\n}\n",
    );
    let cases = |n: usize| format!("  {n})\n    a\n    b\n    c\n    ;;\n");
    let base = format!("set -e\n~3\ncase $1 in\n{}~1{}~2esac\n", cases(1), cases(2));
    held_apart(
        "a.sh",
        &base,
        "  c)\n    x\n    ;;\n",
        "  c)\n    y\n    ;;\n",
    );
    let cases = |n: usize| format!("    case {n}:\n        a()\n        b()\n        c()\n");
    let base = format!("import q\n~3\nmatch x:\n{}~1{}~2", cases(1), cases(2));
    held_apart(
        "a.py",
        &base,
        "    case 3:\n        x()\n",
        "    case 3:\n        y()\n",
    );
}

#[test]
fn what_only_the_last_one_of_a_stage_says_is_held() {
    let base = "FROM a\nRUN x\n~";
    for (one, two) in [
        ("HEALTHCHECK CMD a\n", "HEALTHCHECK --interval=5s CMD b\n"),
        ("STOPSIGNAL SIGINT\n", "STOPSIGNAL SIGTERM\n"),
        ("RUN y\nCMD [\"a\"]\n", "ENV b=1\nCMD [\"b\"]\n"),
    ] {
        held("Dockerfile", base, one, two);
    }
    let base = format!("FROM a\n{}", lines("RUN a#\n"));
    held_apart("Dockerfile", &base, "ENTRYPOINT a\n", "ENTRYPOINT b\n");
}

#[test]
fn a_directive_that_nginx_takes_but_once_is_held() {
    let server = "server {\n    server_name x;\n~}\n";
    for (one, two) in [
        ("    root /a;\n", "    root /b;\n"),
        (
            "    listen 80;\n    a b;\n",
            "    c d;\n    listen 80 default_server;\n",
        ),
        (
            "    client_max_body_size 1m;\n    a b;\n",
            "    client_max_body_size 2m; # more\n",
        ),
        (
            "    proxy_pass http://a;\n",
            "    x y;\n    proxy_pass http://b;\n",
        ),
        (
            "    proxy_set_header Host a;\n",
            "    proxy_set_header Host b;\n    x y;\n",
        ),
        (
            "    location /a {\n        x y;\n    }\n",
            "    location /a {\n        z y;\n        q r;\n    }\n",
        ),
    ] {
        for name in ["nginx.conf", "deploy/conf.d/web.conf", "sites-enabled/web"] {
            held(name, server, one, two);
        }
    }
}

#[test]
fn what_a_module_gives_on_twice_is_held() {
    let base = lines("f#();\n");
    for (one, two) in [
        ("export default x;\n", "export default {\n  a,\n};\n"),
        (
            "export { x as default };\n",
            "export default class A {\n}\n",
        ),
        ("module.exports = x;\n", "module.exports = {\n  a,\n};\n"),
        ("exports.x = 1;\n", "module.exports.x = 2;\n"),
        ("var b = 1;\n", "let b = 2;\n"),
        ("app.get('/x', a);\n", "app.get('/x', b);\n"),
    ] {
        held_apart("a.js", &base, one, two);
    }
    let base = lines("f#()\n");
    held_apart("a.py", &base, "__all__ = ['a']\n", "__all__ = ['b']\n");
}

#[test]
fn a_mapping_of_yaml_that_goes_on_with_two_others_is_held() {
    held(
        "a.yml",
        "a:\n  x: 1\n~",
        "  <<: *d\n  q: 2\n",
        "  <<: *e\n  w: 1\n",
    );
}

#[test]
fn a_field_that_both_sides_add_to_one_class_of_php_is_held() {
    held(
        "a.php",
        "<?php\nclass A {\n    public $a;\n~}\n",
        "    private $b;\n    private ?int $c;\n",
        "    private $d;\n    public static string $b = '1';\n",
    );
}
