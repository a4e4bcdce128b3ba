import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { OllamaExecutor, type ExecuteConfig } from '../../sidecar/execution/ollama-executor.ts';
import type { ExecutionEvent } from '../../sidecar/protocol/events.ts';
import type { TaskInput } from '../../sidecar/protocol/task.ts';
import { startScriptedModel } from '../../sidecar/scripted-model/server.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';

let dir: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidecar-executor-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await rm(dir, { recursive: true, force: true });
});

const call = (name: string, args: Record<string, unknown> = {}) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
const say = (content: string) => ({ reply: { content } });

async function run(
  turns: ScenarioInput['turns'],
  options: { task?: Partial<TaskInput>; config?: ExecuteConfig; scenario?: ScenarioInput } = {},
) {
  const server = await startScriptedModel({
    scenario: { models: [{ name: 'm' }], turns, ...options.scenario },
  });
  closers.push(() => server.close());
  const events: ExecutionEvent[] = [];
  const executor = new OllamaExecutor({ config: { sandbox: { mode: 'off' } } });
  const result = await executor.execute(
    {
      task_id: 't1',
      description: 'Do it',
      agentic: true,
      routing_decision: { selected_model: 'm' },
      ...options.task,
    },
    { repo_dir: dir, ollama_url: server.url, ...options.config },
    (event) => events.push(event),
  );
  const chats = server.requests.filter(({ path, body }) => path === '/api/chat' && hasMessages(body));
  return { result, events, server, chats };
}

function hasMessages(body: unknown): boolean {
  return ((body as { messages?: unknown[] }).messages?.length ?? 0) > 0;
}

