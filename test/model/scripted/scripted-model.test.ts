import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createOllamaServer } from '../../../sidecar/model/ollama-server.ts';
import { isScriptedVersion } from '../../../sidecar/model/scripted/models.ts';
import { ScenarioError } from '../../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel, type ScriptedModelServer } from '../../../sidecar/model/scripted/server.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { say, testModel } from '../../support/scripted-model.ts';
import { tempFolders } from '../../support/temp-folder.ts';
import { quiet } from '../../support/until.ts';

const user = (content: string) => ({ role: 'user', content });
const assistant = (content = '') => ({ role: 'assistant', content });
const tool = (content: string) => ({ role: 'tool', content, tool_name: 'x' });
const tools = [{ type: 'function', function: { name: 'x', description: '', parameters: {} } }];

interface Answer {
  status: number;
  error?: string;
  message?: { content: string; tool_calls?: unknown[] };
  prompt_eval_count?: number;
  done_reason?: string;
}
/** Asks without streaming; the default model. */
async function ask({ url }: ScriptedModelServer, messages: object[], more: object = {}): Promise<Answer> {
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({ model: 'scripted', messages, stream: false, ...more }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}
const contentOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).message?.content;

describe('which turn a request gets', () => {
  const said = (...contents: string[]) => contents.map(say);

  test('follows from the assistant messages in the conversation, so a restart changes nothing', async () => {
    const scenario = { turns: said('one', 'two', 'three') };
    const first = await testModel(scenario);
    expect(await contentOf(first, [user('go')])).toBe('one');
    expect(await contentOf(first, [user('go'), assistant(), tool('r')])).toBe('two');
    await first.close();
    const second = await testModel(scenario);
    expect(await contentOf(second, [user('go'), assistant(), tool('r'), assistant(), tool('r')])).toBe(
      'three',
    );
    expect(await contentOf(second, [user('go')])).toBe('one');
  });

  test('of parallel tasks is chosen by what their first message says', async () => {
    const server = await testModel({
      scripts: [
        { when: { firstUser: 'TASK-A' }, turns: said('a1', 'a2') },
        { when: { firstUser: 'TASK-B' }, turns: said('b1', 'b2') },
      ],
      turns: said('other'),
    });
    const conversations = [
      [user('do TASK-A')],
      [user('do TASK-B'), assistant(), user('TASK-A')],
      [user('hm')],
    ];
    const answers = await Promise.all(conversations.map((messages) => contentOf(server, messages)));
    expect(answers).toEqual(['a1', 'b2', 'other']);
  });

  test('a rule goes before the scripts at any position', async () => {
    const server = await testModel({
      rules: [{ when: { lastToolResult: 'ENOENT' }, reply: { content: 'look elsewhere' } }],
      turns: said('one', 'two'),
    });
    expect(await contentOf(server, [user('go'), assistant(), tool('ENOENT: no such file')])).toBe(
      'look elsewhere',
    );
    expect(await contentOf(server, [user('go'), assistant(), tool('fine')])).toBe('two');
  });

  test.each([
    [{ system: 'planner' }, { messages: [{ role: 'system', content: 'a planner' }, user('x')] }],
    [{ lastMessage: 'now' }, { messages: [user('later'), user('now')] }],
    [{ contains: 'needle' }, { messages: [user('hay needle'), assistant(), user('x')] }],
    [{ tools: true }, { messages: [user('x')], tools }],
    [{ format: true }, { messages: [user('x')], format: {} }],
    [{ model: 'other' }, { messages: [user('x')], model: 'other' }],
  ])('%j looks at the request', async (when, { messages, ...more }) => {
    const server = await testModel({
      models: [{ name: 'scripted' }, { name: 'other' }],
      rules: [{ when, reply: { content: 'rule', verbatim: true } }],
      turns: [{ reply: { content: 'no rule' }, repeat: 'always' }],
    });
    expect(await contentOf(server, messages, more)).toBe('rule');
    expect(await contentOf(server, [user('x')])).toBe('no rule');
  });

  test('turns repeat, and asking past the end is a clear refusal', async () => {
    const server = await testModel({
      turns: [{ reply: { content: 'a' }, repeat: 2 }, { reply: { content: 'b' } }],
    });
    const history = [user('go'), assistant(), assistant(), assistant()];
    expect(await contentOf(server, history.slice(0, 2))).toBe('a');
    expect(await contentOf(server, history.slice(0, 3))).toBe('b');
    expect(await ask(server, history)).toMatchObject({
      status: 400,
      error: 'scripted model: script "turns" has no turn 4',
    });
  });

  test('can count requests instead, where a conversation is shortened', async () => {
    const server = await testModel({ scripts: [{ position: 'requests', turns: said('one', 'two') }] });
    expect(await contentOf(server, [user('go')])).toBe('one');
    expect(await contentOf(server, [user('go')])).toBe('two');
    expect(await contentOf(server, [user('another task')])).toBe('one');
  });
});

