#!/usr/bin/env python3
"""Generates completions from the --help output of the programs.

usage: completions.py bash|zsh|fish HELP_TEXTS OUTPUT...
    one output per program, in the order of HELP_TEXTS
"""

import re
import sys

import help_text

LEVELS = "trace debug info notice warning error critical"
# What each name of a value stands for; there are no proposals for other names.
WORDS = {"LEVEL": LEVELS + " off", "LEVEL[+]": LEVELS, "POLICY": "block drop",
         "none|interval=DURATION|always": "none interval=100ms always"}
PATHS = {"FILE": "files", "PATH": "files", "IN": "files", "OUT": "files", "ARGUMENT": "files", "DIR": "folders"}


def words(value):
    return value.replace("|", " ") if re.fullmatch(r"[a-z]+(\|[a-z]+)+", value) else WORDS.get(value, "")


def positional(own):
    """The name of the last positional argument, which can be repeated; of a single argument, its name."""
    items = own.items("Positionals")
    return re.findall(r"[A-Z]+", items[-1].head)[-1] if items else ""


def commands_of(program, helps):
    return {command: own for command, own in helps.items() if command.split()[0] == program}


def subcommands_of(program, helps):
    return [(item.head, item.text) for item in helps[program].items("Subcommands")]


def bash(program, helps):
    def proposal(value):
        if words(value):
            return f'words="{words(value)}"'
        return {"files": "paths=-f", "folders": "paths=-d"}.get(PATHS.get(value), ":")

    subcommands = " ".join(name for name, _ in subcommands_of(program, helps))
    cases = []
    # The program itself comes last, because its pattern also matches its subcommands.
    for command, own in reversed(commands_of(program, helps).items()):
        by_proposal = {}
        for item in own.options:
            if item.value:
                by_proposal.setdefault(proposal(item.value), []).extend(f'"{command} {name}"' for name in item.names)
        cases += [f"    {' | '.join(names)}) {what} ;;" for what, names in by_proposal.items()]
        options = " ".join(name for item in own.options for name in item.names)
        first = f' && words="{subcommands} $words"' if command == program and subcommands else ""
        cases.append(f'    "{command} "*)\n      if [[ $current == -* ]]; then words="{options}"\n'
                     f"      else {proposal(positional(own))}{f'; [[ $COMP_CWORD -eq 1 ]]{first}' if first else ''}\n"
                     "      fi ;;")
    chosen = f'  case "${{COMP_WORDS[1]}}" in\n    {subcommands.replace(" ", " | ")})\n' \
             f'      [[ $COMP_CWORD -eq 1 ]] || command="{program} ${{COMP_WORDS[1]}}" ;;\n  esac\n' if subcommands else ""
    return (f"""# bash completion of {program}
_{program}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command={program} words= paths=
  # --option=value comes as three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
{chosen}  case "$command $previous" in
""" + "\n".join(cases) + f"""
  esac
  COMPREPLY=()
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n $paths ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen $paths -- "$current")
  fi
}}
complete -F _{program} {program}
""")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(program, helps):
    def plain(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    def action(value):
        if words(value):
            return f"({words(value)})"
        return {"files": "_files", "folders": "_files -/"}.get(PATHS.get(value), " ")

    def arguments(own):
        for item in own.options:
            repeat = "*" if "repeatable" in item.text else ""
            others = f"({' '.join(item.names)})" if len(item.names) > 1 and not repeat else ""
            for name in item.names:
                value = f":{plain(item.value)}:{action(item.value)}" if item.value else ""
                equals = "=" if value and name.startswith("--") else ""
                yield quoted(f"{repeat}{others}{name}{equals}[{plain(item.text)}]{value}")
        name = positional(own)
        if name:
            yield quoted(f"*:{name}:{action(name)}")

    def call(own):
        return "_arguments -s " + " \\\n        ".join(arguments(own))

    subcommands = subcommands_of(program, helps)
    own = helps[program]
    if not subcommands:
        return f"#compdef {program}\n{call(own)}\n"
    cases = "\n".join(f"    {name})\n      shift words\n      ((CURRENT--))\n      {call(helps[f'{program} {name}'])}\n"
                      "      return ;;" for name, _ in subcommands)
    table = "\n    ".join(quoted(f"{name}:{plain(text)}") for name, text in subcommands)
    return f"""#compdef {program}
local -a subcommands=(
    {table}
)
if ((CURRENT > 2)); then
  case $words[2] in
{cases}
  esac
elif [[ $words[2] != -* ]]; then
  _describe subcommand subcommands
fi
{call(own)}
"""


def fish(program, helps):
    subcommands = subcommands_of(program, helps)
    none = "not __fish_seen_subcommand_from " + " ".join(name for name, _ in subcommands)
    lines = [f"# fish completion of {program}", f"complete -c {program} -f"]
    lines += [f"complete -c {program} -n __fish_use_subcommand -a {name} -d {quoted(text)}"
              for name, text in subcommands]

    def proposal(value):
        if words(value):
            return f" -a {quoted(words(value))}"
        return {"files": " -F", "folders": " -a '(__fish_complete_directories)'"}.get(PATHS.get(value), "")

    for command, own in commands_of(program, helps).items():
        when = ""
        if subcommands:
            when = f" -n '{none}'" if command == program else \
                f" -n '__fish_seen_subcommand_from {command.split()[1]}'"
        name = positional(own)
        if proposal(name):
            lines.append(f"complete -c {program}{when}{proposal(name)}")
        for item in own.options:
            names = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in item.names)
            value = f" -r{proposal(item.value)}" if PATHS.get(item.value) == "files" else \
                f" -x{proposal(item.value)}" if item.value else ""
            lines.append(f"complete -c {program}{when}{names}{value} -d {quoted(item.text)}")
    return "\n".join(lines) + "\n"


def main():
    shell, texts, *outputs = sys.argv[1:]
    helps = help_text.read(texts)
    programs = [name for name in helps if " " not in name]
    for program, output in zip(programs, outputs, strict=True):
        with open(output, "w", encoding="utf-8") as file:
            file.write({"bash": bash, "zsh": zsh, "fish": fish}[shell](program, helps))


if __name__ == "__main__":
    main()
