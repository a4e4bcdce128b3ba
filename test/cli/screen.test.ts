import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { transform } from 'esbuild';
import pc from 'picocolors';
import { EXIT } from '../../sidecar/cli/exit-codes.ts';
import { buildProgram } from '../../sidecar/cli/program.ts';
import { readSubmission } from '../../sidecar/cli/task-options.ts';
import { formatTable, type Terminal } from '../../sidecar/cli/terminal.ts';
import { createTimeline } from '../../sidecar/cli/timeline.ts';
import { runningTask } from '../hub/dashboard/tasks.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { describeWith } from '../support/requirements.ts';
import { eventually } from '../support/eventually.ts';
import {
  commandLine,
  endless,
  NAP,
  processesWith,
  PROGRAM,
  repair,
  untilRunning,
  type CommandLine,
} from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli?.close());

/** What `--help` prints on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

test('a table that is too wide loses the columns that it can do without, one after the other', () => {
  const rows = [
    ['TASK', 'BY', 'WORKER', 'WHAT'],
    ['task-1', 'admin', 'gpu-box-1', ''],
  ];
  const at = (width: number) => formatTable(rows, width, ['BY', 'WORKER']);
  expect(at(30)).toEqual(['TASK    BY     WORKER     WHAT', 'task-1  admin  gpu-box-1']);
  expect(at(29)).toEqual(['TASK    WORKER     WHAT', 'task-1  gpu-box-1']);
  expect(at(20)).toEqual(['TASK    WHAT', 'task-1']);
});

test('the help names every exit code, one a line', () => {
  const lines = helpOf(buildProgram()).split('\n');
  for (const code of Object.values(EXIT)) {
    expect(lines.filter((line) => new RegExp(`^ {2}${code} +\\w`, 'u').test(line))).toHaveLength(1);
  }
});

test('no help is wider than 80 columns, commands to copy excepted', () => {
  const program = buildProgram();
  const wide = [program, ...program.commands].flatMap((command) =>
    helpOf(command)
      .split('\n')
      .filter((line) => line.length > 80 && !line.startsWith('  ollama-sidecar '))
      .map((line) => `${command.name()}: ${line}`),
  );
  expect(wide).toEqual([]);
});

/** What Node compiled of the program is kept for the next start, where Node can do that. */
describe('main', () => {
  beforeEach(async () => {
    cli = await commandLine();
  });

  const caches = (): string => join(cli.dir, 'cache');
  const version = async (env: Record<string, string> = {}) =>
    await cli.start(['--version'], { XDG_CACHE_HOME: caches(), ...env }).ended;

  function kept(): string[] {
    try {
      return readdirSync(join(caches(), 'ollama-sidecar', 'code'), { recursive: true }).map(String);
    } catch {
      return [];
    }
  }

  const canKeep = 'enableCompileCache' in nodeModule;

  test('compiled code is kept in the folder of the user, where this Node keeps any', async () => {
    expect(await version()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/u) });
    expect(kept().length > 0).toBe(canKeep);
    expect(await version()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/u) });
  });

  test.each([
    ['below a file', '/dev/null'],
    ['with too long a name', `/${'x'.repeat(300)}`],
  ])('a folder %s, which cannot be made, changes nothing', async (_what, place) => {
    expect(await version({ XDG_CACHE_HOME: place })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a Node that is too old gets one line, before anything is loaded', async () => {
    const stub = join(cli.dir, 'old.cjs');
    writeFileSync(
      stub,
      `Object.defineProperty(process.versions, 'node', { value: '18.20.8' });
       Object.defineProperty(process, 'version', { value: 'v18.20.8' });`,
    );
    const old = async (...args: string[]) =>
      await cli.start(args, { NODE_OPTIONS: `--require ${stub}`, XDG_CACHE_HOME: caches() }).ended;
    const line = /^ollama-sidecar requires Node 20\.19 or newer; this is v18\.20\.8\. .+\n$/u;
    expect(await old('demo')).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(line) });
    expect(JSON.parse((await old('demo', '--json')).stderr)).toMatchObject({
      error: { code: 'node_too_old' },
    });
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ engines: { node: '>=20.19' } });
  });

  test('the entry has no syntax that an old Node cannot parse', async () => {
    const source = readFileSync('dist/cli.js', 'utf8');
    const as = async (target: string) =>
      (await transform(source, { target, supported: { 'dynamic-import': true } })).code;
    expect(await as('es2017')).toBe(await as('esnext'));
    expect(source).not.toMatch(/^import\s|\bawait\b(?!`)/mu);
  });

  test('it can be switched off', async () => {
    expect((await version({ NODE_DISABLE_COMPILE_CACHE: '1' })).code).toBe(0);
    expect(kept()).toEqual([]);
  });
});

describe('the options of a task', () => {
  test('become a submission; attempts are asked for only where they were given', async () => {
    expect(await readSubmission('x', { attempts: 2, ladder: ['a', 'b'] })).toEqual({
      description: 'x',
      metadata: { attempts: 2, models: ['a', 'b'] },
    });
    expect(await readSubmission('x', { mayChangeChecks: ['test/**'] })).toMatchObject({
      may_change_checks: ['test/**'],
    });
    expect(await readSubmission('x', {})).toEqual({ description: 'x', metadata: {} });
  });

  test('globs that took the words of the task for their own are told', async () => {
    const lost = readSubmission(undefined, { mayChangeChecks: ['Fix it'] });
    await expect(lost).rejects.toThrow('write the task before this option');
  });
});

describe('terminal width', () => {
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
});

test('a call that was repaired has the word at the end of its line', async () => {
  const lines: string[] = [];
  const terminal: Terminal = {
    json: false,
    interactive: false,
    width: 80,
    color: pc.createColors(false),
    line: (text = '') => void lines.push(text),
    prose: (text) => void lines.push(text),
    table: () => undefined,
    list: () => undefined,
    data: () => undefined,
    note: () => undefined,
  };
  const timeline = await createTimeline(terminal);
  const finished = { event_type: 'tool_call', phase: 'finished', success: true, iteration: 1 };
  const show = (body: object) =>
    timeline.show({
      id: 1,
      at: 1,
      kind: 'execution',
      task_id: 't',
      generation: 1,
      body: { ...finished, ...body },
    });
  show({ text: 'glob a → OK: 1 file (2 ms)', repaired: true });
  show({ text: 'glob b → OK: 1 file (2 ms)' });
  timeline.end();
  expect(lines).toEqual([
    '     1. ✓ glob a → OK: 1 file (2 ms) repaired',
    '        ✓ glob b → OK: 1 file (2 ms)',
  ]);
});

/** Ctrl-C as a person presses it: in a terminal in which the spinner turns. */
describe('ctrl c', () => {
  const CTRL_C = '\x03';
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
});

/** What a hub does right now, from a terminal. */
describe('live lists', () => {
  test('tasks says what each running task does, and what each queued one waits for', async () => {
    cli = await commandLine();
    const hub = await testHub();
    const { worker, id } = await runningTask(hub);
    const waiting = await hub.submit({ labels: ['h200'] });
    worker.event(id, {
      event_type: 'tool_call',
      phase: 'started',
      tool_name: 'run_command',
      text: 'run_command npm\u001B[31m test',
    });
    const env = { SIDECAR_HUB_API: hub.hub.url, SIDECAR_HUB_API_TOKEN: hub.hub.tokens.admin };
    let list = '';
    const look = async () => void (list = (await cli.run(['tasks', '--no-json'], env)).stdout);
    await eventually(() => list.includes('run_command'), 'the stage', look);
    expect(list).toMatch(/^TASK .* WHAT +NOW$/mu);
    expect(list).toMatch(
      new RegExp(`^${id} +running .*Fix the sum +run_command npm‹U\\+001B›\\[31m test$`, 'mu'),
    );
    expect(list).toMatch(
      new RegExp(`^${waiting} +queued .*waits for a worker with the labels h200: none is connected$`, 'mu'),
    );
    const json = JSON.parse((await cli.run(['tasks', '--json'], env)).stdout) as object[];
    expect(json).toMatchObject([{ now: expect.stringContaining('waits for') }, { task_id: id }]);
  });

  describeWith('pseudo-terminals', '--watch on a terminal', () => {
    test('says how to leave it, and is left so', async () => {
      cli = await commandLine();
      const { hub } = await testHub();
      const where = `SIDECAR_HUB_API=${hub.url} SIDECAR_HUB_API_TOKEN=${hub.tokens.admin}`;
      const terminal = cli.inTerminal(
        `stty columns 100 rows 40; export ${where}; exec ${PROGRAM} workers --watch`,
      );
      await eventually(() => terminal.shown().includes('q quits'), 'the screen');
      expect(terminal.shown()).toContain('No worker has connected yet.');
      await hub.close();
      await eventually(
        () => terminal.shown().includes('list not updated: The hub at'),
        'the loss of the hub',
      );
      terminal.press('q');
      expect(await terminal.ended).toBe(0);
    });
  });
});
