import { afterEach, expect, test } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import { commandLine, PROGRAM, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

describeWith('pseudo-terminals', 'run on a terminal', () => {
  test.each([
    ['that does not say how wide it is', 0],
    ['of one column', 1],
    ['of 30 columns', 30],
    ['of 100 columns', 100],
  ])('%s shows the timeline and ends', async (_what, columns) => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const size = `stty columns ${columns} rows ${columns && 40}`;
    const terminal = cli.inTerminal(`${size}; exec ${PROGRAM} run 'repair a.txt' --repo ${repo}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain('edit_file');
    expect(terminal.shown()).toContain('SUCCESS');
  });
});
