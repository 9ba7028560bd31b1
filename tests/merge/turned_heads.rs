//! The head of a block that one side turned or renamed, and what the other side put below the old one: nobody has read the
//! two together.

use crate::support::{held_both_ways, lands_both_ways};

#[test]
fn what_was_put_below_a_condition_does_not_land_below_another_one() {
    for (file, base, one, two) in [
        (
            "a.py",
            "def show(req):\n    if req.user.is_admin:\n        return panel(req)\n    return home(req)\n",
            "def show(req):\n    if not req.user.is_admin:\n        return home(req)\n    return panel(req)\n",
            "def show(req):\n    if req.user.is_admin:\n        req.grant(\"admin\")\n        return panel(req)\n    return home(req)\n",
        ),
        (
            "d.sh",
            "if [ \"$ENV\" = prod ]; then\n  confirm\nfi\n",
            "if [ \"$ENV\" != prod ]; then\n  confirm\nfi\n",
            "if [ \"$ENV\" = prod ]; then\n  backup\n  confirm\nfi\n",
        ),
        (
            "ci.yml",
            "  deploy:\n    if: github.ref == 'refs/heads/main'\n    steps: []\n",
            "  deploy:\n    if: github.ref != 'refs/heads/main'\n    steps: []\n",
            "  deploy:\n    if: github.ref == 'refs/heads/main'\n    environment: production\n    steps: []\n",
        ),
        (
            "a.sh",
            "while ! ready; do\n  sleep 1\ndone\n",
            "until ready; do\n  sleep 1\ndone\n",
            "while ! ready; do\n  kill_stale\n  sleep 1\ndone\n",
        ),
        (
            "a.go",
            "func (s *S) Get() int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.n\n}\n",
            "func (s *S) Get() int {\n\ts.mu.RLock()\n\tdefer s.mu.RUnlock()\n\treturn s.n\n}\n",
            "func (s *S) Get() int {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\ts.hits++\n\treturn s.n\n}\n",
        ),
        (
            "k.yml",
            "- name: cleanup-preview\n  run: clean\n- name: x\n",
            "- name: cleanup-production\n  run: clean\n- name: x\n",
            "- name: cleanup-preview\n  args: --delete-all\n  run: clean\n- name: x\n",
        ),
        (
            "Dockerfile",
            "FROM python:3.11-slim AS build\nCOPY . .\n",
            "FROM python:3.12-alpine AS build\nCOPY . .\n",
            "FROM python:3.11-slim AS build\nRUN apt-get install -y gcc\nCOPY . .\n",
        ),
        (
            "deploy.sh",
            "set -e\nmake build\nmake push\n",
            "set -e\nmake build || exit 0\nmake push\n",
            "set -e\nmake build\nmake test\nmake push\n",
        ),
        (
            "rules.md",
            "Never do this:\n- run as root\n",
            "Always do this:\n- run as root\n",
            "Never do this:\n- log in twice\n- run as root\n",
        ),
    ] {
        held_both_ways(file, base, one, two);
    }
}

#[test]
fn what_speaks_of_a_name_does_not_land_below_the_line_that_gave_it_another_one() {
    for (file, base, one, two) in [
        (
            "a.py",
            "def greet(user):\n    send(\"hi\")\n",
            "def greet(account):\n    send(\"hi\")\n",
            "def greet(user):\n    log(user.name)\n    send(\"hi\")\n",
        ),
        (
            "A.java",
            "    int add(int count) {\n        total = total;\n    }\n",
            "    int add(int amount) {\n        total = total;\n    }\n",
            "    int add(int count) {\n        check(count);\n        total = total;\n    }\n",
        ),
        (
            "a.ts",
            "const total = sum(items);\nsave(items);\n",
            "const subtotal = sum(items);\nsave(items);\n",
            "const total = sum(items);\nconsole.log(total);\nsave(items);\n",
        ),
        (
            "a.py",
            "total = compute(order, rates)\nsave(order)\n",
            "subtotal = compute(\n    order,\n    rates,\n)\nsave(order)\n",
            "total = compute(order, rates)\nprint(total)\nsave(order)\n",
        ),
        (
            "a.rs",
            "    for (i, item) in items.iter().enumerate() {\n        show(item);\n    }\n",
            "    for item in items.iter() {\n        show(item);\n    }\n",
            "    for (i, item) in items.iter().enumerate() {\n        print(i);\n        show(item);\n    }\n",
        ),
    ] {
        held_both_ways(file, base, one, two);
    }
}

#[test]
fn a_comment_or_one_more_argument_of_a_function_turns_nothing() {
    for (file, base, one, two, expected) in [
        (
            "a.py",
            "if ready(a):\n    go()\n",
            "if ready(a):  # later\n    go()\n",
            "if ready(a):\n    log()\n    go()\n",
            "if ready(a):  # later\n    log()\n    go()\n",
        ),
        (
            "a.rs",
            "fn send(to: &str) {\n    go();\n}\n",
            "fn send(to: &str, when: u64) {\n    go();\n}\n",
            "fn send(to: &str) {\n    log(to);\n    go();\n}\n",
            "fn send(to: &str, when: u64) {\n    log(to);\n    go();\n}\n",
        ),
    ] {
        lands_both_ways(file, base, one, two, expected);
    }
}

#[test]
fn an_item_does_not_land_below_a_label_that_its_author_has_not_read() {
    for (base, one, two) in [
        (
            "Never do this:\n- run as root\n- share keys\n",
            "Never do this:\n- run as root\n- share keys\n- log in twice\n",
            "Always do this:\n- run as a user\n- share nothing\n",
        ),
        (
            "Never do this:\n\n- run as root\n- share keys\n",
            "Never do this:\n\n- run as root\n- share keys\n- log out\n",
            "Always do this:\n\n- run as root\n- share keys safely\n",
        ),
        (
            "**Pros**\n- it is fast\n- it is known\n",
            "**Pros**\n- it is fast\n- it is known\n- it has streams\n",
            "**Cons**\n- it is costly\n- it is one more part\n",
        ),
    ] {
        held_both_ways("rules.md", base, one, two);
    }
    // Below the label that both have, each item stands for itself.
    let base = "Never do this:\n- run as root\n- share keys\n";
    lands_both_ways(
        "rules.md",
        base,
        &base.replace("keys\n", "keys\n- log in twice\n"),
        &base.replace("share keys", "share your keys"),
        "Never do this:\n- run as root\n- share your keys\n- log in twice\n",
    );
}
