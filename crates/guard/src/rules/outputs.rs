//! Where tools put what they make: options that name an output, and tools whose last operand is one.
//!
//! Only values that leave the working directory are looked at: a relative one stays inside anyway.

use crate::commands::Call;
use crate::paths::absolute;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text::HOME;
use crate::shell::walk::Walker;

/// Long options (also with one dash) that name what is written or where the tool works, without their dashes.
const OPTIONS: &[&str] = &[
    "artifact-dir",
    "artifacts-path",
    "basetemp",
    "blockprofile",
    "build-dir",
    "builddir",
    "cache-dir",
    "cache-location",
    "cachedir",
    "coverage-directory",
    "cov-report",
    "data-file",
    "coverageDirectory",
    "coverprofile",
    "cpuprofile",
    "d",
    "declarationDir",
    "dest",
    "destination",
    "diagnostics",
    "directory",
    "dist-dir",
    "dumpdir",
    "emit",
    "export",
    "generateTrace",
    "html-report",
    "junitxml",
    "junit-xml",
    "log",
    "log-file",
    "logfile",
    "manifest-path",
    "memprofile",
    "MF",
    "mutexprofile",
    "o",
    "pack-destination",
    "pid-file",
    "plugin",
    "report",
    "report-dir",
    "report-file",
    "save",
    "store-dir",
    "target-dir",
    "trace",
    "tsBuildInfoFile",
    "work-dir",
    "wheel-dir",
    "xml",
];

/// Tools that install, and their options that say where to.
const INSTALLS: &[(&str, &[&str])] = &[
    ("pip", &["t", "target", "prefix", "root", "src"]),
    ("pip3", &["t", "target", "prefix", "root", "src"]),
    ("uv", &["target", "prefix"]),
    ("gem", &["i", "install-dir", "n", "bindir"]),
    ("bundle", &["path", "binstubs"]),
    ("corepack", &["install-directory"]),
    ("meson", &["destdir"]),
    ("make", &["prefix"]),
    ("npm", &["prefix"]),
];

/// Tools whose `-d` names a folder they fill.
const FILLS: &[&str] = &[
    "javac", "kotlinc", "scalac", "mkdocs", "hugo", "jekyll", "coverage", "composer", "pip",
    "pip3", "go", "bison",
];

/// Tools that take the file they work on with `-f`.
const PROJECT_FILE: &[&str] = &["mvn", "./mvnw"];

/// Tools whose last operand is what they write.
const CONVERTERS: &[&str] = &[
    "convert",
    "magick",
    "ffmpeg",
    "sox",
    "wkhtmltopdf",
    "wkhtmltoimage",
    "qemu-img",
    "sphinx-build",
    "objcopy",
    "llvm-objcopy",
    "virtualenv",
    "venv",
    "pdftotext",
    "pdftoppm",
    "pdfunite",
    "ps2pdf",
    "rsvg-convert",
    "cwebp",
    "optipng",
    "jpegtran",
    "strip",
    "llvm-strip",
    "ranlib",
    "genisoimage",
    "mksquashfs",
    "mkfs.ext4",
    "upx",
    "patchelf",
    "chrpath",
    "zipalign",
    "svgo",
    "terser",
    "uglifyjs",
];

/// Where an installation goes that is asked for on the command line. What is staged elsewhere only names its place.
pub(crate) fn installed_to(call: &Call) -> Vec<String> {
    let args = call.args();
    let installs = |arg: &String| {
        matches!(arg.as_str(), "install" | "--install" | "uninstall") || arg.starts_with("install-")
    };
    if !args.iter().any(installs) {
        return Vec::new();
    }
    let given = |keys: &[&str]| -> Vec<String> {
        let attached = args.iter().filter_map(|arg| {
            let (key, value) = arg.split_once('=')?;
            keys.contains(&key).then(|| value.to_owned())
        });
        let apart = args
            .iter()
            .zip(args.iter().skip(1))
            .filter(|(key, _)| key.starts_with('-') && keys.contains(&key.as_str()))
            .map(|(_, value)| value.clone());
        attached
            .chain(apart)
            .filter(|value| !value.is_empty())
            .collect()
    };
    let staged = given(&["DESTDIR", "--destdir", "--root"]);
    if !staged.is_empty()
        || call
            .variable("DESTDIR")
            .is_some_and(|place| !place.is_empty())
    {
        return staged;
    }
    given(&["PREFIX", "prefix", "--prefix", "--home", "BINDIR", "bindir"])
}

