//! The table: which calls start programs, write or delete files, run code that cannot be read.
//!
//! Names only. What a name means also depends on what stands before it, which the rules beside this file ask.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::super::syntax::Family;

/// The lists below as sets: every call of a program is looked up.
static BY_NAME: LazyLock<HashMap<&str, &Write>> =
    LazyLock::new(|| WRITES.iter().map(|write| (write.name, write)).collect());
static STARTERS: LazyLock<HashSet<&str>> = LazyLock::new(|| STARTS.iter().copied().collect());
static OWNERS: LazyLock<HashSet<&str>> = LazyLock::new(|| MODULES.iter().copied().collect());
static KEPT: LazyLock<HashSet<&str>> = LazyLock::new(|| HELD.iter().copied().collect());
static CONJURING: LazyLock<HashSet<&str>> = LazyLock::new(|| CONJURES.iter().copied().collect());
static OTHERS: LazyLock<HashSet<&str>> = LazyLock::new(|| JUDGED.iter().copied().collect());

/// Names besides those that some rule about calls asks for.
const JUDGED: &[&str] = &[
    "run",
    "call",
    "Command",
    "$",
    "exec",
    "spawn",
    "fork",
    "popen",
    "system",
    "eval",
    "compile",
    "Function",
    "constructor",
    "binding",
    "Worker",
    "send",
    "method",
    "public_method",
    "instance_method",
    "assert",
    "require",
    "load",
    "do",
    "include",
    "include_once",
    "require_once",
    "require_relative",
    "kill",
    "killpg",
    "replace",
    "rename",
    "write",
    "connect",
    "input",
    "FileInput",
    "basicConfig",
    "chdir",
    "read",
    "readlines",
    "foreach",
    "binread",
    "binwrite",
    "open",
    "fopen",
    "openSync",
    "open_file",
    "sysopen",
    "new",
    "GzipFile",
    "ZipFile",
    "TarFile",
    "reopen",
    "SplFileObject",
    "gzopen",
    "bzopen",
    "openForWrite",
];

/// Whether any rule asks for calls of this name.
pub(super) fn is_judged(name: &str) -> bool {
    OTHERS.contains(name) || BY_NAME.contains_key(name) || STARTERS.contains(name)
}

/// Whether a call of this name starts a program, as far as its name says.
pub(super) fn is_start(name: &str) -> bool {
    STARTERS.contains(name)
}

/// Whether the result of a call of this name may be any text at all.
pub(in crate::interpreters) fn is_conjuring(name: &str) -> bool {
    CONJURING.contains(name)
}

/// What a function or module that is handed on as a value could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interpreters) enum Effect {
    Starts,
    Writes,
    /// Runs code, or holds functions that do anything.
    Anything,
}

/// A call that writes or deletes.
pub(in crate::interpreters) struct Write {
    pub(in crate::interpreters) name: &'static str,
    /// The object it is called on is the target, unless that is a module.
    pub(in crate::interpreters) receiver: bool,
    /// The arguments that are targets.
    pub(in crate::interpreters) args: &'static [usize],
    pub(in crate::interpreters) deletes: bool,
    /// No list, text or set has a method of this name.
    pub(in crate::interpreters) distinct: bool,
}

const fn write(
    name: &'static str,
    receiver: bool,
    args: &'static [usize],
    deletes: bool,
    distinct: bool,
) -> Write {
    Write {
        name,
        receiver,
        args,
        deletes,
        distinct,
    }
}

