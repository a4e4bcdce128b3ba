/** Ctrl-C as a person presses it: in a terminal in which the spinner turns. */
import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describeWith } from '../support/requirements.ts';
import { commandLine, endless, NAP, processesWith, untilRunning, type CommandLine } from './command-line.ts';

const CTRL_C = '\x03';
let cli: CommandLine;
afterEach(() => cli.close());

describeWith('pseudo-terminals', 'Ctrl-C in a terminal', () => {
  test('cancels the task, ends with 130 and leaves the terminal as it was', async () => {
    cli = await commandLine(endless);
    const repo = await cli.repository();
    const words = [process.execPath, resolve('dist/cli.js'), 'run', 'x', '--repo', repo];
    // The shell lives on after Ctrl-C, to say what became of the program and of the terminal.
    const command = `trap : INT; stty columns 80 rows 40; stty -g; ${words.join(' ')}; echo "code $?"; stty -g`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, ...cli.env, TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    cli.cleanup.add(() => void child.kill('SIGKILL'));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    await untilRunning(NAP);
    child.stdin.write(CTRL_C);
    await once(child, 'close');
    expect(shown).toContain('Cancelling the task');
    expect(shown).toContain('code 130');
    const modes = shown.match(/^(?:[0-9a-f]+:)+[0-9a-f]+/gmu);
    expect(modes).toHaveLength(2);
    expect(modes?.[1]).toBe(modes?.[0]);
    expect(await processesWith(NAP)).toEqual([]);
  });
});
