//! The command line of PowerShell: every word behind `-Command` is part of its script, and some of its commands are
//! those of other shells under names of its own.

/// Options without a value.
const ALONE: &[&str] = &[
    "interactive",
    "login",
    "mta",
    "noexit",
    "nologo",
    "noninteractive",
    "noprofile",
    "noprofileloadtime",
    "nop",
    "noni",
    "l",
    "i",
    "sta",
];

/// Options with one, and their short names.
const VALUED: &[&str] = &[
    "configurationfile",
    "configurationname",
    "custompipename",
    "executionpolicy",
    "ep",
    "inputformat",
    "if",
    "outputformat",
    "of",
    "psconsolefile",
    "settingsfile",
    "version",
    "windowstyle",
    "workingdirectory",
    "wd",
];

/// Its commands, with what does the same.
pub(super) const COMMANDS: &[(&str, &str)] = &[
    ("iex", "eval"),
    ("invoke-expression", "eval"),
    ("start-process", "command"),
    ("saps", "command"),
    ("remove-item", "rm -rf"),
    ("ri", "rm -rf"),
    ("rd", "rm -rf"),
    ("del", "rm -rf"),
    ("erase", "rm -rf"),
    ("set-location", "cd"),
    ("sl", "cd"),
    ("push-location", "pushd"),
    ("pop-location", "popd"),
    ("iwr", "Invoke-WebRequest"),
    ("irm", "Invoke-RestMethod"),
    ("sc", "Set-Content"),
    ("ac", "Add-Content"),
    ("clc", "Clear-Content"),
    ("ni", "New-Item"),
    ("cpi", "Copy-Item"),
    ("copy", "Copy-Item"),
    ("mi", "Move-Item"),
    ("move", "Move-Item"),
    ("rni", "Rename-Item"),
    ("ren", "Rename-Item"),
    ("epcsv", "Export-Csv"),
    ("stop-computer", "poweroff"),
    ("restart-computer", "reboot"),
    ("spps", "Stop-Process"),
];

/// The spellings of its commands' names that people use.
pub(super) fn spellings(name: &str) -> Vec<String> {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_uppercase())
    });
    vec![
        name.to_owned(),
        words.collect::<Vec<_>>().join("-"),
        name.to_uppercase(),
    ]
}

pub(super) fn is_powershell(name: &str) -> bool {
    matches!(
        name,
        "pwsh" | "powershell" | "pwsh-preview" | "pwsh.exe" | "powershell.exe"
    )
}

/// The command line as that of another shell: `-c SCRIPT` or `SCRIPT-FILE ARGUMENTS`; `None` where what runs is not
/// written out.
pub(super) fn as_shell(name: &str, args: &[String]) -> Option<Vec<String>> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let script = |words: &[String]| vec!["-c".to_owned(), with_slashes(&words.join(" "))];
    let file = |words: &[String]| -> Vec<String> {
        std::iter::once("--".to_owned())
            .chain(words.iter().cloned())
            .collect()
    };
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let rest = args.get(at + 1..).unwrap_or_default();
        let Some(option) = arg.strip_prefix('-').filter(|option| !option.is_empty()) else {
            let all = args.get(at..).unwrap_or_default();
            // The newer one takes a file here.
            return Some(if name.starts_with("pwsh") && arg != "-" {
                file(all)
            } else if arg == "-" {
                own(&["-c", "-"])
            } else {
                script(all)
            });
        };
        let option = option.trim_start_matches('-').to_lowercase();
        let is = |full: &str| full.starts_with(option.as_str());
        at += 1;
        if is("command") {
            return Some(match rest {
                [] => Vec::new(),
                [only] if only == "-" => own(&["-c", "-"]),
                words => script(words),
            });
        }
        if option == "cwa" || is("commandwithargs") {
            return Some(script(rest.get(..1)?));
        }
        if is("file") {
            return Some(file(rest));
        }
        if matches!(option.as_str(), "h" | "?" | "help")
            || is("version") && name.starts_with("pwsh")
        {
            return Some(own(&["--version"]));
        }
        if matches!(option.as_str(), "e" | "ec") || is("encodedcommand") || is("encodedarguments") {
            return None;
        }
        let alone = ALONE.iter().any(|full| is(full));
        if !alone && VALUED.iter().any(|full| is(full)) {
            at += 1;
        } else if !alone {
            return None;
        }
    }
    Some(Vec::new())
}

/// The text with the slashes of other systems where they climb: these separate folders here as well, and escape
/// nothing.
fn with_slashes(code: &str) -> String {
    let mut code = code.to_owned();
    for (backwards, forwards) in [("..\\", "../"), ("\\..", "/.."), ("~\\", "~/")] {
        code = code.replace(backwards, forwards);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::{as_shell, spellings};

    #[test]
    fn all_words_behind_the_option_are_the_script() {
        let read = |name: &str, line: &str| {
            let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
            as_shell(name, &args).map(|args| args.join("|"))
        };
        let cases = [
            ("pwsh", "-NoProfile -c git status", Some("-c|git status")),
            (
                "powershell",
                "-nop -ep Bypass git push",
                Some("-c|git push"),
            ),
            ("pwsh", "-File x.ps1 -A b", Some("--|x.ps1|-A|b")),
            ("pwsh", "x.ps1 a", Some("--|x.ps1|a")),
            ("pwsh", "-Command -", Some("-c|-")),
            ("pwsh", "-enc abc", None),
            ("pwsh", "-Version", Some("--version")),
            ("pwsh", r"-c del a\..\..\b", Some("-c|del a/../../b")),
        ];
        for (name, line, expected) in cases {
            assert_eq!(read(name, line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn names_are_known_in_letters_of_either_size() {
        assert_eq!(
            spellings("remove-item"),
            ["remove-item", "Remove-Item", "REMOVE-ITEM"]
        );
    }
}
