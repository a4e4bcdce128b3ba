import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { dispatchToolCalls, type DispatchOptions } from '../../sidecar/tools/dispatch.ts';
import { createToolRegistry } from '../../sidecar/tools/registry.ts';
import type { RegisteredTool, ToolCallRequest, ToolCallResult } from '../../sidecar/tools/types.ts';
import { folderEnvironment, type FolderEnvironment } from './folder-environment.ts';

let env: FolderEnvironment;
beforeEach(async () => {
  env = await folderEnvironment({ 'a.txt': 'one\ntwo\nthree\n' });
});
afterEach(() => env.remove());

const registry = createToolRegistry();
async function call(toolName: string, args: unknown, options?: DispatchOptions): Promise<ToolCallResult> {
  const results = await dispatchToolCalls([{ toolCallId: '1', toolName, args }], registry, env, options);
  expect(results).toHaveLength(1);
  return results[0]!;
}

/** A tool that waits to be let go, so that tests see what runs at the same time. */
function gate(name: string, readOnly: boolean) {
  const started: string[] = [];
  const waiting: (() => void)[] = [];
  const tool: RegisteredTool = {
    name,
    description: '',
    schema: z.object({ id: z.string() }),
    readOnly,
    execute: ({ id }: { id: string }) => {
      started.push(id);
      return new Promise<string>((resolve) => waiting.push(() => resolve(id)));
    },
  };
  return { tool, started, releaseAll: () => waiting.splice(0).forEach((release) => release()) };
}

