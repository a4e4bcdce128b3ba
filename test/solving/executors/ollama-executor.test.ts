import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { LocalExecutionEnvironment } from '../../../sidecar/workspace/local-environment.ts';
import { OllamaExecutor } from '../../../sidecar/solving/executors/ollama-executor.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { keptLog } from '../../support/kept-log.ts';
import { loopAlone } from '../../support/loop-alone.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
let dir: string;
beforeEach(() => {
  dir = folder();
});

async function run(turns: ScenarioInput['turns'], options: Partial<RunOptions> = {}) {
  const server = await testModel(scenario(turns));
  const { result, events } = await execute({ server, dir, ...options });
  return { result, events, chats: chatsOf(server) };
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
    expect(chats.every(({ stream }) => stream)).toBe(true);
  });

  test('messages are only appended, and tools and options stay the same', async () => {
    const { chats } = await run([
      call('list_directory'),
      call('write_file', { file_path: 'b', content: 'x' }),
      call('shell', { command: 'ls' }),
      say('done'),
    ]);
    for (const [index, body] of chats.slice(1).entries()) {
      const before = chats[index]!;
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
    expect(chats[1]?.messages.at(-1)?.content).toContain('out.txt');
  });

  test('what was done counts though the cleaning up fails', async () => {
    const server = await testModel(
      scenario([call('write_file', { file_path: 'a', content: 'x' }), say('Done.')]),
    );
    const logger = keptLog();
    const executor = new OllamaExecutor({ config: { ...loopAlone, sandbox: { mode: 'off' } }, logger });
    const environment = new LocalExecutionEnvironment({ workspace: dir, sandbox: 'off' });
    const cleanup = environment.cleanup.bind(environment);
    environment.cleanup = async () => {
      await cleanup();
      throw new Error('EBUSY: /tmp/x');
    };
    const task = {
      task_id: 't1',
      description: 'Do it',
      agentic: true,
      routing_decision: { selected_model: 'm' },
    };
    const config = { repo_dir: dir, ollama_url: server.url, environment };
    const result = await executor.execute(task, config);
    expect(result).toMatchObject({ status: 'success', changes: { files: [{ path: 'a' }] } });
    expect(logger.shown).toContainEqual(expect.objectContaining({ reason: 'Error: EBUSY: /tmp/x' }));
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
      verification_attempts: 1,
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

  test('eight rounds that change and show nothing end it, after a message at five', async () => {
    const turns = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => call('shell', { command: `test ${n} -gt 0` }));
    const { result, chats } = await run(turns);
    expect(result.termination_reason).toBe('stall');
    expect(result.iterations_used).toBe(8);
    const told = chats.map((body) => JSON.stringify(body).includes('No file has changed in 5 rounds'));
    expect(told.indexOf(true)).toBe(5);
    expect(JSON.stringify(chats.at(-1))).toContain('After 3 more such rounds the task is stopped.');
  });

  test.each<[string, (n: number) => ReturnType<typeof call>]>([
    ['read_file', (n) => call('read_file', { file_path: `${n}.txt` })],
    ['a command', (n) => call('shell', { command: `cat ${n}.txt` })],
  ])('a task that reads eight files before it changes one goes on: %s', async (_how, read) => {
    const files = [1, 2, 3, 4, 5, 6, 7, 8];
    await Promise.all(files.map((n) => writeFile(join(dir, `${n}.txt`), `text ${n}\n`)));
    const write = call('write_file', { file_path: 'all.txt', content: 'x' });
    const { result, chats } = await run([...files.map(read), write, say('done')]);
    expect(result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 10 });
    expect(JSON.stringify(chats.at(-1))).not.toContain('No file has changed');
  });

  test('reading the same again is no progress', async () => {
    await writeFile(join(dir, 'a.txt'), '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    const whole = call('read_file', { file_path: 'a.txt' });
    const parts = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => call('read_file', { file_path: 'a.txt', offset: n }));
    const { result } = await run([whole, ...parts]);
    expect(result).toMatchObject({ termination_reason: 'stall', iterations_used: 9 });
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
    expect(chats.at(-1)).not.toHaveProperty('tools');
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'done' });
  });

  test('a model server that is not there is a failed result that says so', async () => {
    const { result } = await run([say('x')], { execute: { ollama_url: 'http://127.0.0.1:9' } });
    expect(result.status).toBe('failed');
    expect(result.error).toMatch(/^model_error after 0 iterations: .*127\.0\.0\.1:9/u);
  });

  test('cancelling stops the command that runs', async () => {
    const controller = new AbortController();
    const { result } = await run([call('shell', { command: 'sleep 60', timeout_ms: 90_000 })], {
      execute: { signal: controller.signal },
      onProgress: ({ phase }) => {
        if (phase === 'started') controller.abort();
      },
    });
    expect(result.termination_reason).toBe('cancelled');
  });
});

describe('a simple task', () => {
  test('is one streamed answer without tools', async () => {
    const { result, chats, events } = await run([say('The answer is 42.')], { task: { agentic: false } });
    expect(result).toMatchObject({ status: 'success', output: 'The answer is 42.', iterations_used: 1 });
    expect(chats).toHaveLength(1);
    expect(chats[0]).toMatchObject({ stream: true });
    expect(chats[0]).not.toHaveProperty('tools');
    const text = events.filter((e) => e.event_type === 'token').map((e) => e.text);
    expect(text.join('')).toBe('The answer is 42.');
  });
});

describe('a task that is a shell command', () => {
  test('is refused: it needs no model', async () => {
    const { result, chats } = await run([say('-')], {
      task: {
        agentic: undefined,
        routing_decision: { target_type: 'sidecar' },
        metadata: { shell_command: 'echo no' },
      },
    });
    expect(result.status).toBe('failed');
    expect(result.error).toContain('unsupported_target_type:sidecar');
    expect(chats).toEqual([]);
  });
});