/// Calls that write or delete.
const WRITES: &[Write] = &[
    write("write_text", true, &[], false, true),
    write("write_bytes", true, &[], false, true),
    write("touch", true, &[0], false, false),
    write("unlink", true, &[0], true, false),
    write("unlinkSync", false, &[0], true, true),
    write("rmdir", true, &[0], true, false),
    write("rmdirSync", false, &[0], true, true),
    write("rmtree", false, &[0], true, true),
    write("rm", false, &[0], true, false),
    write("rmSync", false, &[0], true, true),
    write("rm_r", false, &[0], true, true),
    write("rm_rf", false, &[0], true, true),
    write("rm_f", false, &[0], true, true),
    write("remove", true, &[0], true, false),
    write("removeSync", false, &[0], true, true),
    write("remove_dir", false, &[0], true, true),
    write("removedirs", false, &[0], true, true),
    write("remove_tree", false, &[0], true, true),
    write("delete", false, &[0], true, false),
    write("emptyDir", false, &[0], true, true),
    write("emptyDirSync", false, &[0], true, true),
    write("mkdir", true, &[0], false, false),
    write("mkdirSync", false, &[0], false, true),
    write("mkdir_p", false, &[0], false, true),
    write("makedirs", false, &[0], false, true),
    write("make_path", false, &[0], false, true),
    write("mkpath", true, &[0], false, true),
    write("mkfifo", false, &[0], false, true),
    write("mknod", false, &[0], false, true),
    write("rename", true, &[0, 1], true, false),
    write("renames", false, &[0, 1], true, true),
    write("renameSync", false, &[0, 1], true, true),
    write("replace_file", false, &[0, 1], true, true),
    write("move", false, &[0, 1], true, false),
    write("moveSync", false, &[0, 1], true, true),
    write("mv", false, &[0, 1], true, false),
    write("copy", false, &[1], false, false),
    write("copy2", false, &[1], false, true),
    write("copyfile", false, &[1], false, true),
    write("copytree", false, &[1], false, true),
    write("copyfileobj", false, &[], false, true),
    write("copymode", false, &[1], false, true),
    write("copyFile", false, &[1], false, true),
    write("copyFileSync", false, &[1], false, true),
    write("cp", false, &[1], false, false),
    write("cp_r", false, &[1], false, true),
    write("cpSync", false, &[1], false, true),
    write("copySync", false, &[1], false, true),
    write("install", false, &[1], false, false),
    write("symlink", false, &[1], false, false),
    write("symlinkSync", false, &[1], false, true),
    write("symlink_to", true, &[], false, true),
    write("hardlink_to", true, &[0], false, true),
    write("link_to", true, &[0], false, true),
    write("linkSync", false, &[0, 1], false, true),
    write("ln_s", false, &[1], false, true),
    write("ln_sf", false, &[1], false, true),
    write("chmod", true, &[0, 1], false, false),
    write("chmodSync", false, &[0], false, true),
    write("lchmod", false, &[0], false, true),
    write("chown", true, &[0, 2], false, false),
    write("chownSync", false, &[0], false, true),
    write("lchown", false, &[0], false, true),
    write("utime", false, &[0], false, true),
    write("utimesSync", false, &[0], false, true),
    write("truncate", true, &[0], false, false),
    write("truncateSync", false, &[0], false, true),
    write("writeFile", false, &[0], false, true),
    write("writeFileSync", false, &[0], false, true),
    write("appendFile", false, &[0], false, true),
    write("appendFileSync", false, &[0], false, true),
    write("createWriteStream", false, &[0], false, true),
    write("outputFile", false, &[0], false, true),
    write("outputFileSync", false, &[0], false, true),
    write("outputJson", false, &[0], false, true),
    write("writeJson", false, &[0], false, true),
    write("writeJsonSync", false, &[0], false, true),
    write("ensureDir", false, &[0], false, true),
    write("ensureDirSync", false, &[0], false, true),
    write("writeTextFile", false, &[0], false, true),
    write("writeTextFileSync", false, &[0], false, true),
    write("file_put_contents", false, &[0], false, true),
    write("make_archive", false, &[0], false, true),
    write("unpack_archive", false, &[1], false, true),
    write("extractall", false, &[0], false, true),
    write("urlretrieve", false, &[1], false, true),
    write("to_csv", false, &[0], false, true),
    write("to_json", false, &[0], false, true),
    write("savefig", false, &[0], false, true),
    write("binwrite", false, &[0], false, true),
    write("write_json", false, &[0], false, true),
    write("link", false, &[0, 1], false, false),
    write("cp_a", false, &[1], false, true),
    write("lchmodSync", false, &[0], false, true),
    write("lchownSync", false, &[0], false, true),
    write("lutimesSync", false, &[0], false, true),
    write("utimes", false, &[0], false, true),
    write("mkdtempSync", false, &[0], false, true),
    write("remove_entry", false, &[0], true, true),
    write("remove_entry_secure", false, &[0], true, true),
    write("remove_file", false, &[0], true, true),
    write("write_file", false, &[0], false, true),
    write("append_file", false, &[0], false, true),
    write("edit_file", false, &[0], false, true),
    write("spew", true, &[], false, true),
    write("spew_utf8", true, &[], false, true),
    write("spew_raw", true, &[], false, true),
    write("append_utf8", true, &[], false, true),
    write("spurt", true, &[], false, true),
    write("copy_stream", false, &[1], false, true),
    write("tempnam", false, &[0], false, true),
    write("move_uploaded_file", false, &[1], false, true),
    write("copy_file", false, &[0, 1], false, true),
    write("copy_entry", false, &[1], false, true),
    write("lchown_R", false, &[], false, true),
    write("chmod_R", false, &[1], false, true),
    write("chown_R", false, &[2], false, true),
    write("ln", false, &[0, 1], false, true),
    write("make_symlink", true, &[0], false, true),
    write("createFile", false, &[0], false, true),
    write("outputJsonSync", false, &[0], false, true),
    write("writeJSONSync", false, &[0], false, true),
    write("moveFile", false, &[0, 1], true, true),
    write("removexattr", false, &[0], false, true),
    write("setxattr", false, &[0], false, true),
    write("chflags", false, &[0], false, true),
    write("lchflags", false, &[0], false, true),
    write("atomic_write", false, &[0], false, true),
    write("to_excel", false, &[0], false, true),
    write("to_parquet", false, &[0], false, true),
    write("to_pickle", false, &[0], false, true),
    write("savez", false, &[0], false, true),
    write("savetxt", false, &[0], false, true),
    write("imsave", false, &[0], false, true),
    write("imwrite", false, &[0], false, true),
    write("FileHandler", false, &[0], false, true),
    write("RotatingFileHandler", false, &[0], false, true),
    write("dbmopen", false, &[1], false, true),
    write("rmdir_r", false, &[0], true, true),
    write("imagepng", false, &[1], false, true),
    write("safe_unlink", false, &[0], true, true),
    write("rm_entry", false, &[0], true, true),
];

