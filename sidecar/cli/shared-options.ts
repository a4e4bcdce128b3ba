/** Options shared by several commands. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { findNearest } from '../base/values/nearest.ts';
import { parsePositiveInteger } from './task-options.ts';

/** A command to which several shared options can be added at once. */
export class OptionedCommand extends Command {
  override createCommand(name?: string): OptionedCommand {
    return new OptionedCommand(name);
  }

  addOptions(...options: readonly (() => Option)[]): this {
    for (const make of options) this.addOption(make());
    return this;
  }
}

/**
 * Adds the default subcommand `list`, which also runs without its name. Any other word after the parent command is
 * refused as an unknown command.
 */
export function addListCommand(parent: OptionedCommand): OptionedCommand {
  const list = parent.command('list', { isDefault: true });
  // Without this, commander would report too many arguments of `list`, a word that the user has not written.
  return list.allowExcessArguments().hook('preAction', () => {
    const [word] = list.args;
    if (word === undefined) return;
    const nearest = findNearest(
      word,
      parent.commands.map((command) => command.name()),
    );
    const suggestion = nearest === undefined ? '' : `\n(Did you mean ${nearest}?)`;
    parent.error(`error: unknown command '${word}'${suggestion}`, { code: 'commander.unknownCommand' });
  });
}

/** Returns a command's action: a function of a module that is loaded when the command runs. */
export const loadAction =
  <Module extends object>(load: () => Promise<Module>, name: keyof Module) =>
  async (...args: unknown[]): Promise<void> => {
    const command = (await load())[name] as (...given: unknown[]) => void | Promise<void>;
    await command(...args);
  };

export const createConfigOption = () =>
  new Option('--config <file>', 'configuration file (JSON), in addition to the user’s own');
export const createJsonOption = () => new Option('--json', 'print JSON, also on a terminal');
export const createTextOption = () => new Option('--no-json', 'print text, also into a pipe');
export const createSandboxOption = () =>
  new Option(
    '--sandbox <mode>',
    'whether bubblewrap confines commands; auto (default): only if it works',
  ).choices(['auto', 'required', 'off']);
export const createOllamaOption = () =>
  new Option('--ollama-url <url>', 'Ollama server (default: OLLAMA_HOST or http://127.0.0.1:11434)');
export const createConcurrencyOption = () =>
  new Option(
    '--concurrency <n>',
    'number of tasks at once; auto: enough to keep the model busy (default: 1)',
  ).argParser((value) => {
    if (value === 'auto') return value;
    try {
      return parsePositiveInteger(value);
    } catch {
      throw new InvalidArgumentError('Write a whole number of at least 1, or auto.');
    }
  });
export const createWatchOption = () =>
  new Option('--watch', 'redraw the list every second until you press q (terminal only)');
export const createWaitOption = () =>
  new Option('--wait', 'wait until the task ends and exit with its exit code');
export const createOutputOption = () =>
  new Option('--output <format>', 'github: print text and annotations for a GitHub workflow').choices([
    'github',
  ]);
export const createRequireVerifiedOption = () =>
  new Option(
    '--require-verified [evidence]',
    'exit with code 3 unless checks verify the result; fail-to-pass also requires a check that failed before the task',
  ).choices(['fail-to-pass']);
/** The evidence that a success requires; `true` for any. */
export type RequiredEvidence = boolean | 'fail-to-pass';
export const createHubOption = () =>
  new Option('--hub <url>', 'address of the hub (default: the hub that `up` or `hub` runs on this machine)');
export const createHubTokenOption = () =>
  new Option('--token-file <file>', 'file with a token of the hub (or SIDECAR_HUB_API_TOKEN)');
