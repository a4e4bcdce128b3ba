import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describeWith } from '../support/requirements.ts';
import { commandLine, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

/** `run` on a terminal of its own that is `columns` wide. */
async function runOnTerminal(columns: number): Promise<{ code: number | null; shown: string }> {
  cli = await commandLine(repair);
  const repo = await cli.repository();
  const words = [process.execPath, resolve('dist/cli.js'), 'run', "'repair a.txt'", '--repo', repo];
  const command = `stty columns ${columns} rows ${columns && 40}; exec ${words.join(' ')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...cli.env, TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cli.cleanup.add(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, shown };
}

describeWith('pseudo-terminals', 'run on a terminal', () => {
  test.each([
    ['that does not say how wide it is', 0],
    ['of one column', 1],
    ['of 30 columns', 30],
    ['of 100 columns', 100],
  ])('%s shows the timeline and ends', async (_what, columns) => {
    const { code, shown } = await runOnTerminal(columns);
    expect(code).toBe(0);
    expect(shown).toContain('edit_file');
    expect(shown).toContain('SUCCESS');
  });
});