describe('an agentic task', () => {
  test('runs tools, answers and reports what it changed', async () => {
    await writeFile(join(dir, 'a.txt'), 'one\n');
    const { result, events, chats } = await run([
      call('read_file', { file_path: 'a.txt' }),
      call('edit_file', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
      call('shell', { command: 'cat a.txt' }),
      say('Changed one to two.'),
    ]);
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'unverified',
      termination_reason: 'final_answer',
      output: 'Changed one to two.',
      iterations_used: 4,
      model_used: 'm',
      changes: { files: [{ path: 'a.txt', status: 'modified', additions: 1, deletions: 1 }] },
    });
    expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('two\n');
    expect(result.tokens_in).toBeGreaterThan(0);
    const finished = events.filter(
      ({ phase, event_type }) => phase === 'finished' && event_type === 'tool_call',
    );
    expect(finished.map(({ tool_name, success, iteration }) => [tool_name, success, iteration])).toEqual([
      ['read_file', true, 1],
      ['edit_file', true, 2],
      ['shell', true, 3],
    ]);
    expect(finished[0]?.text).toMatch(/^read_file a\.txt → OK: .+ \(\d+ ms\)$/u);
    expect(chats.every(({ body }) => !(body as { stream: boolean }).stream)).toBe(true);
  });

  test('messages are only appended, and tools and options stay the same', async () => {
    const { chats } = await run([
      call('list_directory'),
      call('write_file', { file_path: 'b', content: 'x' }),
      call('shell', { command: 'ls' }),
      say('done'),
    ]);
    const bodies = chats.map(({ body }) => body as { messages: unknown[]; tools: unknown; options: unknown });
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index]!;
      expect(body.messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect(body.tools).toEqual(before.tools);
      expect(body.options).toEqual(before.options);
    }
  });

  test('checks that fail lead to a corrective round; what passes then is verified', async () => {
    const { result, chats } = await run(
      [say('Done.'), call('write_file', { file_path: 'out.txt', content: 'ok\n' }), say('Now it is there.')],
      { task: { verification_steps: [{ type: 'file_exists', target: 'out.txt' }] } },
    );
    expect(result).toMatchObject({
      status: 'success',
      verification_status: 'verified',
      verification_attempts: 2,
    });
    const messages = (chats[1]!.body as { messages: { role: string; content: string }[] }).messages;
    expect(messages.at(-1)?.content).toContain('out.txt');
  });

  test('partial work is reported with a follow-up that can be submitted', async () => {
    const { result } = await run(
      [
        call('write_file', { file_path: 'a', content: 'x' }),
        say('Half of it.'),
        say('Still half.'),
        say('Sorry.'),
      ],
      {
        task: {
          verification_steps: [
            { type: 'file_exists', target: 'a' },
            { type: 'file_exists', target: 'b' },
          ],
        },
      },
    );
    expect(result).toMatchObject({
      status: 'partial',
      verification_status: 'partial_pass',
      verification_attempts: 3,
    });
    expect(result.completed).toHaveLength(1);
    expect(result.remaining).toHaveLength(1);
    expect(result.follow_up?.metadata).toMatchObject({ follow_up_of: 't1', follow_up_depth: 1 });
  });

  test.each<[string, ScenarioInput['turns'], string]>([
    ['repetition', [{ ...call('glob', { pattern: '*' }), repeat: 'always' }], 'repetition'],
    ['two nudges, then the end', [{ ...say(''), repeat: 'always' }], 'nudge_exhausted'],
  ])('a forced stop: %s', async (_name, turns, reason) => {
    const { result, events } = await run(turns);
    expect(result.termination_reason).toBe(reason);
    expect(result.status).toBe('failed');
    expect(events.some(({ text }) => text.startsWith('Stopped: '))).toBe(true);
  });

  test('five rounds without a change end it, after a warning', async () => {
    const turns = [1, 2, 3, 4, 5, 6].map((n) => call('shell', { command: `echo ${n}` }));
    const { result, chats } = await run(turns);
    expect(result.termination_reason).toBe('stall');
    expect(result.iterations_used).toBe(5);
    const all = JSON.stringify(chats.at(-1)!.body);
    expect(all).toContain('No file has changed');
  });

  test('a change by a shell command counts as one', async () => {
    const turns = [1, 2, 3, 4, 5, 6].map((n) => call('shell', { command: `echo ${n} > f${n}` }));
    const { result } = await run([...turns, say('done')]);
    expect(result.termination_reason).toBe('final_answer');
  });

  test('the iteration limit', async () => {
    const turns = [1, 2, 3, 4].map((n) => call('shell', { command: `echo ${n} > f${n}` }));
    const { result } = await run(turns, { task: { metadata: { max_iterations: 3 } } });
    expect(result).toMatchObject({
      termination_reason: 'max_iterations',
      iterations_used: 3,
      status: 'partial',
    });
  });

  test('malformed answers switch native mode to structured mode', async () => {
    const both = '{"tool_calls": [{"name": "glob", "parameters": {"pattern": "*"}}], "response": "done"}';
    const broken = say(both);
    const { result, chats, events } = await run([broken, broken, say('{"response": "done"}')]);
    expect(events.some(({ text }) => text.includes('structured'))).toBe(true);
    expect(chats.at(-1)!.body).not.toHaveProperty('tools');
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'done' });
  });

  test('a model server that is not there is a failed result that says so', async () => {
    const { result } = await run([say('x')], { config: { ollama_url: 'http://127.0.0.1:9' } });
    expect(result.status).toBe('failed');
    expect(result.error).toMatch(/^model_error after 0 iterations: .*127\.0\.0\.1:9/u);
  });

  test('cancelling stops the command that runs', async () => {
    const controller = new AbortController();
    const server = await startScriptedModel({
      scenario: {
        models: [{ name: 'm' }],
        turns: [call('shell', { command: 'sleep 60', timeout_ms: 90_000 })],
      },
    });
    closers.push(() => server.close());
    const result = await new OllamaExecutor({ config: { sandbox: { mode: 'off' } } }).execute(
      { task_id: 't', description: 'x', agentic: true, routing_decision: { selected_model: 'm' } },
      { repo_dir: dir, ollama_url: server.url, signal: controller.signal },
      (event) => {
        if (event.phase === 'started') controller.abort();
      },
    );
    expect(result.termination_reason).toBe('cancelled');
  });
});

describe('a simple task', () => {
  test('is one streamed answer without tools', async () => {
    const { result, chats, events } = await run([say('The answer is 42.')], { task: { agentic: false } });
    expect(result).toMatchObject({ status: 'success', output: 'The answer is 42.', iterations_used: 1 });
    expect(chats).toHaveLength(1);
    expect(chats[0]!.body).toMatchObject({ stream: true });
    expect(chats[0]!.body).not.toHaveProperty('tools');
    const text = events.filter((e) => e.event_type === 'token').map((e) => e.text);
    expect(text.join('')).toBe('The answer is 42.');
  });
});

describe('a shell task', () => {
  const shell = (command: string): Partial<TaskInput> => ({
    agentic: undefined,
    routing_decision: { target_type: 'sidecar' },
    metadata: { shell_command: command },
  });

  test('runs its command and streams what it prints', async () => {
    const { result, events } = await run([say('-')], { task: shell('echo hello') });
    expect(result).toMatchObject({ status: 'success', output: expect.stringContaining('hello') });
    expect(events).toContainEqual(expect.objectContaining({ event_type: 'stdout', text: 'hello\n' }));
  });

  test('fails with the exit code when the command fails', async () => {
    const { result } = await run([say('-')], { task: shell('echo no >&2; exit 3') });
    expect(result.status).toBe('failed');
    expect(result.error).toContain('exit code 3');
  });
});
