//! The names of the tools of the agent CLIs, by what they do.
//!
//! Case and separators differ between CLIs, the words do not.

/// What a tool does, and for the writing ones which field must be text besides the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Shell,
    Write(Option<&'static str>),
    /// Puts one text in the place of another.
    Edit,
    /// Changes a cell of a notebook.
    Cell,
    Editor,
    Patch,
    Read,
    Search,
    Harmless,
    Delegation,
    /// Keeps notes or settings outside the worktree.
    Settings,
}

pub(super) fn kind(tool: &str) -> Option<Kind> {
    // Case and separators differ between CLIs, the words do not.
    let plain: String = tool
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    Some(match plain.as_str() {
        "bash" | "shell" | "localshell" | "runshellcommand" | "execcommand" | "shellcommand"
        | "terminal" | "executecommand" | "powershell" | "runterminalcmd"
        | "runterminalcommand" | "runinterminal" | "runcommand" | "execute" | "developershell"
        | "writestdin" | "writebash" | "monitor" | "container.exec" => Kind::Shell,
        "write" | "writefile" | "createfile" | "create" => Kind::Write(Some("content")),
        "edit"
        | "multiedit"
        | "editfile"
        | "replace"
        | "searchreplace"
        | "strreplace"
        | "replacestringinfile"
        | "multireplacestringinfile" => Kind::Edit,
        "inserteditintofile" | "deletefile" | "movefile" | "createdirectory" | "insert"
        | "editnotebook" | "reapply" | "download" => Kind::Write(None),
        "notebookedit" => Kind::Cell,
        "strreplaceeditor" | "strreplacebasededittool" | "texteditor" | "developertexteditor" => {
            Kind::Editor
        }
        "applypatch" | "patch" | "applydiff" => Kind::Patch,
        "read" | "readfile" | "view" | "notebookread" | "readmanyfiles" | "viewfile"
        | "openfile" | "viewimage" | "viewcodeitem" | "viewfileoutline" | "lookat"
        | "readmediafile" | "showfile" => Kind::Read,
        "glob"
        | "grep"
        | "ls"
        | "list"
        | "listdirectory"
        | "listdir"
        | "searchfilecontent"
        | "grepsearch"
        | "filesearch"
        | "codebasesearch"
        | "rg"
        | "find"
        | "grepfiles"
        | "searchfiles"
        | "listfiles"
        | "codebaseretrieval"
        | "listcodedefinitionnames"
        | "findbyname" => Kind::Search,
        "todowrite"
        | "todoread"
        | "writetodos"
        | "updateplan"
        | "updatetodo"
        | "exitplanmode"
        | "bashoutput"
        | "killshell"
        | "killbash"
        | "readbash"
        | "stopbash"
        | "listbash"
        | "webfetch"
        | "websearch"
        | "googlewebsearch"
        | "skill"
        | "slashcommand"
        | "toolsearch"
        | "listmcpresourcestool"
        | "readmcpresourcetool"
        | "listmcpresources"
        | "readmcpresource"
        | "taskoutput"
        | "taskstop"
        | "reportfindings"
        | "sleep"
        | "structuredoutput"
        | "lsp"
        | "codesearch"
        | "reportintent"
        | "fetchcopilotclidocumentation"
        | "think"
        | "activateskill"
        | "question"
        | "diagnostics"
        | "settodolist"
        | "updatetodolist"
        | "managetodolist"
        | "todos"
        | "attemptcompletion"
        | "completetask"
        | "taskcomplete"
        | "getinternaldocs" => Kind::Harmless,
        "task"
        | "agent"
        | "teamcreate"
        | "teamdelete"
        | "sendmessage"
        | "taskcreate"
        | "taskupdate"
        | "tasklist"
        | "taskget"
        | "askuserquestion"
        | "enterplanmode"
        | "enterworktree"
        | "exitworktree"
        | "askuser"
        | "spawnagent"
        | "sendinput"
        | "waitagent"
        | "closeagent"
        | "resumeagent"
        | "subagent"
        | "createsubagent"
        | "runsubagent"
        | "agenticfetch"
        | "dispatchagent"
        | "delegatetoagent"
        | "codebaseinvestigator"
        | "invokeagent"
        | "croncreate"
        | "crondelete"
        | "cronlist"
        | "schedulewakeup"
        | "remotetrigger"
        | "workflow"
        | "newtask"
        | "requestuserinput"
        | "spawnteam" => Kind::Delegation,
        "savememory" | "memory" | "config" | "remember" => Kind::Settings,
        _ => return None,
    })
}
