//! Objects that save themselves, and folders and files with names the library chooses.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::Run;
use super::dynamic::unreadable;
use crate::policy::Judged;
use crate::shell::walk::Walker;

/// Methods that make an archive of PHP write it.
const PACKS: &[&str] = &[
    "addFromString",
    "addFile",
    "addEmptyDir",
    "buildFromDirectory",
    "buildFromIterator",
    "compress",
    "compressFiles",
    "convertToData",
    "convertToExecutable",
    "offsetSet",
    "setStub",
    "delete",
    "startBuffering",
];

impl Walker<'_> {
    /// Judges a call that saves; `false` when it is none.
    pub(super) fn saved_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<bool> {
        match run.family {
            Family::Python => self.python_saves(made, run),
            Family::Php => self.php_saves(made, run),
            Family::JavaScript | Family::Perl | Family::Ruby | Family::Other => Ok(false),
        }
    }

    fn python_saves(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<bool> {
        let name = made.name.as_str();
        let module = match &made.owner {
            Owner::Module(owner) => Some(owner.as_str()),
            Owner::Object(Value::Named(owner)) => Some(owner.as_ref()),
            Owner::None | Owner::Object(_) => None,
        };
        let position = match (name, module) {
            // `torch.save(object, path)`
            ("save" | "save_file" | "save_model", Some("torch" | "safetensors.torch"))
            | ("dump", Some("joblib")) => Some(1),
            (
                "save" | "saveas" | "save_as" | "savez" | "savez_compressed" | "save_npz"
                | "tofile" | "savemat" | "save_file" | "save_model",
                _,
            ) => Some(0),
            (
                "mkdtemp"
                | "mkstemp"
                | "NamedTemporaryFile"
                | "TemporaryDirectory"
                | "TemporaryFile"
                | "SpooledTemporaryFile",
                _,
            ) => None,
            (other, _) if other.starts_with("to_") && is_asked_for_text(made) => return Ok(true),
            _ => return Ok(false),
        };
        let keyed = made.keys.iter().find(|(key, _)| {
            matches!(
                (key.as_str(), position),
                ("dir", None)
                    | (
                        "file" | "fname" | "fp" | "f" | "filename" | "path" | "fid",
                        Some(_)
                    )
            )
        });
        let target = keyed
            .map(|(_, value)| value)
            .or_else(|| made.args.get(position?));
        if let Some(target) = target.cloned() {
            self.target(name, &target, false, run)?;
        }
        Ok(true)
    }

    fn php_saves(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<bool> {
        let target = match made.name.as_str() {
            "error_log" => made.args.get(2),
            "Phar" | "PharData" if PACKS.iter().any(|method| run.uses(method)) => made.args.first(),
            // The fifth argument is options of a mail program, which can write files.
            "mail" | "mb_send_mail" if made.args.len() > 4 => return Err(unreadable(&made.name)),
            "mail" | "mb_send_mail" | "Phar" | "PharData" => None,
            _ => return Ok(false),
        };
        if let Some(target) = target.cloned() {
            self.target(&made.name, &target, false, run)?;
        }
        Ok(true)
    }
}

/// `frame.to_csv()` without a file gives text.
fn is_asked_for_text(made: &Call) -> bool {
    made.args.is_empty()
        && !made.keys.iter().any(|(key, _)| {
            matches!(
                key.as_str(),
                "path_or_buf" | "path" | "buf" | "excel_writer" | "fname" | "path_or_buffer"
            )
        })
}