describe('a call', () => {
  test('runs under its canonical name, whatever name and arguments the model used', async () => {
    const result = await call('ReadFile', { path: 'a.txt', start_line: '2', end_line: 2 });
    expect(result).toMatchObject({ toolCallId: '1', toolName: 'read_file', isError: false });
    expect(result.output).toBe('2 | two\n[Lines 2-2 of 3. Read on with offset 3.]');
  });

  test('takes its arguments as text, which is repaired', async () => {
    expect((await call('read_file', '{"file_path": "a.txt", limit: 1,}')).output).toContain('1 | one');
    expect((await call('read_file', '"{\\"file_path\\": \\"a.txt\\"}"')).output).toContain('3 | three');
  });

  test.each<[string, unknown, true | undefined]>([
    ['right', { file_path: 'a.txt', limit: 1 }, undefined],
    ['right, under other names', { path: 'a.txt', start_line: 2, end_line: 2 }, undefined],
    ['right, as text', '{"file_path": "a.txt"}', undefined],
    ['with null for nothing', { file_path: 'a.txt', limit: null }, undefined],
    ['with a number as text', { file_path: 'a.txt', limit: '1' }, true],
    ['as broken text', "{'file_path': 'a.txt'}", true],
    ['inside of a schema', { type: 'object', properties: { file_path: 'a.txt' } }, true],
    ['in a list', { file_path: ['a.txt'] }, true],
  ])('whose arguments came %s says whether they were repaired', async (_how, args, repaired) => {
    const told: unknown[] = [];
    const tell = (request: ToolCallRequest) => told.push(request.repaired);
    await call('read_file', args, { onStart: tell, onFinish: (_result, request) => tell(request) });
    expect(told).toEqual([repaired, repaired]);
  });

  test.each([
    ['not json at all {', 'Invalid arguments for read_file: not valid JSON'],
    [{}, 'Invalid arguments for read_file: file_path is required'],
    [undefined, 'Invalid arguments for read_file: file_path is required'],
    [['a.txt'], 'Invalid arguments for read_file: expected an object'],
    [{ file_path: '' }, 'Invalid arguments for read_file: file_path must not be empty'],
    [
      { file_path: 'a.txt', limit: 'many' },
      'Invalid arguments for read_file: limit: expected number, received "many"',
    ],
    [
      { file_path: 'a.txt', offset: 1.5 },
      'Invalid arguments for read_file: offset: expected integer, received 1.5',
    ],
  ])('with arguments %j is an error that names the field', async (args, message) => {
    const result = await call('read_file', args);
    expect(result.isError).toBe(true);
    expect(result.output).toContain(message);
  });

  test.each([
    ['the schema around the arguments', { type: 'object', properties: { file_path: 'a.txt' } }],
    ['the list around its only value', { file_path: ['a.txt'] }],
    ['the type beside a value', { path: { type: 'string', description: 'The path', value: 'a.txt' } }],
  ])('is read without %s', async (_what, args) => {
    expect(await call('read_file', args)).toMatchObject({
      output: '1 | one\n2 | two\n3 | three',
      isError: false,
    });
  });

  test('of edit_file may give its only edit in a list', async () => {
    const edits = [{ oldText: 'two', newText: '2' }];
    await call('edit_file', { path: 'a.txt', edits });
    expect((await env.readFile('a.txt')).text).toBe('one\n2\nthree\n');
    const several = await call('edit_file', { path: 'a.txt', edits: [...edits, ...edits] });
    expect(several.output).toContain('old_string is required');
  });

  test('may give the content of a JSON file as the value, of no other file', async () => {
    const content = { name: 'x', scripts: {} };
    await call('write_file', { file_path: 'package.json', content });
    expect((await env.readFile('package.json')).text).toBe(`${JSON.stringify(content, undefined, 2)}\n`);
    expect(await call('write_file', { file_path: 'a.txt', content })).toMatchObject({
      output: expect.stringContaining('content: expected string'),
      isError: true,
    });
  });

  test('of a tool that other harnesses have for the end says how to finish', async () => {
    const result = await call('final_answer', { answer: 'ok' });
    expect(result?.output).toMatch(
      /^Unknown tool: final_answer\. Available: .*\. When all is done, answer without/,
    );
  });

  test('of an unknown tool says which ones there are', async () => {
    const result = await call('foo', {});
    expect(result).toMatchObject({ toolName: 'foo', isError: true });
    expect(result.output).toMatch(/^Unknown tool: foo\. Available: read_file, write_file, /);
  });

  test('without a name is an unknown tool too', async () => {
    const nameless = { toolCallId: '1', args: {} } as unknown as ToolCallRequest;
    const [result] = await dispatchToolCalls([nameless], registry, env, { isParallel: true });
    expect(result?.output).toMatch(/^Unknown tool: /);
  });

  test('cannot smuggle arguments in through a prototype', async () => {
    const result = await call('read_file', '{"__proto__": {"file_path": "a.txt"}, "x": 1}');
    expect(result.output).toBe('Invalid arguments for read_file: file_path is required');
  });

  test('that hangs is answered a little after the abort', async () => {
    const stop = new AbortController();
    const tool: RegisteredTool = {
      name: 'hangs',
      description: '',
      schema: z.object({}),
      readOnly: true,
      execute: () => new Promise<string>(() => undefined),
    };
    const [result] = await dispatchToolCalls(
      [{ toolCallId: '1', toolName: 'hangs', args: {} }],
      createToolRegistry([tool]),
      env,
      { signal: stop.signal, abortGraceMs: 20, onStart: () => stop.abort() },
    );
    expect(result).toMatchObject({
      isError: true,
      output: 'Tool error (hangs): the task was stopped during this call; the outcome of the call is unknown',
    });
  });

  test('of a tool that throws is an error result', async () => {
    const result = await call('read_file', { file_path: 'missing.txt' });
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/^Tool error \(read_file\): /);
  });

  test('ignores and logs unknown arguments', async () => {
    const logged: object[] = [];
    const log = (fields: object): void => void logged.push(fields);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    const result = await call('read_file', { file_path: 'a.txt', encoding: 'utf8', limit: null }, { logger });
    expect(result.isError).toBe(false);
    expect(logged).toEqual([{ toolName: 'read_file', ignored: ['encoding'] }]);
  });

  test('keeps the whole output beside the truncated one', async () => {
    const result = await call(
      'read_file',
      { file_path: 'a.txt' },
      { limits: { toolOutputLimits: { read_file: 4 } } },
    );
    expect(result.output).toContain('characters were removed from the middle');
    expect(result.fullOutput).toBe('1 | one\n2 | two\n3 | three');
  });

  test('tells its start with resolved arguments, its output and its end', async () => {
    const seen: unknown[] = [];
    await call(
      'bash',
      { cmd: 'echo hi' },
      {
        onStart: ({ toolName, args }) => seen.push([toolName, args]),
        onFinish: ({ isError }) => seen.push(isError),
      },
    );
    expect(seen).toEqual([['shell', { command: 'echo hi' }], false]);
  });

  test('is not disturbed by a listener that throws at its end', async () => {
    const result = await call(
      'read_file',
      { file_path: 'a.txt' },
      {
        onFinish: () => {
          throw new Error('listener');
        },
      },
    );
    expect(result.isError).toBe(false);
  });
});

