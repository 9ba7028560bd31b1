//! What one side adds to the last entry stays with it, whatever the other side appended there.

use crate::support::{held_both_ways, lands_both_ways};

#[test]
fn what_goes_on_with_the_last_entry_does_not_go_to_an_entry_of_the_other_side() {
    for (file, base, one, two, expected) in [
        (
            "k.yml",
            "users:\n  - name: ann\n",
            "  - name: bob\n",
            "    admin: true\n  - name: eve\n",
            "users:\n  - name: ann\n    admin: true\n  - name: eve\n  - name: bob\n",
        ),
        (
            "compose.yml",
            "services:\n  web:\n    image: web\n",
            "  db:\n    image: pg\n",
            "    privileged: true\n  cache:\n    image: redis\n",
            "services:\n  web:\n    image: web\n    privileged: true\n  cache:\n    image: redis\n  db:\n    image: pg\n",
        ),
        (
            "k.yml",
            "rules:\n  - host: a\n    paths:\n      - /a\n",
            "  - host: b\n    paths:\n      - /b\n",
            "      - /admin\n  - host: c\n    paths:\n      - /c\n",
            "rules:\n  - host: a\n    paths:\n      - /a\n      - /admin\n  - host: c\n    paths:\n      - /c\n  - host: b\n    paths:\n      - /b\n",
        ),
        (
            "a.py",
            "def a():\n    for i in x:\n        go(i)\n",
            "    end()\n",
            "        count += 1\n    stop()\n",
            "def a():\n    for i in x:\n        go(i)\n        count += 1\n    stop()\n    end()\n",
        ),
        (
            "rules.md",
            "Allowed:\n\n- read\n- list\n",
            "\nForbidden:\n\n- delete\n",
            "- export\n",
            "Allowed:\n\n- read\n- list\n- export\n\nForbidden:\n\n- delete\n",
        ),
        (
            "rules.md",
            "**Allowed**\n- read\n- list\n",
            "\n**Forbidden**\n- delete\n",
            "- export\n",
            "**Allowed**\n- read\n- list\n- export\n\n**Forbidden**\n- delete\n",
        ),
        (
            "a.yml",
            "kind: A\nname: a\n",
            "---\nkind: B\nname: b\n",
            "namespace: prod\n",
            "kind: A\nname: a\nnamespace: prod\n---\nkind: B\nname: b\n",
        ),
    ] {
        let [one, two] = [one, two].map(|more| format!("{base}{more}"));
        lands_both_ways(file, base, &one, &two, expected);
    }
    let more = [
        "    email: a@x\n  - name: bob\n",
        "    admin: true\n  - name: eve\n",
    ];
    let base = "users:\n  - name: ann\n";
    let [one, two] = more.map(|more| format!("{base}{more}"));
    held_both_ways("k.yml", base, &one, &two);
}

#[test]
fn what_goes_on_with_a_reworded_line_stands_before_the_entry_that_was_added_below_it() {
    for (file, base, one, two, expected) in [
        (
            "ci.yml",
            "steps:\n  - uses: checkout\n  - run: make test\n",
            "steps:\n  - uses: checkout\n  - run: make lint test\n  - run: make publish\n",
            "steps:\n  - uses: checkout\n  - run: make test\n    continue-on-error: true\n",
            "steps:\n  - uses: checkout\n  - run: make lint test\n    continue-on-error: true\n  - run: make publish\n",
        ),
        (
            "compose.yml",
            "services:\n  web:\n    image: acme/web:1\n",
            "services:\n  web:\n    image: acme/web:2\n  worker:\n    image: acme/web:2\n",
            "services:\n  web:\n    image: acme/web:1\n    ports: ['80:80']\n",
            "services:\n  web:\n    image: acme/web:2\n    ports: ['80:80']\n  worker:\n    image: acme/web:2\n",
        ),
        (
            "CHANGELOG.md",
            "- Fixed the login of users.\n",
            "- Fixed the login of all users.\n- Fixed the names of users.\n",
            "- Fixed the login of users.\n  They have to log in again.\n",
            "- Fixed the login of all users.\n  They have to log in again.\n- Fixed the names of users.\n",
        ),
    ] {
        lands_both_ways(file, base, one, two, expected);
    }
}