/// Judges every output that leaves the working directory.
pub(super) fn judge(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let mut operands: Vec<&str> = Vec::new();
    let mut named = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        if !arg.starts_with('-') || arg == "-" {
            operands.push(arg);
            continue;
        }
        if let Some(value) = value(name, arg, args.get(at + 1))
            && leaves(&value)
        {
            w.write_path(&value, st)?;
            super::compiling::compiled::note(w, name, args, &value, st);
            named.push(value);
        }
    }
    // A disk image is named before its size.
    if name == "qemu-img"
        && operands.first().is_some_and(|sub| {
            matches!(
                *sub,
                "create" | "resize" | "commit" | "rebase" | "amend" | "snapshot" | "bitmap"
            )
        })
    {
        for path in operands.iter().skip(1).filter(|path| leaves(path)) {
            w.write_path(path, st)?;
        }
    }
    // `sass in:out`
    if matches!(name, "sass" | "dart-sass" | "grass") {
        for (_, to) in operands.iter().filter_map(|pair| pair.rsplit_once(':')) {
            w.write_path(to, st)?;
        }
    }
    let is_other = |last: &&str| leaves(last) && !named.iter().any(|value| value == last);
    let Some(last) = operands.last().copied().filter(is_other) else {
        return Ok(());
    };
    let makes = operands.len() > 1 && !last.starts_with("/dev/") && !exists(w, last, st);
    if CONVERTERS.contains(&name) || makes && !names_pattern(last) {
        w.write_path(last, st)?;
    }
    Ok(())
}

/// What an option names as output, when it is one.
fn value(name: &str, arg: &str, next: Option<&String>) -> Option<String> {
    let plain = arg.trim_start_matches('-');
    let (option, attached) = match plain.split_once('=') {
        Some((option, value)) => (option, Some(value)),
        None => (plain, None),
    };
    let is_output = match option {
        "d" => FILLS.contains(&name),
        "B" => name == "cmake",
        "config" if name == "cargo" => {
            // `build.target-dir="x"`, `build={target-dir="x"}`
            let setting = attached.map(str::to_owned).or_else(|| next.cloned())?;
            let (_, value) = setting.rsplit_once('=')?;
            return Some(value.trim_matches(['"', '\'', '}', ' ']).to_owned());
        }
        "f" | "file" => PROJECT_FILE.contains(&name),
        "o" if name == "pytest" => {
            // `-o key=value`
            let setting = next?;
            return setting.split_once('=').map(|(_, value)| value.to_owned());
        }
        _ if INSTALLS
            .iter()
            .any(|(tool, options)| *tool == name && options.contains(&option)) =>
        {
            true
        }
        _ => {
            OPTIONS.contains(&option)
                || option.ends_with("_out")
                || option.to_lowercase().starts_with("out")
                || option.contains("output")
                || option.ends_with("OutputFile")
        }
    };
    if is_output {
        let value = attached.map(str::to_owned).or_else(|| next.cloned())?;
        // `--emit=metadata=/x`, `--cov-report=html:../x`
        let value = value.rsplit('=').next().unwrap_or(&value);
        let path = match value.split_once(':') {
            Some((kind, path)) if kind.bytes().all(|c| c.is_ascii_lowercase()) => path,
            Some(_) | None => value,
        };
        return Some(path.to_owned());
    }
    // `-o/etc/x` and `-d/etc`
    let short = plain
        .strip_prefix('o')
        .or_else(|| plain.strip_prefix('d').filter(|_| FILLS.contains(&name)));
    short
        .filter(|rest| !arg.starts_with("--") && leaves(rest))
        .map(str::to_owned)
}

/// Whether a path could lead out of the working directory.
pub(super) fn leaves(path: &str) -> bool {
    path.starts_with('/') || path.starts_with(HOME) || path.split('/').any(|part| part == "..")
}

/// `/x/` and `/a|b/` are patterns for some tools, and addresses start with a name.
fn names_pattern(text: &str) -> bool {
    text.contains(['\n', ' ', '(', '|', '*', '^', '$']) || text.len() > 1 && text.ends_with('/')
}

fn exists(w: &Walker<'_>, path: &str, st: &State) -> bool {
    st.cwd
        .iter()
        .all(|place| absolute(path, place).is_some_and(|path| w.paths.exists(&path)))
}
