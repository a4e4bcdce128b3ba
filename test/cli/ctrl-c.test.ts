/** Ctrl-C as a person presses it: in a terminal in which the spinner turns. */
import { afterEach, expect, test } from '@jest/globals';
import { describeWith } from '../support/requirements.ts';
import {
  commandLine,
  endless,
  NAP,
  processesWith,
  PROGRAM,
  untilRunning,
  type CommandLine,
} from './command-line.ts';

const CTRL_C = '\x03';
let cli: CommandLine;
afterEach(() => cli.close());

describeWith('pseudo-terminals', 'Ctrl-C in a terminal', () => {
  test('cancels the task, ends with 130 and leaves the terminal as it was', async () => {
    cli = await commandLine(endless);
    const repo = await cli.repository();
    // The shell lives on after Ctrl-C, to say what became of the program and of the terminal.
    const terminal = cli.inTerminal(
      `trap : INT; stty columns 80 rows 40; stty -g; ${PROGRAM} run x --repo ${repo}; echo "code $?"; stty -g`,
    );
    await untilRunning(NAP);
    terminal.press(CTRL_C);
    await terminal.ended;
    const shown = terminal.shown();
    expect(shown).toContain('Cancelling the task');
    expect(shown).toContain('code 130');
    const modes = shown.match(/^(?:[0-9a-f]+:)+[0-9a-f]+/gmu);
    expect(modes).toHaveLength(2);
    expect(modes?.[1]).toBe(modes?.[0]);
    expect(await processesWith(NAP)).toEqual([]);
  });
});