/// Names that start programs.
pub(super) const STARTS: &[&str] = &[
    "system",
    "popen",
    "Popen",
    "exec",
    "execSync",
    "execFile",
    "execFileSync",
    "spawn",
    "spawnSync",
    "fork",
    "execl",
    "execle",
    "execlp",
    "execlpe",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "posix_spawn",
    "startfile",
    "check_call",
    "check_output",
    "getoutput",
    "getstatusoutput",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "capture2",
    "capture2e",
    "capture3",
    "popen2",
    "popen2e",
    "popen3",
    "syscall",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "spawn_sync",
    "execa",
    "execaSync",
    "execaCommand",
    "execaCommandSync",
    "forkpty",
    "readpipe",
    "pipeline_r",
    "pipeline_rw",
    "pipeline_w",
    "posix_spawnp",
];

/// Names that make text which cannot be read off the code.
pub(super) const CONJURES: &[&str] = &[
    "chr",
    "fromhex",
    "b64decode",
    "urlsafe_b64decode",
    "unhexlify",
    "fromCharCode",
    "fromCodePoint",
    "atob",
    "pack",
    "pardir",
    "parents",
    "stdin",
    "input",
    "readline",
    "gets",
    "STDIN",
    "ord",
    "rot13",
    "decompress",
    "unquote",
    "reversed",
    "reverse",
    "translate",
    "unescape",
    "decodeURIComponent",
    "base64_decode",
    "hex2bin",
    "strrev",
    "str_rot13",
    "decode64",
    "unpack",
    "swapcase",
    "gethostname",
];

/// Names through which places outside come into a program.
pub(super) const PLACES: &[&str] = &[
    "environ",
    "getenv",
    "ENV",
    "env",
    "homedir",
    "home",
    "expanduser",
    "expand_path",
    "_SERVER",
    "_ENV",
];

/// Names whose mere use runs code that cannot be read beforehand.
pub(super) const DYNAMIC: &[&str] = &[
    "ctypes",
    "cffi",
    "marshal",
    "runpy",
    "run_path",
    "run_module",
    "execfile",
    "instance_eval",
    "class_eval",
    "module_eval",
    "class_exec",
    "instance_exec",
    "public_send",
    "__send__",
    "const_get",
    "create_function",
    "call_user_func",
    "call_user_func_array",
    "dlopen",
    "dlsym",
    "Fiddle",
    "FFI",
    "runInThisContext",
    "runInNewContext",
    "runInContext",
    "_linkedBinding",
    "__subclasses__",
    "__globals__",
    "__code__",
    "_compile",
    "SourceTextModule",
    "DynaLoader",
    "Inline",
];

/// Modules through which programs are started; their mere use needs a call that can be read.
pub(super) const GATEWAYS: &[&str] = &[
    "subprocess",
    "child_process",
    "pty",
    "Open3",
    "pexpect",
    "sh",
    "execa",
    "zx",
    "shelljs",
    "cross-spawn",
    "plumbum",
    "fabric",
    "invoke",
    "sarge",
    "delegator",
];

