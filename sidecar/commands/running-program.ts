/**
 * A program that is spoken to over its stdin and stdout while it runs. It has no time limit of its own: whoever started
 * it stops it, and the environment's end does.
 */
import type { ExecResult, RunningProgram } from '../ports.ts';
import type { CommandProcess } from './command-process.ts';
import type { RunOptions } from './spawn-port.ts';

/** Kept of each of its outputs; the end of stderr says why a program gave up. */
const KEPT_OUTPUT_BYTES = 16 * 1024;

/** `end` waits for the process's end as for any command's. */
export function openProgram(
  process: CommandProcess,
  onStdout: (chunk: Buffer) => void,
  end: (options: Omit<RunOptions, 'limits'>) => Promise<ExecResult>,
): RunningProgram {
  const stopping = new AbortController();
  // A program that ends while it is written to closes the pipe: its end says more than that error.
  process.stdin?.on('error', () => undefined);
  process.stdout.on('data', onStdout);
  const ended = end({ signal: stopping.signal, maxOutputBytes: KEPT_OUTPUT_BYTES });
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
