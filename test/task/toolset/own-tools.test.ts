/** Which tools a task's model gets, by the configuration and by the task. */
import { describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/config/schema.ts';
import { OllamaExecutor } from '../../../sidecar/executors/ollama-executor.ts';
import { STANDARD_TOOL_NAMES } from '../../../sidecar/tools/aliases.ts';
import { call, chatsOf, planning, say, scenario, testModel } from '../../support/scripted-model.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const GREET = {
  name: 'greet',
  description: 'Greet somebody.',
  parameters: { properties: { whom: { type: 'string' as const } }, required: ['whom'] },
  command: ['echo', 'Hello {whom}'],
};

async function run(tools: ConfigInput['tools'], metadata: Record<string, unknown> = {}) {
  const server = await testModel(scenario([call('greet', { whom: 'you' }), say('Done.')]));
  const { result } = await execute({ server, dir: folder(), config: { tools }, task: { metadata } });
  const chats = chatsOf(server);
  const offered = chats[0]?.tools?.map((tool) => (tool as { function: { name: string } }).function.name);
  return { result, offered, chats };
}

describe('the tools of a task', () => {
  test('are the standard ones and the own ones after them, and those run', async () => {
    const { offered, chats, result } = await run({ own: [GREET] });
    expect(offered).toEqual([...STANDARD_TOOL_NAMES, 'greet']);
    expect(chats[1]?.messages.at(-1)?.content).toMatch(/^Hello you\n\[exit code 0/);
    expect(result.status).toBe('success');
    expect(chats[1]?.tools).toEqual(chats[0]?.tools);
  });

  test('are narrowed by the operator', async () => {
    expect((await run({ own: [GREET], only: ['greet', 'read_file'] })).offered).toEqual([
      'read_file',
      'greet',
    ]);
    const { offered } = await run({ own: [GREET], disabled: ['shell', 'greet'] });
    expect(offered).not.toContain('shell');
    expect(offered).not.toContain('greet');
  });

  test('that are not offered are not asked for by the prompt', async () => {
    const promptOf = async (tools: ConfigInput['tools']) => (await run(tools)).chats[0]?.messages[0]?.content;
    const whole = await promptOf({});
    expect(await promptOf({ own: [GREET] })).toBe(whole);
    expect(await promptOf({ disabled: ['shell', 'grep', 'update_plan'] })).toContain(
      'Not there, whatever this text says: shell, grep. Do without.',
    );
  });

  test('of a planned task are narrowed too, but for the tool of its plan', async () => {
    const server = await testModel(
      scenario([say('Looked.')], {
        rules: planning([{ description: 'Look' }], {
          log_entry: { action: 'Looked', result: 'It is there.' },
        }),
      }),
    );
    const task = { workflow: 'planned', metadata: { tools_only: ['read_file'] } };
    await execute({ server, dir: folder(), task });
    const step = chatsOf(server).find(({ tools }) => tools !== undefined);
    expect(step?.tools?.map((tool) => (tool as { function: { name: string } }).function.name)).toEqual([
      'read_file',
      'update_plan',
    ]);
  });

  test('are narrowed by the task, never widened', async () => {
    const tools = { own: [GREET], disabled: ['shell'] };
    const { offered } = await run(tools, { tools_only: ['greet', 'shell'] });
    expect(offered).toEqual(['greet']);
    expect((await run({ own: [GREET] }, { tools_disabled: ['greet'] })).offered).not.toContain('greet');
  });

  test('that are no longer offered are told of', async () => {
    const { chats } = await run({ own: [GREET] }, { tools_disabled: ['greet'] });
    expect(chats[1]?.messages.at(-1)?.content).toContain('Unknown tool: greet. Available: read_file');
  });

  test.each([
    [{ tools_only: ['greet', 'raed_file'] }, 'raed_file is no tool of this worker; there are read_file'],
    [{ tools_disabled: ['nothing'] }, 'nothing is no tool of this worker'],
    [{ tools_only: 'greet' }, 'metadata.tools_only: write a list of names'],
    [{ tools_only: [] }, 'metadata.tools_only: write a list of names'],
  ])('a task with %j is refused before anything is done', async (metadata, words) => {
    const { result, chats } = await run({ own: [GREET] }, metadata);
    expect(result).toMatchObject({ status: 'failed', termination_reason: 'model_error' });
    expect(result.error).toContain('task_tools_invalid: ');
    expect(result.error).toContain(words);
    expect(chats).toEqual([]);
  });
});

test.each([
  [{ only: ['raed_file'] }, 'tools.only: there is no tool raed_file; there are read_file'],
  [{ disabled: ['greet'] }, 'tools.disabled: there is no tool greet'],
  [
    { own: [{ ...GREET, name: 'readfile' }] },
    'tools.own: models mean the built-in tool read_file by readfile',
  ],
  [{ own: [{ ...GREET, name: 'search' }] }, 'models mean the built-in tool grep by search'],
  [{ own: [GREET, GREET] }, 'tools.own: greet is the name of another of these tools'],
])('a configuration with %j is refused at the start', (tools: ConfigInput['tools'], words) => {
  expect(() => new OllamaExecutor({ config: { tools } })).toThrow(words);
});
