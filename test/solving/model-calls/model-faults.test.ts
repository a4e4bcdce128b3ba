import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/base/config/schema.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import type { ScriptedModelServer } from '../../../sidecar/model/scripted/server.ts';
import { hastyClock } from '../../support/hasty-clock.ts';
import { call, chatsOf, isChat, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { slowness } from '../../support/pace.ts';

const folder = tempFolders();

async function run(input: ScenarioInput, options: Partial<RunOptions> = {}) {
  const server = await testModel(input);
  const dir = folder();
  const { result, events } = await execute({
    server,
    dir,
    ...options,
    deps: { clock: hastyClock, ...options.deps },
  });
  const statuses = events.filter(({ event_type: type }) => type === 'status').map(({ text }) => text);
  return { dir, server, result, statuses, chats: chatsOf(server) };
}

type Fault = NonNullable<NonNullable<ScenarioInput['turns']>[number]['faults']>[number];
const write = call('write_file', { file_path: 'done.txt', content: 'x' });
const whole: ConfigInput = { ollama: { streamAgentic: false } };

describe('faults that pass are retried, and the work goes on', () => {
  test.each<[string, Fault[], ConfigInput]>([
    [
      'whole answers: status 500 and 503, cut off, without a final done, never coming',
      [
        { kind: 'status', status: 500, body: { error: 'the runner ended' } },
        { kind: 'status', status: 503, body: { error: 'server busy' } },
        { kind: 'cut' },
        { kind: 'no_done' },
        { kind: 'silent' },
      ],
      whole,
    ],
    [
      'streams: cut off, without a final done, with an error, stalling, garbage, never beginning',
      [
        { kind: 'cut' },
        { kind: 'no_done' },
        { kind: 'error_line' },
        { kind: 'stall' },
        { kind: 'garbage' },
        { kind: 'silent' },
      ],
      {},
    ],
  ])('%s', async (_name, faults, config) => {
    const turns = faults.map((fault, index) => ({
      ...call('write_file', { file_path: `${index}.txt`, content: 'x' }),
      faults: [fault],
    }));
    const { result, statuses, chats } = await run(scenario([...turns, say('All done.')]), { config });
    expect(result).toMatchObject({
      termination_reason: 'final_answer',
      output: 'All done.',
      iterations_used: faults.length + 1,
    });
    expect(statuses.filter((text) => text.includes('retry 1 of 2'))).toHaveLength(faults.length);
    expect(chats).toHaveLength(2 * faults.length + 1);
    for (const index of faults.keys()) expect(chats[2 * index + 1]).toEqual(chats[2 * index]);
  });
});

test('an idle connection that the server has closed costs no retry', async () => {
  const { result, statuses } = await run(
    scenario([write, { ...say('All done.'), faults: [{ kind: 'reset' }] }]),
  );
  expect(result.output).toBe('All done.');
  expect(statuses.filter((text) => text.includes('retry'))).toEqual([]);
});

describe('a fault that stays ends the task with what was done', () => {
  test.each<[string, Fault, RegExp, ConfigInput?]>([
    ['500', { kind: 'status', status: 500, body: { error: 'the runner ended' } }, /the runner ended/u],
    ['503', { kind: 'status', status: 503, body: 'busy' }, /server is busy/u],
    ['garbage', { kind: 'garbage' }, /did not answer like Ollama/u],
    ['silence', { kind: 'silent' }, /sent no first token within 120000 ms/u],
    ['silence without a stream', { kind: 'silent' }, /sent no answer within 120000 ms/u, whole],
    ['a stalled stream', { kind: 'stall' }, /sent no next token within 60000 ms/u],
  ])('%s: two retries, then model_error', async (_name, fault, why, config = {}) => {
    const turns = [write, { ...say('never'), faults: [{ ...fault, times: 'always' as const }] }];
    const { result, statuses, chats } = await run(scenario(turns), { config });
    expect(result).toMatchObject({
      status: 'partial',
      termination_reason: 'model_error',
      iterations_used: 1,
      changes: { files: [{ path: 'done.txt', status: 'added' }] },
    });
    expect(statuses.at(-1)).toMatch(why);
    // What may be the model's calls is asked for in structured mode before it is the server's failure.
    expect(chats).toHaveLength(_name === '500' ? 6 : 4);
  });

  test('an answer of 50 MB is refused, once, and costs no memory', async () => {
    const huge: Fault = { kind: 'huge', sizeBytes: 50 * 1024 * 1024, times: 'always' };
    const { result, statuses, chats } = await run(scenario([write, { ...say('x'), faults: [huge] }]));
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'model_error' });
    expect(statuses.at(-1)).toMatch(/larger than \d+ bytes/u);
    expect(chats).toHaveLength(2);
  });
});

