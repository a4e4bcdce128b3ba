import { describe, expect, test } from '@jest/globals';
import { ownToolSchema } from '../../../sidecar/base/config/own-tools.ts';
import type { ExecutionEnvironment } from '../../../sidecar/base/ports.ts';
import { dispatchToolCalls, type DispatchOptions } from '../../../sidecar/tools/dispatch.ts';
import { expandCommand, type CommandTemplate } from '../../../sidecar/tools/own/own-tool.ts';
import { createOwnTool as declare } from '../../../sidecar/tools/own/own-tool.ts';
import { createToolRegistry } from '../../../sidecar/tools/registry.ts';
import { quoteShellWords } from '../../../sidecar/base/values/shell-word.ts';
import * as fc from '../../support/properties.ts';
import { withWorkspace } from '../../support/workspace-fixture.ts';

/** Own tools through the dispatcher, with real processes. */
const SHOW = 'console.log(JSON.stringify(process.argv.slice(1)))';
const tool = (more: object) => declare(ownToolSchema.parse({ name: 'show', description: 'Show.', ...more }));
const NAME = {
  parameters: { properties: { name: { type: 'string', description: 'Whose' } }, required: ['name'] },
};

async function call(
  env: ExecutionEnvironment,
  declared: ReturnType<typeof tool>,
  args: unknown,
  options?: DispatchOptions,
) {
  const request = { toolCallId: '1', toolName: declared.name, args };
  const [result] = await dispatchToolCalls([request], createToolRegistry([declared]), env, options);
  if (!result) throw new Error('no result');
  return result;
}

describe('an own tool', () => {
  test('is declared to the model with its parameters', () => {
    const definitions = createToolRegistry([tool({ command: ['echo', '{name}'], ...NAME })]).definitions();
    expect(definitions.at(-1)?.function).toEqual({
      name: 'show',
      description: 'Show.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Whose' } },
        required: ['name'],
      },
    });
  });

  test('runs its command with what the model gave, and no shell reads it', async () => {
    await withWorkspace({}, async ({ env }) => {
      const declared = tool({ command: ['node', '-e', SHOW, '--', '{name}'], ...NAME });
      const result = await call(env, declared, { name: '$(touch owned); `touch owned`\n--x' });
      expect(result).toMatchObject({ isError: false, details: { exitCode: 0 } });
      expect(JSON.parse(result.output.split('\n')[0]!)).toEqual(['$(touch owned); `touch owned`\n--x']);
      expect(result.output).toMatch(/\[exit code 0, .+\]$/);
      expect(await env.fileExists('owned')).toBe(false);
    });
  });

  test('brings values into their types and names what does not fit', async () => {
    await withWorkspace({}, async ({ env }) => {
      const declared = tool({
        command: ['node', '-e', SHOW, '{count}', '{kind}'],
        parameters: {
          properties: { count: { type: 'integer', minimum: 1 }, kind: { enum: ['up', 'down'] } },
          required: ['count', 'kind'],
        },
      });
      expect((await call(env, declared, { count: '3', kind: 'up' })).output).toContain('["3","up"]');
      expect((await call(env, declared, { count: 0, kind: 'up' })).output).toContain('count');
      expect((await call(env, declared, { count: 1, kind: 'sideways' })).output).toContain(
        'expected one of up, down',
      );
      expect((await call(env, declared, { kind: 'up' })).output).toContain('count is required');
    });
  });

  test('that fails, is missing or takes too long is an error that says so', async () => {
    await withWorkspace({}, async ({ env }) => {
      const failing = tool({ command: ['node', '-e', 'console.error("no"); process.exit(4)'] });
      expect(await call(env, failing, {})).toMatchObject({
        isError: true,
        output: expect.stringMatching(/^no\n\[exit code 4, /),
      });
      const missing = tool({ command: ['no-such-program'] });
      expect((await call(env, missing, {})).output).toContain('a program is missing here');
      const slow = tool({ command: ['sleep', '60'], timeoutMs: 100 });
      expect((await call(env, slow, {})).output).toContain('timed out after 100 ms');
    });
  });

  test('is stopped with the task', async () => {
    await withWorkspace({}, async ({ env }) => {
      const stop = new AbortController();
      const declared = tool({ command: ['sh', '-c', 'echo started; sleep 60'] });
      const result = await call(env, declared, {}, { signal: stop.signal, onOutput: () => stop.abort() });
      expect(result).toMatchObject({ isError: true, output: expect.stringContaining('[aborted') });
    });
  });

  test('is refused by the rules for commands', async () => {
    await withWorkspace({}, async ({ env }) => {
      const declared = tool({ command: ['rm', '-rf', '{name}'], ...NAME });
      expect((await call(env, declared, { name: '/' })).output).toContain('removing /');
      const asked: string[] = [];
      const refuseCommand = (command: string) => {
        asked.push(command);
        return 'A person refused it.';
      };
      expect(await call(env, declared, { name: "it's" }, { refuseCommand })).toMatchObject({
        isError: true,
        output: 'A person refused it.',
      });
      expect(asked).toEqual([`rm -rf 'it'\\''s'`]);
    });
  });

  test('has its long output cut in two stages', async () => {
    await withWorkspace({}, async ({ env }) => {
      const lines = tool({ command: ['node', '-e', 'for (let i = 0; i < 1000; i++) console.log(i)'] });
      expect((await call(env, lines, {})).output).toMatch(/\n\[\.\.\. \d+ lines omitted \.\.\.\]\n/);
      const wide = tool({ command: ['node', '-e', 'console.log("x".repeat(100000))'] });
      expect((await call(env, wide, {})).output).toContain('characters were removed from the middle');
    });
  });

  test('says by its effects what may run beside it', () => {
    expect(tool({ command: ['a'], effects: 'none' })).toMatchObject({ readOnly: true });
    expect(tool({ command: ['a'], effects: 'files' })).toMatchObject({ readOnly: false, changes: 'files' });
    expect(tool({ command: ['a'] }).changes).toBeUndefined();
  });
});

