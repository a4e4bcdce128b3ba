/** How the end of a command is told to model and people. */
import { expect, test } from '@jest/globals';
import type { ExecResult } from '../../sidecar/ports.ts';
import { commandOutput } from '../../sidecar/tools/command-report.ts';

const result: ExecResult = {
  stdout: '',
  stderr: '',
  output: '',
  exitCode: null,
  signal: 'SIGKILL',
  timedOut: false,
  aborted: false,
  durationMs: 10,
  droppedBytes: 0,
  sandboxed: true,
};

test.each([
  [{}, 'killed by SIGKILL'],
  [{ stopped: 'it started more than 64 processes' }, 'stopped: it started more than 64 processes'],
  [{ timedOut: true }, 'timed out after 500 ms'],
  [{ exitCode: 3, signal: null }, 'exit code 3'],
])('%o is told as "%s"', (more, words) => {
  expect(commandOutput({ ...result, ...more }, 500)).toMatchObject({
    text: `[${words}, 10 ms]`,
    isError: true,
    details: { summary: words },
  });
});
