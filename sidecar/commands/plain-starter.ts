/**
 * Starts the commands of one workspace without a sandbox. Each process carries a mark of its own in its
 * environment, by which what it leaves behind is found.
 */
import { throughGroup } from './command-group.ts';
import { CommandProcess, type CommandStarter, type StarterOptions } from './command-process.ts';
import { shellArguments } from './command-shell.ts';
import { MARKER_VARIABLE } from './marked-processes.ts';

export interface PlainStarterOptions extends StarterOptions {
  /** Begins the mark of each process. */
  mark: string;
}

export function plainStarter({
  shell,
  limits,
  env,
  inheritedFds,
  groupEntry,
  ...options
}: PlainStarterOptions): CommandStarter {
  let starts = 0;
  return ({ command, cwd, stdin, variables }) => {
    starts += 1;
    const mark = `${options.mark}.${starts}.`;
    const args = shellArguments(shell, command, limits);
    const [file, given] = groupEntry ? throughGroup(groupEntry, [shell.path, ...args]) : [shell.path, args];
    const process = new CommandProcess({
      file,
      args: given,
      cwd,
      env: { ...env, ...variables, [MARKER_VARIABLE]: mark },
      sandboxed: false,
      stdin,
      inheritedFds,
    });
    return { process, mark };
  };
}
