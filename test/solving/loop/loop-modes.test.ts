import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/base/config/schema.ts';
import { TaskControl } from '../../../sidecar/solving/task/task-control.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import {
  call,
  calls,
  chatsOf,
  json,
  say,
  scenario,
  testModel,
  verbatim,
} from '../../support/scripted-model.ts';
import { execute, type RunOptions } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();

async function run(input: ScenarioInput, options: Partial<RunOptions> = {}) {
  const server = await testModel(input);
  const dir = options.dir ?? folder();
  const { result, events } = await execute({ server, dir, ...options });
  return { dir, server, result, events, chats: chatsOf(server) };
}

const mode = (toolMode: 'structured' | 'text'): { config: ConfigInput } => ({
  config: { model: { toolMode } },
});
const both = verbatim('{"tool_calls": [{"name": "glob", "parameters": {"pattern": "*"}}], "response": "x"}');

describe.each(['structured', 'text'] as const)('%s mode, the whole loop', (toolMode) => {
  test('the answer is replayed word for word, the results come as one user message', async () => {
    const dir = folder();
    await writeFile(join(dir, 'a.txt'), 'hello\n');
    const answer =
      '{"tool_calls":  [{"name": "read_file", "parameters": {"file_path": "a.txt"}}, {"name": "read_file", "parameters": {"file_path": "no.txt"}}]}';
    const turns = [verbatim(answer), json({ response: 'It says hello.' })];
    const { result, chats } = await run(scenario(turns), { dir, ...mode(toolMode) });
    expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'It says hello.' });
    expect(chats.map((body) => [body.tools, body.format !== undefined])).toEqual([
      [undefined, toolMode === 'structured'],
      [undefined, toolMode === 'structured'],
    ]);
    const [assistant, results] = chats[1]!.messages.slice(-2);
    expect(assistant).toEqual({ role: 'assistant', content: answer });
    expect(results!.role).toBe('user');
    const lines = results!.content.split('\n');
    expect(lines[0]).toBe('Tool results:');
    expect(lines[1]).toMatch(/^\[1\] read_file ✓ /u);
    expect(results!.content).toMatch(/\n\[2\] read_file ❌ Error: /u);
  });

  test('malformed: corrected with the wrong and the right shape, then the work goes on', async () => {
    const wrong = '{"tool_calls": {"name": "glob"}, "response": "x"}';
    const { result, chats } = await run(scenario([verbatim(wrong), json({ response: 'Done.' })]), {
      ...mode(toolMode),
    });
    expect(result.output).toBe('Done.');
    const [replayed, correction] = chats[1]!.messages.slice(-2);
    expect(replayed).toEqual({ role: 'assistant', content: wrong });
    expect(correction!.content).toContain(`Wrong: ${wrong}`);
    expect(correction!.content).toContain('Right, to use tools: {"tool_calls": [');
  });

  test('malformed twice in a row ends it', async () => {
    const { result } = await run(scenario([{ ...both, repeat: 2 }]), mode(toolMode));
    expect(result).toMatchObject({ termination_reason: 'malformed_output', iterations_used: 2 });
  });
});

