//! A file that both sides took to one new name, of which git pairs the names of one side only: what one side removed
//! there does not come back.

use grove::merge::Conclusion;

use crate::support::{BRANCH, GONE, Sandbox, text};

fn jobs(from: usize, to: usize) -> String {
    (from..to).map(|n| format!("run({n}, 'job')\n")).collect()
}

fn merged(main: &str, branch: &str) -> (grove::merge::MergeReport, String) {
    let old: String = ["login", "token", "hash", "sign"]
        .map(|name| format!("def old_{name}(user):\n    return legacy_{name}(user)\n\n\n"))
        .concat();
    let base = format!("import os\n\n\n{old}{}", jobs(0, 12));
    let sandbox = Sandbox::new(&[("util.py", &base)]);
    let side = |text: &str| text.replace("{base}", &base);
    for (name, content) in [(BRANCH, side(branch)), ("main", side(main))] {
        let changes = [("util.py", GONE), ("lib/util.py", text(&content))];
        sandbox.commit(name, &changes, "moves it");
    }
    let report = sandbox.merge();
    let result = match report.conclusion {
        Conclusion::Landed => sandbox.show("main", "lib/util.py"),
        _ => String::new(),
    };
    (report, result)
}

#[test]
fn what_one_side_removed_stays_removed() {
    let new: String = (0..9).map(|n| format!("new_job({n})\n")).collect();
    let less = format!("import os\n\n\n{}{new}{}", jobs(0, 6), jobs(6, 12));
    let more = "import sys\n{base}";
    for (main, branch) in [(less.as_str(), more), (more, less.as_str())] {
        let (report, result) = merged(main, branch);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert!(!result.contains("old_"), "{result}");
        for line in ["import sys\n", "new_job(8)\n", "run(0, 'job')\n"] {
            assert!(result.contains(line), "{result}");
        }
    }
}