describe('what a reply says', () => {
  test('is filled in from the request, in arguments too', async () => {
    const server = await testModel({
      turns: [
        {
          reply: {
            content:
              '{{lastToolResult|line (\\d+)}} of {{model}}, turn {{turn}}, {{constructor}}, {{firstUser|nothing}}',
            tool_calls: [{ name: 'x', arguments: { paths: ['{{firstUser|\\S+\\.ts}}'] } }],
          },
          repeat: 'always',
        },
      ],
    });
    const answer = await ask(server, [user('fix a.ts now'), assistant(), tool('error in line 12')], {
      tools,
    });
    expect(answer.message).toEqual({
      role: 'assistant',
      content: '12 of scripted, turn 2, {{constructor}}, ',
      tool_calls: [{ function: { name: 'x', arguments: { paths: ['a.ts'] } } }],
    });
  });

  test('takes the shape that a request without tools asks for', async () => {
    const server = await testModel({
      turns: [
        { reply: { tool_calls: [{ name: 'x', arguments: { a: 1 } }] } },
        { reply: { content: 'finished' } },
      ],
    });
    const format = { type: 'object' };
    expect(await contentOf(server, [user('go')], { format })).toBe(
      '{"tool_calls":[{"name":"x","parameters":{"a":1}}]}',
    );
    expect(await contentOf(server, [user('go'), assistant()], { format })).toBe('{"response":"finished"}');
    expect(await contentOf(server, [user('go'), assistant()])).toBe('finished');
  });

  test('has counts like a real one: a quarter of the characters, or what the turn says', async () => {
    const server = await testModel({ turns: [{ reply: { content: 'x' } }, { tokensIn: 77, tokensOut: 5 }] });
    const [short, long] = [
      await ask(server, [user('x'.repeat(100))]),
      await ask(server, [user('x'.repeat(500))]),
    ];
    expect(long.prompt_eval_count! - short.prompt_eval_count!).toBe(100);
    expect(await ask(server, [user('x'), assistant()])).toMatchObject({
      prompt_eval_count: 77,
      eval_count: 5,
    });
  });
});

describe('faults', () => {
  test('wear off one by one, for each conversation by itself', async () => {
    const server = await testModel({
      turns: [
        {
          reply: { content: 'ok' },
          faults: [
            { kind: 'status', status: 500, times: 2 },
            { kind: 'status', status: 503 },
          ],
        },
      ],
    });
    const statuses = async (text: string) => {
      const seen: number[] = [];
      for (let request = 0; request < 4; request += 1) seen.push((await ask(server, [user(text)])).status);
      return seen;
    };
    expect(await statuses('a')).toEqual([500, 500, 503, 200]);
    expect(await statuses('b')).toEqual([500, 500, 503, 200]);
  });

  test('can be shown by every endpoint', async () => {
    const server = await testModel({
      turns: [{}],
      endpoints: { '/api/tags': [{ kind: 'status', status: 500 }] },
    });
    const client = createOllamaServer({ baseUrl: server.url });
    expect(await client.list()).toMatchObject({ ok: false, failure: { httpStatus: 500 } });
    expect(await client.list()).toMatchObject({ ok: true });
  });
});

describe('the models of the server', () => {
  test('are loaded with the window asked for and unloaded with keep_alive 0', async () => {
    const server = await testModel({ turns: [{}] });
    const client = createOllamaServer({ baseUrl: server.url });
    expect(await ask(server, [], { options: { num_ctx: 9000 } })).toMatchObject({ done_reason: 'load' });
    expect(await client.listLoaded()).toMatchObject({ ok: true, value: [{ contextLength: 9000 }] });
    expect(await ask(server, [], { keep_alive: 0 })).toMatchObject({ done_reason: 'unload' });
    expect(await client.listLoaded()).toEqual({ ok: true, value: [] });
  });

  test('without tools refuse them, as Ollama does', async () => {
    const server = await testModel({
      models: [{ name: 'scripted', capabilities: ['completion'] }],
      turns: [{}],
    });
    expect(await ask(server, [user('x')], { tools })).toMatchObject({
      status: 400,
      error: 'registry.ollama.ai/library/scripted does not support tools',
    });
  });

  test('can always be told from real ones', async () => {
    const server = await testModel({ turns: [{}] });
    const client = createOllamaServer({ baseUrl: server.url });
    const version = await client.version();
    expect(version.ok && isScriptedVersion(version.value)).toBe(true);
    expect(isScriptedVersion('0.12.3')).toBe(false);
  });
});

describe('recording', () => {
  test('waits for a request that has not come yet, by number and by content', async () => {
    const server = await testModel({ turns: [{ repeat: 'always' }] });
    const second = server.waitForRequest(2);
    const wanted = server.waitForRequest(({ body }) => JSON.stringify(body).includes('needle'));
    await ask(server, [user('first')]);
    await ask(server, [user('needle')]);
    expect(await wanted).toBe(await second);
    expect(await second).toMatchObject({ method: 'POST', path: '/api/chat', closedEarly: false });
    await expect(server.waitForRequest(3, 10)).rejects.toThrow(
      'no such request within 10 ms; came: /api/chat, /api/chat',
    );
  });

  test('a close of the server itself is not a close of the caller', async () => {
    const server = await testModel({ turns: [{ faults: [{ kind: 'silent' }] }] });
    const asking = ask(server, [user('x')]).catch((error: unknown) => error);
    const request = await server.waitForRequest(1);
    await server.close();
    await asking;
    await request.ended;
    expect(request.closedEarly).toBe(false);
  });
});

