//! `completions`: a completion script, generated from the argument tree itself.

use std::fmt::Write as _;

use super::build;
use crate::cli::{CliError, CliResult, Context, Outcome};

/// Print a completion script
#[derive(Debug, clap::Args)]
pub struct Args {
    /// bash, zsh or fish
    shell: String,
}

/// A command with its subcommands and options.
struct Node {
    path: Vec<String>,
    about: String,
    subcommands: Vec<String>,
    options: Vec<String>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let mut root = build();
    root.build();
    let mut nodes = Vec::new();
    collect(&root, Vec::new(), &mut nodes);
    let script = match args.shell.as_str() {
        "bash" => bash(&nodes),
        "zsh" => format!(
            "#compdef grove\nautoload -U +X bashcompinit && bashcompinit\n{}",
            bash(&nodes)
        ),
        "fish" => fish(&nodes),
        other => {
            return Err(CliError::validation(format!(
                "Unknown shell: {other}. Valid shells: bash, zsh, fish"
            )));
        }
    };
    ctx.out.raw(&script)?;
    Ok(Outcome::Done)
}

fn collect(command: &clap::Command, path: Vec<String>, nodes: &mut Vec<Node>) {
    let visible = || {
        command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
    };
    nodes.push(Node {
        about: command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default(),
        subcommands: visible().map(|sub| sub.get_name().to_owned()).collect(),
        options: command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
            .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
            .collect(),
        path: path.clone(),
    });
    for sub in visible() {
        let mut below = path.clone();
        below.push(sub.get_name().to_owned());
        collect(sub, below, nodes);
    }
}

fn bash(nodes: &[Node]) -> String {
    let mut cases = String::new();
    for node in nodes {
        let words = [node.subcommands.clone(), node.options.clone()]
            .concat()
            .join(" ");
        writeln!(
            cases,
            "    \"{}\") words=\"{words}\" ;;",
            node.path.join(" ")
        )
        .unwrap_or_default();
    }
    format!(
        "_grove() {{\n  local word words path= i\n  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=${{COMP_WORDS[i]}}\n    [[ $word == -* ]] && continue\n    case \" $(_grove_words \"$path\") \" in *\" $word \"*) path=\"${{path:+$path }}$word\" ;; esac\n  done\n  COMPREPLY=($(compgen -W \"$(_grove_words \"$path\")\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n}}\n_grove_words() {{\n  local words=\n  case \"$1\" in\n{cases}  esac\n  echo \"$words\"\n}}\ncomplete -o default -F _grove grove\n"
    )
}

fn fish(nodes: &[Node]) -> String {
    let mut script = String::from("complete -c grove -f\n");
    for node in nodes {
        let condition = match node.path.as_slice() {
            [] => "__fish_use_subcommand".to_owned(),
            path => path
                .iter()
                .map(|name| format!("__fish_seen_subcommand_from {name}"))
                .collect::<Vec<_>>()
                .join("; and "),
        };
        for sub in &node.subcommands {
            let below = [node.path.clone(), vec![sub.clone()]].concat();
            let about = nodes
                .iter()
                .find(|other| other.path == below)
                .map_or("", |other| other.about.as_str());
            let about = about.replace('\'', "");
            writeln!(
                script,
                "complete -c grove -n '{condition}' -a {sub} -d '{about}'"
            )
            .unwrap_or_default();
        }
        for option in &node.options {
            let long = option.trim_start_matches('-');
            writeln!(script, "complete -c grove -n '{condition}' -l {long}").unwrap_or_default();
        }
    }
    script
}
