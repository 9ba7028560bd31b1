//! The scripts. Each passes the words of the line to `grove __complete` and hands on what it
//! says; the line `:files` means that the shell should complete file names itself. PowerShell gets
//! each value as it has to be written, too.

/// Shells with a script.
pub(super) const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// The script of a shell.
pub(super) fn of(shell: &str) -> Option<&'static str> {
    match shell {
        "bash" => Some(BASH),
        "zsh" => Some(ZSH),
        "fish" => Some(FISH),
        "powershell" | "pwsh" => Some(POWERSHELL),
        _ => None,
    }
}

const BASH: &str = r#"# bash completion for grove: source <(grove completions bash)
_grove() {
  local program=${COMP_WORDS[0]} line value
  # A tilde is not expanded yet here.
  [[ $program == '~'* ]] && program=grove
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default 2>/dev/null
      return
    fi
    value=${line%%$'\t'*}
    # Between quotes a backslash would be part of the value; what ends them has to be written otherwise.
    case ${COMP_WORDS[COMP_CWORD]} in
      \'*) value=${value//\'/\'\\\'\'} ;;
      \"*) value=$(printf '%s' "$value" | sed 's/[\\"$`]/\\&/g') ;;
      *) printf -v value %q "$value" ;;
    esac
    COMPREPLY+=("$value")
  done < <("$program" __complete bash "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -o nosort -F _grove grove 2>/dev/null || complete -F _grove grove
"#;

const ZSH: &str = r#"#compdef grove
# zsh completion for grove: source <(grove completions zsh), or put this into your fpath as _grove
_grove() {
  local line value
  local -a values shown
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      return
    fi
    value=${line%%$'\t'*}
    values+=("$value")
    if [[ $line == *$'\t'* ]]; then
      shown+=("$value  -- ${line#*$'\t'}")
    else
      shown+=("$value")
    fi
  done < <("${(Q)words[1]}" __complete zsh $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)
  (( $#values )) && compadd -V grove -l -d shown -a values
}
if [[ "${funcstack[1]}" == "_grove" ]]; then
  _grove "$@"
else
  compdef _grove grove
fi
"#;

const FISH: &str = r#"# fish completion for grove: grove completions fish > ~/.config/fish/completions/grove.fish
function __grove_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l found (grove __complete fish (count $before) $before "$current" 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path "$current"
    else
        string join \n -- $found
    end
end
complete -c grove -f -k -a "(__grove_complete)"
"#;

const POWERSHELL: &str = r#"# PowerShell completion for grove: grove completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName grove -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $program = $commandAst.GetCommandName()
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    $index = if ($wordToComplete -eq '') { $words.Count } else { $words.Count - 1 }
    foreach ($line in @(& $program __complete powershell $index @words 2>$null)) {
        if ($line -eq ':files') { return }
        $value, $quoted, $about = $line -split "`t", 3
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, 'ParameterValue', $about)
    }
}
"#;
