/** `completion`: prints a shell's completion script, which asks this program for the possible next words. */
import type { Command } from 'commander';

const PROGRAM_NAME = 'ollama-sidecar';
const SCRIPTS = {
  bash: `_ollama_sidecar() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${PROGRAM_NAME} completion next -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ollama_sidecar ${PROGRAM_NAME}`,
  zsh: `#compdef ${PROGRAM_NAME}
_ollama_sidecar() {
  local -a next
  next=("\${(@f)$(${PROGRAM_NAME} completion next -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  compadd -a next
  _files
}
compdef _ollama_sidecar ${PROGRAM_NAME}`,
  fish: `complete -c ${PROGRAM_NAME} -a '(${PROGRAM_NAME} completion next -- (commandline -opc)[2..] 2>/dev/null)'`,
};
export const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

/** Prints the completion script of a shell, or for `next` the words that may follow `words`, one per line. */
export function completionCommand(
  shell: keyof typeof SCRIPTS | 'next',
  words: readonly string[],
  _options: unknown,
  command: Command,
): void {
  const lines = shell === 'next' ? listNextWords(command.parent ?? command, words) : [SCRIPTS[shell]];
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/** Returns the possible next words: subcommands and options, or the choices of the current option or argument. */
export function listNextWords(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words) {
    command = command.commands.find((one) => one.name() === word) ?? command;
  }
  const last = words.at(-1) ?? '';
  const option = command.options.find(({ long, short }) => long === last || short === last);
  if (option?.required) return [...(option.argChoices ?? [])];
  // `workers` alone means `workers list`.
  const possibleCommands = [command, ...command.commands.filter((one) => one.name() === 'list')];
  return [
    ...command.commands.map((one) => one.name()),
    ...command.registeredArguments.flatMap((one) => one.argChoices ?? []),
    ...possibleCommands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])),
  ];
}
