"""`gainful completion`: the script that makes a shell complete names, options and files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from gainful.cli.answer import write_stdout
from gainful.cli.command import command

_SHELLS = ("bash", "zsh", "fish")


@command(short_help="What makes a shell complete names, options and files?")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that makes SHELL (bash, zsh or fish) complete gainful's words.

    Save it where the shell looks for such scripts, and open a new one. bash needs version 4.4 or
    later and the package bash-completion. zsh reads ~/.zfunc if ~/.zshrc has these two lines:
    fpath+=~/.zfunc and, below it, autoload -Uz compinit && compinit

    To try it in the shell that is open: eval "$(gainful completion bash)"

    \b
    Examples:
      gainful completion bash > ~/.local/share/bash-completion/completions/gainful
      gainful completion zsh > ~/.zfunc/_gainful
      gainful completion fish > ~/.config/fish/completions/gainful.fish
    """
    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"{shell} is none of {', '.join(_SHELLS)}")
    root = context.find_root().command
    write_stdout(complete(root, {}, "gainful", "_GAINFUL_COMPLETE").source())