type Args = Record<string, string | number | boolean>;
const fill = (template: CommandTemplate, args: Args, trusted: string[] = []) =>
  expandCommand(template, args, {
    names: new Set(['name', 'count', 'filter']),
    trustedNames: new Set(trusted),
  });
const argv = (template: CommandTemplate, args: Args, trusted?: string[]): string[] => {
  const filled = fill(template, args, trusted);
  if (!filled.ok) throw new Error(filled.message);
  return filled.argv;
};

describe('a command with places', () => {
  test('is filled, a whole argument or a part of one', () => {
    expect(argv(['run', '{name}', '--count={count}', 'x{name}y'], { name: 'a b', count: 3 })).toEqual([
      'run',
      'a b',
      '--count=3',
      'xa by',
    ]);
  });

  test('leaves out what has no value, a group as a whole', () => {
    const template = ['run', '{name}', ['-k', '{filter}'], '--count={count}', 'end'];
    expect(argv(template, { name: 'a' })).toEqual(['run', 'a', 'end']);
    expect(argv(template, { name: 'a', filter: 'b' })).toEqual(['run', 'a', '-k', 'b', 'end']);
  });

  test('keeps braces that are no places, and does not fill what a value brings', () => {
    expect(argv(['awk', '{print}', '{other}', '{name}{count}'], { name: '{count}', count: 1 })).toEqual([
      'awk',
      '{print}',
      '{other}',
      '{count}1',
    ]);
  });

  test('takes no value for an option', () => {
    expect(fill(['git', 'log', '{name}'], { name: '--output=/x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('must not begin with "-"'),
    });
    expect(argv(['git', 'log', '--', '{name}'], { name: '--output=/x' })).toContain('--output=/x');
    expect(argv(['head', '--lines={name}'], { name: '-5' })).toEqual(['head', '--lines=-5']);
    expect(argv(['add', '{count}'], { count: -5 })).toEqual(['add', '-5']);
    expect(argv(['ls', '{filter}'], { filter: '-l' }, ['filter'])).toEqual(['ls', '-l']);
  });

  test('refuses what no program can be given', () => {
    expect(fill(['echo', '{name}'], { name: 'a\0b' })).toMatchObject({ ok: false });
    expect(fill(['echo', '{name}'], { name: 'é'.repeat(60_000) })).toMatchObject({
      ok: false,
      message: expect.stringContaining('120000 bytes'),
    });
  });

  test('never becomes more arguments than it has, whatever the values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (name, filter) => {
        const filled = fill(['run', '--', '{name}', '-f={filter}'], { name, filter });
        if (filled.ok) expect(filled.argv).toEqual(['run', '--', name, `-f=${filter}`]);
        else expect(name + filter).toContain('\0');
      }),
    );
  });
});

test('a command is shown as a person would type it', () => {
  expect(quoteShellWords(['rm', '-rf', '/', "it's", ''])).toBe(`rm -rf / 'it'\\''s' ''`);
});