describe('a question to a person', () => {
  const turns = [json({ request_approval: 'May I?' }), json({ response: 'I did it.' })];
  const hub: ConfigInput = { model: { toolMode: 'structured' }, approval: { question: 'hub' } };

  test('is asked by the policy hub, and the answer goes on in the conversation', async () => {
    const asked: string[] = [];
    const { result, chats } = await run(scenario(turns), {
      config: hub,
      deps: {
        askUser: ({ summary }) => {
          asked.push(summary);
          return Promise.resolve({ ok: true, decision: 'corrected', text: 'Yes, go on.' });
        },
      },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('May I?');
    expect(JSON.stringify(chats[0]!.format)).toContain('request_approval');
    expect(chats[1]!.messages.at(-1)?.content).toContain('Yes, go on.');
    expect(result.output).toBe('I did it.');
  });

  test('is not offered by the policy auto; asked all the same, the model is told to decide itself', async () => {
    const { chats } = await run(scenario(turns), mode('structured'));
    expect(JSON.stringify(chats[0]!.format)).not.toContain('request_approval');
    expect(chats[1]!.messages.at(-1)?.content).toContain('Decide yourself');
  });
});

describe('native mode', () => {
  test('two malformed answers in a row change to structured mode, told and counted once', async () => {
    const { chats, events, result } = await run(scenario([{ ...both, repeat: 2 }, say('Done.')]));
    expect(events.filter(({ text }) => text.startsWith('Switched to structured'))).toHaveLength(1);
    expect(chats.map((body) => [body.tools !== undefined, body.format !== undefined])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(result).toMatchObject({ output: 'Done.', iterations_used: 3 });
  });

  test('one malformed answer and a good one start the count again', async () => {
    const turns = [both, call('glob', { pattern: 'a' }), both, call('glob', { pattern: 'b' }), say('Done.')];
    const { chats } = await run(scenario(turns));
    expect(chats.every((body) => body.tools !== undefined)).toBe(true);
  });

  test('calls found in the content are replayed as calls, their text removed', async () => {
    const text = 'I look first.\n<tool_call>\n{"name": "glob", "arguments": {"pattern": "*"}}\n</tool_call>';
    const { chats } = await run(scenario([verbatim(text), say('Done.')]));
    expect(chats[1]!.messages.at(-2)).toEqual({
      role: 'assistant',
      content: 'I look first.',
      tool_calls: [{ function: { name: 'glob', arguments: { pattern: '*' } } }],
    });
    expect(chats[1]!.messages.at(-1)).toMatchObject({ role: 'tool', tool_name: 'glob' });
  });

  test('at a forced stop the output is the last text beside a call', async () => {
    const glob = {
      reply: { content: 'I search for it.', tool_calls: [{ name: 'glob', arguments: { pattern: 'x' } }] },
    };
    const { result } = await run(scenario([{ ...glob, repeat: 'always' }]));
    expect(result).toMatchObject({ termination_reason: 'repetition', output: 'I search for it.' });
  });
});

describe('several calls in a round', () => {
  test('each has its result, in the order of the calls, with the ids of the server', async () => {
    const dir = folder();
    await writeFile(join(dir, 'a.txt'), 'one\n');
    const list = [
      { name: 'read_file', arguments: { file_path: 'a.txt' }, id: 'x1' },
      { name: 'no_such_tool', arguments: {}, id: 'x2' },
      { name: 'shell', arguments: { command: 'cat a.txt' }, id: 'x3' },
    ];
    const { chats, events } = await run(scenario([{ reply: { tool_calls: list } }, say('Done.')]), { dir });
    const results = chats[1]!.messages.slice(-3);
    expect(results.map((message) => [message.tool_call_id, message.tool_name])).toEqual([
      ['x1', 'read_file'],
      ['x2', 'no_such_tool'],
      ['x3', 'shell'],
    ]);
    expect(results[1]!.content).toContain('Unknown tool');
    const finished = events.filter(
      ({ phase, event_type: type }) => type === 'tool_call' && phase === 'finished',
    );
    expect(finished.map(({ success }) => success)).toEqual([true, false, true]);
  });

  test('a cancel gives every call one result and runs none after it', async () => {
    const controller = new AbortController();
    const { result, events, dir } = await run(
      scenario([
        calls(['shell', { command: 'sleep 30' }], ['write_file', { file_path: 'late.txt', content: 'x' }]),
      ]),
      {
        execute: { signal: controller.signal },
        onProgress: ({ phase }) => {
          if (phase === 'started') controller.abort();
        },
      },
    );
    expect(result.termination_reason).toBe('cancelled');
    const finished = events.filter(
      ({ phase, event_type: type }) => type === 'tool_call' && phase === 'finished',
    );
    expect(finished.map(({ tool_name: name, success }) => [name, success])).toEqual([
      ['shell', false],
      ['write_file', false],
    ]);
    expect(finished[1]!.text).toContain('not run');
    expect(existsSync(join(dir, 'late.txt'))).toBe(false);
  });
});

test('of too many calls in one answer the rest is answered as not run, and what ran fits the window of a small model', async () => {
  const one = '{"name": "glob", "arguments": {"pattern": "a"}}\n';
  const turns = [verbatim(one.repeat(1200)), say('Done.')];
  const { result, chats } = await run(
    {
      models: [{ name: 'm', contextLength: 16_384 }],
      scripts: [{ position: 'requests', turns }],
    },
    { config: { model: { toolMode: 'text' }, ollama: { maxContextTokens: 16_384 } } },
  );
  expect([result.termination_reason, result.output]).toEqual(['final_answer', 'Done.']);
  const told = chats[1]!.messages.at(-1)!.content;
  expect(told).toContain('[100] glob');
  expect(told).not.toContain('[101]');
  expect(told).toMatch(
    /Only the first 100 calls of your answer ran, nothing behind them did: there were too many calls\. Make fewer/u,
  );
});

test('what a call that cannot be read leaves undone is told under the results of those before it', async () => {
  const glob = '<tool_call>\n{"name": "glob", "arguments": {"pattern": "a"}}\n</tool_call>\n';
  const unclear = '<tool_call>\n{"name": "shell", "arguments": {"command": "echo "hi" there"}}\n</tool_call>';
  const { chats } = await run(scenario([verbatim(glob + unclear), say('Done.')]));
  const told = chats[1]!.messages.at(-1);
  expect(told).toMatchObject({ role: 'tool', tool_name: 'glob' });
  expect(told!.content).toContain(
    'Only the first call of your answer ran, nothing behind it did: the call of shell',
  );
});

test.each<[string, unknown, unknown]>([
  ['3 000 levels', 'shell', `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`],
  ['a name of JavaScript', '__proto__', {}],
])('a native call with %s does not end the task', async (_what, name, args) => {
  const odd = { reply: { content: '', tool_calls: [{ name: String(name), arguments: args as object }] } };
  const { result, chats } = await run(scenario([odd, say('Done.')]));
  expect(result).toMatchObject({ termination_reason: 'final_answer', output: 'Done.' });
  expect(JSON.stringify(chats[1]!.messages.at(-1))).not.toContain('NaN');
});

test('events of a call that was repaired say so, by a field of their own', async () => {
  const turns = [
    verbatim("{'name': 'glob', 'arguments': {'pattern': 'a',}}"),
    call('grep', { pattern: 'b', max_results: '5' }),
    call('glob', { pattern: 'c' }),
    say('Done.'),
  ];
  const { events } = await run(scenario(turns));
  const told = events.filter(({ event_type: type }) => type === 'tool_call');
  expect(told.map(({ tool_name: name, phase, repaired }) => [name, phase, repaired])).toEqual([
    ['glob', 'started', true],
    ['glob', 'finished', true],
    ['grep', 'started', true],
    ['grep', 'finished', true],
    ['glob', 'started', undefined],
    ['glob', 'finished', undefined],
  ]);
  expect(told.map(({ text }) => text).join('\n')).not.toContain('repaired');
  expect(new Set(told.map(({ model }) => model))).toEqual(new Set(['m']));
});

test('what a person says comes between rounds, in order, once', async () => {
  const control = new TaskControl();
  const { chats } = await run(
    scenario([call('glob', { pattern: 'a' }), call('glob', { pattern: 'b' }), say('Done.')]),
    {
      execute: { control },
      onProgress: ({ phase, iteration }) => {
        if (phase !== 'started' || iteration !== 1) return;
        control.steer('Use tabs.');
        control.steer('And hurry.');
      },
    },
  );
  const steered = chats.map(({ messages }) =>
    messages
      .filter(({ content }) => content.startsWith('Message from the operator:'))
      .map(({ content }) => content),
  );
  const texts = ['Message from the operator:\nUse tabs.', 'Message from the operator:\nAnd hurry.'];
  expect(steered).toEqual([[], texts, texts]);
  expect(chats[1]!.messages.slice(-2).map(({ role }) => role)).toEqual(['user', 'user']);
});

describe('a task of sixty rounds', () => {
  test.each([
    [8_192, 12],
    [32_768, 4],
  ])(
    'in a window of %i tokens breaks the prefix at most %i times and never overflows',
    async (window, most) => {
      const work = Array.from({ length: 60 }, (_value, n) =>
        call('shell', { command: `seq ${n * 1000} ${n * 1000 + 400}; echo ${n} > f.txt` }),
      );
      const models = [{ name: 'm', contextLength: window }];
      const { result, chats } = await run(
        { models, scripts: [{ position: 'requests', turns: [...work, say('All sixty are done.')] }] },
        { task: { metadata: { max_iterations: 100 } } },
      );
      expect(result).toMatchObject({ termination_reason: 'final_answer', iterations_used: 61 });
      const bodies = chats.map(({ messages }) => messages.map((message) => JSON.stringify(message)));
      const breaks = bodies.slice(1).filter((body, index) => {
        const before = bodies[index]!;
        return before.some((message, at) => body[at] !== message);
      });
      expect(breaks.length).toBeLessThanOrEqual(most);
      expect(breaks.length).toBeGreaterThan(0);
      expect(new Set(bodies.map(([system, task]) => `${system}${task}`)).size).toBe(1);
      expect(chats.every(({ options }) => options.num_ctx === window)).toBe(true);
    },
  );
});