/// Modules and classes whose functions take their targets as arguments.
const MODULES: &[&str] = &[
    "os",
    "posix",
    "nt",
    "shutil",
    "subprocess",
    "pathlib",
    "pathlib.Path",
    "Path",
    "io",
    "codecs",
    "gzip",
    "bz2",
    "lzma",
    "tarfile",
    "zipfile",
    "builtins",
    "__builtins__",
    "importlib",
    "pty",
    "asyncio",
    "fs",
    "fsp",
    "fse",
    "child_process",
    "process",
    "module",
    "vm",
    "Deno",
    "Bun",
    "File",
    "FileUtils",
    "Dir",
    "IO",
    "Kernel",
    "Process",
    "Open3",
    "PTY",
    "Pathname",
    "File.Copy",
    "File.Path",
    "IO.File",
    "POSIX",
    "CORE",
    "execa",
    "shelljs",
    "zx",
    "sqlite3",
    "dbm",
    "shelve",
    "fileinput",
    "multiprocessing",
    "tarfile.TarFile",
    "zipfile.ZipFile",
    "promises",
    "path.Path",
    "FileUtils.Verbose",
    "Image",
    "logging",
    "distutils.dir_util",
    "distutils.file_util",
    "worker_threads",
    "ctypes",
    "operator",
    "Tempfile",
    "commands",
];

/// Modules that are dangerous in other hands: what is called on them there is not seen.
const HELD: &[&str] = &[
    "os",
    "posix",
    "nt",
    "shutil",
    "subprocess",
    "builtins",
    "__builtins__",
    "importlib",
    "pty",
    "fs",
    "fsp",
    "fse",
    "child_process",
    "module",
    "vm",
    "Deno",
    "Bun",
    "FileUtils",
    "Kernel",
    "Open3",
    "PTY",
    "POSIX",
    "execa",
    "shelljs",
    "zx",
    "globalThis",
    "global",
    "globals()",
    "commands",
];

pub(in crate::interpreters) fn is_module(owner: &str, family: Family) -> bool {
    OWNERS.contains(owner) && !(owner == "process" && family != Family::JavaScript)
}

pub(super) fn find(name: &str) -> Option<&'static Write> {
    BY_NAME.get(name).copied()
}

/// Whether a name alone says that files change.
pub(in crate::interpreters) fn is_distinct(name: &str) -> bool {
    find(name).is_some() || is_start(name)
}

/// What handing on a function or module could do.
pub(in crate::interpreters) fn escape(full: &str, family: Family) -> Option<Effect> {
    if KEPT.contains(full) {
        return Some(Effect::Anything);
    }
    let Some((owner, name)) = full.rsplit_once('.') else {
        let runs = match family {
            Family::Python => matches!(full, "exec" | "eval" | "compile" | "__import__"),
            Family::JavaScript => matches!(full, "eval" | "require" | "Function"),
            Family::Perl | Family::Ruby | Family::Php | Family::Other => false,
        };
        return runs.then_some(Effect::Anything);
    };
    let (owner, name) = match name {
        "call" | "apply" | "bind" => owner.rsplit_once('.')?,
        _ => (owner, name),
    };
    if !is_module(owner, family) {
        return None;
    }
    let runs_here = matches!(name, "run" | "call") && owner == "subprocess" || name == "Command";
    if is_start(name) || runs_here {
        return Some(Effect::Starts);
    }
    if find(name).is_some() || matches!(name, "open" | "openSync" | "replace") {
        return Some(Effect::Writes);
    }
    let runs = matches!(
        name,
        "binding" | "dlopen" | "require" | "_load" | "import_module" | "kill"
    );
    runs.then_some(Effect::Anything)
}

/// What handing on a method of a path could do.
pub(in crate::interpreters) fn method_escape(name: &str) -> Option<Effect> {
    find(name).map(|_| Effect::Writes)
}

/// Whether words behind a name are its arguments: what else is called so does nothing here.
pub(in crate::interpreters) fn takes_words(name: &str) -> bool {
    find(name).is_some()
        || is_start(name)
        || matches!(
            name,
            "open"
                | "sysopen"
                | "new"
                | "chdir"
                | "kill"
                | "eval"
                | "require"
                | "load"
                | "do"
                | "include"
                | "include_once"
                | "require_once"
                | "require_relative"
                | "send"
                | "syscall"
                | "write"
                | "read"
                | "readlines"
                | "foreach"
                | "glob"
                | "join"
                | "each"
                | "reopen"
                | "method"
                | "Path"
                | "Pathname"
        )
}
