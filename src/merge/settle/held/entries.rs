//! Two lines in the same words, and what is made of them in a file: entries of one list, or two settings of one thing.

use crate::merge::settle::{Rules, settle_file};

/// How many places are left to somebody where the sides put `one` and `two` in the place of the `~`.
fn contests(name: &str, base: &str, one: &str, two: &str) -> [usize; 2] {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    [[&one, &two], [&two, &one]].map(|[ours, theirs]| {
        let sides = [ours.as_bytes(), theirs.as_bytes()];
        let settled = settle_file(name, Some(old.as_bytes()), sides, Rules::default());
        settled.contests().count()
    })
}

const GO: &str = "require (\n\tgithub.com/x/y v1.2.3\n~)\n";
const GRADLE: &str = "dependencies {\n~}\n";
const HTML: &str = "<head>\n~</head>\n";
const LIST: &str = "const xs = [\n~];\n";
const RUBY: &str = "class A\n~end\n";
const CALLS: &str = "f()\n    .env(\"Z\", \"z\")\n~    .run();\n";

#[test]
fn two_lines_in_the_same_words_that_are_entries_land() {
    for (name, base, one, two) in [
        (
            "go.mod",
            GO,
            "\tgithub.com/a/b v1.0.0\n",
            "\tgithub.com/c/d v2.0.1\n",
        ),
        (
            "Gemfile",
            "x\n\n~",
            "gem 'pg', '~> 1.5'\n",
            "gem 'puma', '~> 6.0'\n",
        ),
        (
            "Podfile",
            "target 'A' do\n~end\n",
            "  pod 'Y', '~> 1'\n",
            "  pod 'Z', '~> 2'\n",
        ),
        (
            "a.gradle",
            GRADLE,
            "    implementation 'c:d:1.0'\n",
            "    implementation 'e:f:2.0'\n",
        ),
        (
            "a.kts",
            GRADLE,
            "    kapt(\"c:d:1.0\")\n",
            "    kapt(\"e:f:1.0\")\n",
        ),
        (
            "a.html",
            HTML,
            "  <script src=\"b.js\"></script>\n",
            "  <script src=\"c.js\"></script>\n",
        ),
        (
            "a.html",
            HTML,
            "  <link rel=\"icon\" href=\"b.png\">\n",
            "  <link rel=\"icon\" href=\"c.png\">\n",
        ),
        ("Dockerfile", "FROM a\n~", "EXPOSE 443\n", "EXPOSE 8080\n"),
        (
            "Dockerfile",
            "FROM a\n~",
            "COPY [\"a\", \"/x\"]\n",
            "COPY [\"b\", \"/y\"]\n",
        ),
        ("a.rb", RUBY, "  include Y\n", "  include Z\n"),
        (
            "a.rb",
            "t do |t|\n  t.text :x\n~end\n",
            "  t.text :y\n",
            "  t.text :z\n",
        ),
        (
            "Makefile",
            "all:\n\tcc a\n~",
            "\tnpm test\n",
            "\tnpm build\n",
        ),
        (
            "a.js",
            LIST,
            "  { id: 2, name: 'b' },\n",
            "  { id: 3, name: 'c' },\n",
        ),
        (
            "a.py",
            "XS = [\n~]\n",
            "    Row(2, \"b\"),\n",
            "    Row(3, \"c\"),\n",
        ),
        (
            "a.go",
            "var xs = []T{\n~}\n",
            "\t{n: \"b\"},\n",
            "\t{n: \"c\"},\n",
        ),
        (
            "a.exs",
            "  [\n~  ]\n",
            "    {:b, \"~> 1\"},\n",
            "    {:c, \"~> 1\"},\n",
        ),
        (
            "a.rs",
            CALLS,
            "    .env(\"A\", \"1\")\n",
            "    .env(\"B\", \"2\")\n",
        ),
        (
            "a.sql",
            "SELECT 1;\n~",
            "INSERT INTO t VALUES (2, 'b');\n",
            "INSERT INTO t VALUES (3, 'c');\n",
        ),
    ] {
        assert_eq!(contests(name, base, one, two), [0, 0], "{name}: {one}{two}");
    }
}

#[test]
fn two_values_of_one_setting_or_entry_are_held() {
    for (name, base, one, two) in [
        (
            "go.mod",
            GO,
            "\tgithub.com/a/b v1.0.0\n",
            "\tgithub.com/a/b v1.1.0\n",
        ),
        (
            "Gemfile",
            "gem 'a'\n~",
            "gem 'pg', '~> 1.5'\n",
            "gem 'pg', '~> 1.6'\n",
        ),
        (
            "a.gradle",
            GRADLE,
            "    implementation 'c:d:1.0'\n",
            "    implementation 'c:d:2.0'\n",
        ),
        (
            "a.js",
            LIST,
            "  { id: 2, name: 'b' },\n",
            "  { id: 2, name: 'c' },\n",
        ),
        ("a.rs", CALLS, "    .timeout(3)\n", "    .timeout(5)\n"),
        (
            "a.rs",
            CALLS,
            "    .env(\"A\", \"1\")\n",
            "    .env(\"A\", \"2\")\n",
        ),
        (
            "a.conf",
            "server {\n~}\n",
            "    size 10m;\n",
            "    size 20m;\n",
        ),
        (
            "a.go",
            "type A struct {\n~}\n",
            "\tAge int\n",
            "\tAge string\n",
        ),
        ("a.xyz", "A {\n~}\n", "  Age int\n", "  Age string\n"),
        (
            "a.html",
            "~<p>\n",
            "<html lang=\"en\">\n",
            "<html lang=\"de\">\n",
        ),
    ] {
        let held = contests(name, base, one, two);
        assert_eq!(held, [1, 1], "{name}: {one}{two}");
    }
}
