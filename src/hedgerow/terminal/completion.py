"""`hedgerow completion SHELL`: what makes a shell complete commands, options, games and players."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.terminal import files
from hedgerow.terminal.talk import say

BASH = r"""# Completion of hedgerow for bash. A word goes on over : and =, at which bash would split it.
_hedgerow_completion() {
    local line="${COMP_LINE:0:COMP_POINT}" words found
    IFS=$' \t' read -r -a words <<< "$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    local current="${words[-1]}" IFS=$'\n'
    found=$(COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) _HEDGEROW_COMPLETE=complete_bash "$1" 2>/dev/null)
    COMPREPLY=($found)
    local before="${current%"${current##*[:=]}"}"
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o default -F _hedgerow_completion hedgerow
"""
ZSH = r"""#compdef hedgerow
# Completion of hedgerow for zsh.
_hedgerow_completion() {
    eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _HEDGEROW_COMPLETE=complete_zsh hedgerow 2>/dev/null)
}
if [[ ${funcstack[1]} == _hedgerow ]]; then _hedgerow_completion "$@"; else compdef _hedgerow_completion hedgerow; fi
"""
FISH = r"""# Completion of hedgerow for fish.
function __hedgerow_complete
    env _HEDGEROW_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=$argv[1] \
        _TYPER_COMPLETE_ARGS=(commandline -cp) hedgerow 2>/dev/null
end
complete --command hedgerow --no-files --arguments "(__hedgerow_complete get-args)" \
    --condition "__hedgerow_complete is-args"
"""


class Shell(StrEnum):
    """Shells that can complete."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


SCRIPTS = {Shell.bash: BASH, Shell.zsh: ZSH, Shell.fish: FISH}
PLACES = {
    Shell.bash: ("XDG_DATA_HOME", ".local/share", "bash-completion/completions/hedgerow"),
    Shell.zsh: ("ZDOTDIR", "", ".zfunc/_hedgerow"),
    Shell.fish: ("XDG_CONFIG_HOME", ".config", "fish/completions/hedgerow.fish"),
}
"""Where a shell looks for it: the variable that says where its things are, where they are without it, and the file."""
AFTERWARDS = {
    Shell.bash: "it works in new shells, with the package bash-completion",
    Shell.zsh: "it works in new shells where .zshrc says: fpath+=~/.zfunc; autoload -Uz compinit; compinit",
    Shell.fish: "it works in new shells",
}


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish")],
    install: Annotated[bool, typer.Option("--install", help="Write it where the shell finds it.")] = False,
) -> None:
    """Print what makes a shell complete commands, options, games and players.

    In bash or zsh, `eval "$(hedgerow completion bash)"` tries it out.
    """
    if not install:
        print(SCRIPTS[shell], end="")
        return
    variable, usual, file = PLACES[shell]
    place = Path(os.environ.get(variable) or Path.home() / usual) / file
    place.parent.mkdir(parents=True, exist_ok=True)
    files.write(place, SCRIPTS[shell].encode(), force=True)
    say(f"{place} is written; {AFTERWARDS[shell]}")
