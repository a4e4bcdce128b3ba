/**
 * Runs an interactive program, over its stdin and stdout. It has no time limit of its own: its caller stops it, or the end of the
 * environment does.
 */
import type { ExecResult, RunningProgram } from '../../base/ports.ts';
import type { CommandProcess } from './command-process.ts';
import type { RunOptions } from './spawn-port.ts';

/** Maximum number of retained bytes of each output; the end of stderr often explains why a program failed. */
const RETAINED_OUTPUT_BYTES = 16 * 1024;

/** Opens a started program for writing and reading. `end` waits for the end of any command. */
export function openProgram(
  process: CommandProcess,
  onStdout: (chunk: Buffer) => void,
  end: (options: Omit<RunOptions, 'limits'>) => Promise<ExecResult>,
): RunningProgram {
  const stopping = new AbortController();
  // A program that ends during a write closes the pipe. Its end explains more than the error of the pipe, so the error is ignored.
  process.stdin?.on('error', () => undefined);
  process.stdout.on('data', onStdout);
  const ended = end({ signal: stopping.signal, maxOutputBytes: RETAINED_OUTPUT_BYTES });
  const settled = ended.then(
    () => undefined,
    () => undefined,
  );
  return {
    ended,
    write: (text) => {
      if (process.stdin?.writable === true) process.stdin.write(text);
    },
    stop: async () => {
      process.stdin?.end();
      stopping.abort();
      await settled;
    },
  };
}