describe('a server that cannot be used', () => {
  test('nothing listens: tried again, then told with what to do', async () => {
    const gone = await testModel(scenario([write]));
    await gone.close();
    const { result, events } = await execute({ server: gone, dir: folder(), deps: { clock: hastyClock } });
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'model_error' });
    expect(result.error).toMatch(
      /^model_error after 0 iterations: model_unreachable: no Ollama server at .*ollama serve/u,
    );
    expect(events.filter(({ text }) => text.includes('retry'))).toHaveLength(2);
  });

  test('a model that is not installed: the pull command and what is installed', async () => {
    const { result, chats } = await run(scenario([write]), {
      task: { routing_decision: { selected_model: 'nope:7b' } },
    });
    expect(result.error).toMatch(/ollama pull nope:7b/u);
    expect(chats).toHaveLength(0);
  });

  test('a model that was removed in the middle: the pull command, the work kept', async () => {
    const removed: Fault = {
      kind: 'status',
      status: 404,
      body: { error: "model 'm' not found" },
      times: 'always',
    };
    const { result, statuses } = await run(scenario([write, { ...say('x'), faults: [removed] }]));
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'model_error' });
    expect(statuses.at(-1)).toContain('ollama pull m');
  });

  test('a model without tools is asked in structured mode from the start', async () => {
    const models = [{ name: 'm', capabilities: ['completion'] }];
    const { result, chats } = await run(scenario([write, say('Done.')], { models }));
    expect(result.output).toBe('Done.');
    expect(chats.map((body) => [body.tools !== undefined, body.format !== undefined])).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  test('one that refuses tools all the same is asked again in structured mode', async () => {
    const refusal: Fault = { kind: 'status', status: 400, body: { error: 'm does not support tools' } };
    const { result, chats, statuses, dir } = await run(
      scenario([{ ...write, faults: [refusal] }, say('Done.')]),
    );
    expect(result).toMatchObject({ output: 'Done.', iterations_used: 2 });
    expect(statuses.filter((text) => text.startsWith('Switched to structured'))).toHaveLength(1);
    expect(chats.map((body) => body.tools !== undefined)).toEqual([true, false, false]);
    expect(existsSync(join(dir, 'done.txt'))).toBe(true);
  });

  test('a server that is restarted between two calls: loaded again, nothing lost', async () => {
    const input = scenario([write, say('After the restart.')]);
    const first = await testModel(input);
    let second: ScriptedModelServer | undefined;
    const restart = async () => {
      await first.close();
      second = await testModel(input, first.port);
    };
    let restarted: Promise<void> | undefined;
    const { result } = await execute({
      server: first,
      dir: folder(),
      deps: { clock: hastyClock },
      onProgress: ({ phase }) => {
        if (phase === 'finished') restarted ??= restart();
      },
    });
    await restarted;
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'After the restart.' });
    expect(chatsOf(second ?? first)).not.toHaveLength(0);
  });
});

describe('waiting', () => {
  test('slow loading is told every thirty seconds', async () => {
    const models = [{ name: 'm', loadMs: 1_000 }];
    const { result, statuses } = await run(scenario([say('Done.')], { models }));
    expect(result.output).toBe('Done.');
    const waits = statuses.filter((text) => /^Loading m \(\d+ s\)$/u.test(text));
    expect(waits.slice(0, 2)).toEqual(['Loading m (30 s)', 'Loading m (60 s)']);
  });

  test('cancelling closes the connection to the model at once', async () => {
    const server = await testModel(scenario([{ ...say('x'), faults: [{ kind: 'silent' }] }]));
    const controller = new AbortController();
    const running = execute({ server, dir: folder(), execute: { signal: controller.signal } });
    const asked = await server.waitForRequest(isChat);
    const cancelledMs = Date.now();
    controller.abort();
    await asked.ended;
    expect(asked.closedEarly).toBe(true);
    expect((asked.endedAtMs ?? Infinity) - cancelledMs).toBeLessThan(5_000 * slowness());
    expect((await running).result.termination_reason).toBe('cancelled');
  });
});