describe('a round', () => {
  test('runs consecutive read-only calls at the same time, and a writer alone', async () => {
    const reader = gate('reader', true);
    const writer = gate('writer', false);
    const tools = createToolRegistry([reader.tool, writer.tool]);
    const calls = [
      ['reader', 'r1'],
      ['reader', 'r2'],
      ['writer', 'w1'],
      ['reader', 'r3'],
    ].map(([toolName, id]) => ({ toolCallId: id!, toolName: toolName!, args: { id } }));
    const running = dispatchToolCalls(calls, tools, env, { isParallel: true });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect([reader.started, writer.started]).toEqual([['r1', 'r2'], []]);
    reader.releaseAll();
    await turn();
    expect([reader.started, writer.started]).toEqual([['r1', 'r2'], ['w1']]);
    writer.releaseAll();
    await turn();
    expect(reader.started).toEqual(['r1', 'r2', 'r3']);
    reader.releaseAll();
    expect((await running).map(({ output }) => output)).toEqual(['r1', 'r2', 'w1', 'r3']);
  });

  test('runs no more than sixteen at the same time', async () => {
    const reader = gate('reader', true);
    const tools = createToolRegistry([reader.tool]);
    const calls = Array.from({ length: 40 }, (_, id) => ({
      toolCallId: `${id}`,
      toolName: 'reader',
      args: { id: `${id}` },
    }));
    const running = dispatchToolCalls(calls, tools, env, { isParallel: true });
    const counts: number[] = [];
    while (counts.at(-1) !== 40) {
      await new Promise((resolve) => setImmediate(resolve));
      counts.push(reader.started.length);
      reader.releaseAll();
    }
    expect(counts).toEqual([16, 32, 40]);
    expect(await running).toHaveLength(40);
  });

  test('without parallel calls runs one after the other', async () => {
    const reader = gate('reader', true);
    const tools = createToolRegistry([reader.tool]);
    const calls = ['r1', 'r2'].map((id) => ({ toolCallId: id, toolName: 'reader', args: { id } }));
    const running = dispatchToolCalls(calls, tools, env, { isParallel: false });
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.started).toEqual(['r1']);
    reader.releaseAll();
    await new Promise((resolve) => setImmediate(resolve));
    reader.releaseAll();
    expect(await running).toHaveLength(2);
  });

  test('that is aborted still gives every call one result', async () => {
    const stop = new AbortController();
    const calls = [
      { toolCallId: '1', toolName: 'shell', args: { command: 'sleep 30' } },
      { toolCallId: '2', toolName: 'write_file', args: { file_path: 'b.txt', content: 'x' } },
      { toolCallId: '3', toolName: 'foo', args: {} },
    ];
    const running = dispatchToolCalls(calls, registry, env, {
      signal: stop.signal,
      onStart: () => setImmediate(() => stop.abort()),
    });
    const results = await running;
    expect(results.map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['1', true],
      ['2', true],
      ['3', true],
    ]);
    expect(await env.fileExists('b.txt')).toBe(false);
  });
});
