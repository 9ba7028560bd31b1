//! Build tools that start a command given on their own command line: `cmake -E`, `cargo watch`, `cross-env`.

use super::options::{operand_at, rest_of, unproven};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::{State, Var};
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    /// `cmake -E tool …`: small tools under the names other programs have.
    pub(super) fn cmake_tool(
        &mut self,
        call: &Call,
        args: Vec<String>,
        st: &State,
    ) -> Judged<Done> {
        let Some((tool, rest)) = args.split_first() else {
            return Ok(Done::default());
        };
        let under = |names: &[&str], rest: &[String]| {
            let mut argv: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            argv.extend_from_slice(rest);
            argv
        };
        let argv = match tool.as_str() {
            "env" => under(&["env"], rest),
            "time" => rest.to_vec(),
            "chdir" => under(&["env", "-C"], rest),
            "rm" | "remove" => under(&["rm"], rest),
            "remove_directory" | "rm_directory" => under(&["rm", "-r"], rest),
            "copy" | "copy_if_different" => under(&["cp"], rest),
            "copy_directory" | "copy_directory_if_different" => under(&["cp", "-r"], rest),
            "rename" => under(&["mv"], rest),
            "make_directory" => under(&["mkdir", "-p"], rest),
            "touch" | "touch_nocreate" => under(&["touch"], rest),
            "create_symlink" => under(&["ln", "-s"], rest),
            "create_hardlink" => under(&["ln"], rest),
            "tar" => under(&["tar"], rest),
            "echo" | "echo_append" | "cat" | "compare_files" | "md5sum" | "sha1sum"
            | "sha256sum" | "capabilities" | "environment" | "sleep" | "true" | "false" => {
                return Ok(Done::default());
            }
            _ => return Err(unproven("cmake -E")),
        };
        self.separate(call, argv, st)
    }

    /// `cargo watch -x test -s 'code' -- command`; `None` when it is another command of cargo.
    pub(super) fn cargo_watch(&mut self, call: &Call, st: &State) -> Judged<Option<Done>> {
        let args = call.args();
        let at = operand_at(args, "", &["--config", "--color", "-Z", "-C"]);
        if args.get(at).is_none_or(|sub| sub != "watch") {
            return Ok(None);
        }
        let own = rest_of(args, at + 1);
        let mut at = 0;
        while let Some(arg) = own.get(at) {
            let value = own.get(at + 1).cloned().unwrap_or_default();
            match arg.as_str() {
                "-s" | "--shell" => {
                    self.script(&value, &mut st.for_program())?;
                    at += 2;
                }
                "-x" | "--exec" => {
                    self.script(&format!("cargo {value}"), &mut st.for_program())?;
                    at += 2;
                }
                "-w" | "--watch" | "-i" | "--ignore" | "-d" | "--delay" | "-E" | "--env"
                | "--features" | "-C" | "--workdir" | "--use-shell" => at += 2,
                "--" => {
                    at += 1;
                    break;
                }
                option if option.starts_with('-') => at += 1,
                _ => break,
            }
        }
        self.separate(call, rest_of(&own, at), st).map(Some)
    }

    /// `cross-env NAME=value … command`.
    pub(super) fn with_variables(&mut self, name: &str, call: &Call, st: &State) -> Judged<Done> {
        let args = call.args();
        let mut at = operand_at(args, "fer", &["--file", "--environments", "--rc-file"]);
        let mut child = st.clone();
        let mut inner = call.clone();
        while let Some((key, value)) = args.get(at).and_then(|arg| arg.split_once('=')) {
            self.check_variable(key, value, st)?;
            inner.env.push((key.to_owned(), value.to_owned()));
            let mut var = Var::scalar(value.to_owned());
            var.exported = true;
            child.set(key, var);
            at += 1;
        }
        let rest = rest_of(args, at);
        if name == "cross-env-shell" {
            return self.script(&rest.join(" "), &mut child.for_program());
        }
        self.separate(&inner, rest, &child)
    }
}