describe('a conversation that the server finds too long', () => {
  const read = call('read_file', { file_path: 'long.txt' });

  function tooLong(times: number | 'always', error: unknown = 'by its own words'): Fault {
    return { kind: 'status', status: 400, body: { error }, times };
  }
  const rounds = (last: NonNullable<ScenarioInput['turns']>[number]): ScenarioInput => {
    const work = [1, 2, 3, 4, 5].map((n) => call('shell', { command: `seq 1 ${n * 200}; echo ${n} > f` }));
    // Compaction folds rounds away, so the turn is counted by requests.
    return { models: [{ name: 'm' }], scripts: [{ position: 'requests', turns: [...work, last] }] };
  };

  test('is shortened once more than planned and asked again', async () => {
    const { result, chats, statuses } = await run(rounds({ ...say('Fine.'), faults: [tooLong(1)] }));
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'Fine.' });
    const [before, after] = chats.slice(-2).map((body) => JSON.stringify(body.messages).length);
    expect(after).toBeLessThan(before! * 0.75);
    expect(statuses.filter((text) => text.startsWith('Context compacted'))).toHaveLength(1);
  });

  test('ends the task as context_exhausted where that does not help', async () => {
    const { result, chats } = await run(rounds({ ...say('x'), faults: [tooLong('always')] }));
    expect(result).toMatchObject({ status: 'partial', termination_reason: 'context_exhausted' });
    expect(chats).toHaveLength(7);
  });

  test('refused at the first call: nothing can be shortened', async () => {
    const counted = { code: 400, message: 'too long', n_prompt_tokens: 9_999, n_ctx: 8_192 };
    const { result, chats } = await run(scenario([{ ...read, faults: [tooLong('always', counted)] }]));
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'context_exhausted' });
    expect(chats).toHaveLength(1);
  });
});

describe('an answer that was cut off at the length limit', () => {
  const cutOff = (content: string) => ({ reply: { content, verbatim: true }, doneReason: 'length' });

  const HALVES = {
    JSON: '{"name": "write_file", "arguments": {"file_path": "half.txt", "content": "line 1\\nli',
    'a tag of Qwen':
      '<tool_call>\n{"name": "write_file", "arguments": {"file_path": "half.txt", "content": "line 1\\nli',
    'XML of Qwen3-Coder':
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\nhalf.txt\n</parameter>\n<parameter=content>\nline 1\nli',
    'XML whose tags are closed by chance':
      '<tool_call>\n<function=write_file>\n<parameter=file_path>\nhalf.txt\n</parameter>\n<parameter=content>\nli\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<func',
  };

  test('never writes half a file', async () => {
    const turns = Object.values(HALVES).flatMap((half, index) => [
      cutOff(half),
      call('write_file', { file_path: `${index}.txt`, content: 'x' }),
    ]);
    const { result, dir, chats } = await run(scenario([...turns, say('Done.')]));
    expect(readdirSync(dir).toSorted()).toEqual(['0.txt', '1.txt', '2.txt', '3.txt']);
    expect(result.output).toBe('Done.');
    for (const [index, form] of Object.keys(HALVES).entries())
      expect([form, chats[2 * index + 1]?.messages.at(-1)?.content]).toEqual([
        form,
        expect.stringContaining('cut off at the length limit'),
      ]);
  });

  test('in structured mode it is corrected, too', async () => {
    const content =
      '{"tool_calls": [{"name": "write_file", "parameters": {"file_path": "half.txt", "content": "li';
    const { dir, result } = await run(scenario([cutOff(content), write, say('Done.')]), {
      config: { model: { toolMode: 'structured' } },
    });
    expect(existsSync(join(dir, 'half.txt'))).toBe(false);
    expect(result.output).toBe('Done.');
  });

  test('a native call was sent whole, and runs', async () => {
    const { dir, result } = await run(scenario([{ ...write, doneReason: 'length' }, say('Done.')]));
    expect(existsSync(join(dir, 'done.txt'))).toBe(true);
    expect(result.iterations_used).toBe(2);
  });

  test('a final answer is asked for once more in short, and the shorter one counts', async () => {
    const { result } = await run(scenario([write, cutOff('A long story that'), say('Short.')]));
    expect(result).toMatchObject({
      termination_reason: 'final_answer',
      output: 'Short.',
      iterations_used: 3,
    });
  });

  test('a final answer that is cut off again counts as it is', async () => {
    const { result } = await run(scenario([write, cutOff('A long story that'), cutOff('Still a long')]));
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'Still a long' });
  });

  test('a simple task keeps what came and says that it is not whole', async () => {
    const { result, statuses } = await run(scenario([cutOff('Once upon a')]), { task: { agentic: false } });
    expect(result).toMatchObject({ status: 'success', output: 'Once upon a' });
    expect(statuses.at(-1)).toMatch(/cut off at the length limit/u);
  });
});
