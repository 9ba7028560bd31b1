//! What is in the demo's repository and what its agents do.

/// The repository's first commit.
pub(super) fn files() -> [(&'static str, &'static str); 4] {
    [
        ("README.md", "# Cookbook\n\nRecipes for a small kitchen.\n"),
        (
            "recipes/soup.md",
            "# Soup\n\nServes: 2\n\n1. Boil water.\n2. Add vegetables.\n3. Season.\n",
        ),
        (
            "recipes/bread.md",
            "# Bread\n\nServes: 4\n\n1. Mix.\n2. Wait.\n3. Bake.\n",
        ),
        (
            "check.sh",
            "#!/bin/sh\n# Every recipe begins with a title.\nfor f in recipes/*.md; do\n  head -n 1 \"$f\" | grep -q '^# ' || { echo \"$f has no title\"; exit 1; }\ndone\n",
        ),
    ]
}

const BUILDERS: [(&str, &str, &str); 5] = [
    ("builder-tea", "tea", TEA),
    ("builder-salad", "salad", SALAD),
    ("builder-soup", "soup-spicy", SOUP_SPICY),
    ("builder-stew", "soup-mild", SOUP_MILD),
    ("builder-cake", "cake", CAKE),
];

const TEA: &str = "steps:
- print: Reading the cookbook
- run: ls recipes
- wait: 2
- write: {path: recipes/tea.md, content: \"# Tea\\n\\nServes: 1\\n\\n1. Boil water.\\n2. Steep four minutes.\\n\"}
- wait: 1
- run: sh check.sh
- commit: Add tea
- done: Tea is written, check.sh passes.
";

const SALAD: &str = "steps:
- print: A salad needs no stove
- wait: 3
- write: {path: recipes/salad.md, content: \"# Salad\\n\\nServes: 2\\n\\n1. Wash.\\n2. Cut.\\n3. Dress.\\n\"}
- print: Trying to publish it right away
- run: git push origin HEAD
- wait: 1
- run: sh check.sh
- commit: Add salad
- done: Salad is written. Pushing was refused, as it should be.
";

const SOUP_SPICY: &str = "steps:
- print: The soup could be spicier
- run: cat recipes/soup.md
- wait: 2
- write: {path: recipes/soup.md, content: \"# Soup\\n\\nServes: 2\\n\\n1. Boil water.\\n2. Add vegetables.\\n3. Season with chili and ginger.\\n\"}
- run: sh check.sh
- commit: Make the soup spicy
- done: The soup is spicy now.
";

const SOUP_MILD: &str = "steps:
- print: The soup should suit children
- run: cat recipes/soup.md
- wait: 5
- write: {path: recipes/soup.md, content: \"# Soup\\n\\nServes: 2\\n\\n1. Boil water.\\n2. Add vegetables.\\n3. Season with a pinch of salt only.\\n\"}
- run: sh check.sh
- commit: Make the soup mild
- done: The soup is mild now.
";

const CAKE: &str = "steps:
- print: Looking for the oven
- wait: 1
- stall
- print: Back at work
- write: {path: recipes/cake.md, content: \"# Cake\\n\\nServes: 8\\n\\n1. Mix.\\n2. Bake.\\n3. Wait as long as you can.\\n\"}
- run: sh check.sh
- commit: Add cake
- done: Cake is written.
";

/// Specs by file name: what each scripted agent does.
pub(super) fn scripts() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = BUILDERS
        .iter()
        .map(|(_, task, script)| (format!("{task}.yaml"), (*script).to_owned()))
        .collect();
    all.push(("cookbook.yaml".to_owned(), lead()));
    all
}

/// The lead starts the builders and passes their work on in the order in which it comes.
fn lead() -> String {
    let mut text = String::from("steps:\n- print: Five recipes, five builders\n");
    for (name, task, _) in BUILDERS {
        text.push_str("- run: grove sling ");
        text.push_str(task);
        text.push_str(" --name ");
        text.push_str(name);
        text.push_str(" --runtime script\n");
    }
    for (name, task, _) in BUILDERS {
        text.push_str(&format!(
            "- wait_mail: {{type: worker_done, from: {name}}}
- mail: {{to: coordinator, type: merge_ready, subject: \"Ready: {task}\", body: \"Looked at {name}'s work.\", payload: {{branch: overstory/{name}/{task}, taskId: {task}, agentName: {name}, filesModified: []}}}}
"
        ));
    }
    text.push_str("- mail: {to: coordinator, type: result, subject: Cookbook, body: All five builders have reported.}\n- print: All done\n");
    text
}

/// Names the demo's outcome is judged by: merged builders, and the one whose merge is held.
pub(super) const MERGED: [&str; 4] = [
    "builder-tea",
    "builder-salad",
    "builder-soup",
    "builder-cake",
];
pub(super) const HELD: &str = "builder-stew";
pub(super) const NUDGED: &str = "builder-cake";