describe('scenario files', () => {
  const folder = tempFolders();

  test('are read from disk', async () => {
    const path = join(folder(), 'scenario.json');
    await writeFile(path, JSON.stringify({ turns: [{ reply: { content: 'from a file' } }] }));
    expect(await contentOf(await testModel(path), [user('x')])).toBe('from a file');
  });

  test.each([
    ['{"turns": [', 'not readable as JSON'],
    ['{"turn": []}', 'turn'],
    ['{"turns": [{"reply": {"contents": "x"}}]}', 'turns[0].reply'],
    ['{"turns": [{"faults": [{"kind": "explode"}]}]}', 'turns[0].faults[0].kind'],
  ])('%s is refused with what is wrong', async (text, said) => {
    const path = join(folder(), 'bad.json');
    await writeFile(path, text);
    const starting = startScriptedModel({ scenario: path });
    await expect(starting).rejects.toThrow(ScenarioError);
    await expect(starting).rejects.toThrow(said);
  });
});

/** A scripted server whose calls cost what they would on a card; time is the test's. */
const PROMPT = 'x'.repeat(4_000);

async function open(card: { slots?: number; loadedModels?: number }) {
  const clock = new ManualClock();
  const server = await startScriptedModel({
    clock,
    scenario: {
      models: [
        { name: 'a', loadMs: 8_000 },
        { name: 'b', loadMs: 8_000 },
      ],
      card,
      speed: { promptTokensPerSecond: 1_000, tokensPerSecond: 50 },
      turns: [{ reply: { content: 'y'.repeat(400) }, tokensIn: 1_000, tokensOut: 100, repeat: 'always' }],
    },
  });
  const client = createOllamaServer({ baseUrl: server.url });
  const ask = (model: string, text: string, signal?: AbortSignal) =>
    client.chat(
      { model, messages: [{ role: 'user', content: text + PROMPT }], stream: false },
      signal ? { signal } : {},
    );
  return { clock, server, ask };
}

/** Lets time pass in steps, so that what one call sets off has arrived before the next step. */
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await quiet();
    await clock.advance(1_000);
  }
  await quiet();
}

const callsOf = ({ workLog }: ScriptedModelServer) => workLog.filter(({ isLoad }) => !isLoad);
const tookMs = (server: ScriptedModelServer) =>
  callsOf(server).map(({ startedMs, endedMs }) => endedMs - startedMs);

describe('a card', () => {
  test('takes the time of reading and writing, and reads once what its slot knows', async () => {
    const { clock, server, ask } = await open({});
    const answers = [ask('a', '')];
    await pass(clock, 12);
    answers.push(ask('a', ''));
    await pass(clock, 12);
    const [first, second] = await Promise.all(answers);
    expect(first).toMatchObject({ ok: true, value: { loadNs: 8e9, promptEvalNs: 1e9, evalNs: 2e9 } });
    expect(second).toMatchObject({ ok: true, value: { tokensIn: 1_000, promptEvalNs: 1e6 } });
    expect(tookMs(server)).toEqual([3_000, 2_001]);
    await server.close();
  });

  test('has so many slots; what comes later waits, and finds what its slot has read', async () => {
    const { clock, server, ask } = await open({ slots: 2 });
    const answers = ['1', '2', '1', '3'].map((text) => ask('a', text));
    await pass(clock, 16);
    await Promise.all(answers);
    expect(
      callsOf(server)
        .map(({ startedMs }) => startedMs)
        .toSorted((x, y) => x - y),
    ).toEqual([8_000, 8_000, 11_000, 11_000]);
    // One of the two that came later found what it had read before.
    expect(
      callsOf(server)
        .map(({ readTokens }) => readTokens)
        .toSorted((x, y) => x - y)[0],
    ).toBe(1);
    await server.close();
  });

  test('another model waits for the end of calls, and goes before what came later', async () => {
    const { clock, server, ask } = await open({ slots: 2 });
    const answers = [ask('a', '1')];
    await pass(clock, 9);
    answers.push(ask('b', '2'));
    await quiet(40);
    answers.push(ask('a', '3'));
    await pass(clock, 30);
    await Promise.all(answers);
    expect(server.workLog.map(({ model, isLoad }) => (isLoad ? `load ${model}` : model))).toEqual([
      'load a',
      'a',
      'load b',
      'b',
      'load a',
      'a',
    ]);
    await server.close();
  });

  test('a call that is given up leaves its slot', async () => {
    const { clock, server, ask } = await open({});
    const cancel = new AbortController();
    const given = ask('a', '1', cancel.signal);
    await pass(clock, 9);
    const next = ask('a', '2');
    await quiet();
    cancel.abort();
    expect(await given).toMatchObject({ ok: false, failure: { code: 'aborted' } });
    await pass(clock, 4);
    expect(await next).toMatchObject({ ok: true });
    await server.close();
  });
});
