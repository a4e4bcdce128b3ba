import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../../sidecar/base/config/schema.ts';
import { OllamaExecutor } from '../../../../sidecar/solving/executors/ollama-executor.ts';
import { STANDARD_TOOL_NAMES } from '../../../../sidecar/tools/aliases.ts';
import { call, chatsOf, planning, say, scenario, testModel } from '../../../support/scripted-model.ts';
import { execute } from '../../../support/scripted-run.ts';
import { tempFolders } from '../../../support/temp-folder.ts';

/** MCP servers of the configuration and of a task, in a whole task with a scripted model. */
describe('mcp tools', () => {
  const folder = tempFolders();
  const SERVER = fileURLToPath(new URL('../../../tools/mcp/server-program.mjs', import.meta.url));
  const TEST = { command: 'node', args: ['server.mjs'], only: ['echo', 'where'] };

  async function run(
    tools: ConfigInput['tools'],
    { metadata = {}, tool = 'test_echo' }: { metadata?: object; tool?: string } = {},
  ) {
    const dir = folder();
    await copyFile(SERVER, join(dir, 'server.mjs'));
    const server = await testModel(scenario([call(tool, { said: 'hello' }), say('Done.')]));
    const { result, events } = await execute({
      server,
      dir,
      config: { tools, sandbox: { mode: 'off' } },
      task: { metadata: { ...metadata } },
    });
    const chats = chatsOf(server);
    const offered = (chats[0]?.tools ?? []).map(
      (each) => (each as { function: { name: string } }).function.name,
    );
    const pids = (await readFile(join(dir, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    return {
      result,
      added: offered.filter((name) => name.startsWith('test_')),
      answer: chats[1]?.messages.at(-1)?.content,
      said: events.flatMap(({ event_type, text }) => (event_type === 'status' ? [text] : [])).join('\n'),
      pids: pids.map(Number),
    };
  }

  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  describe('MCP servers of the configuration', () => {
    test('give their tools to the model, and are gone with the task', async () => {
      const { result, added, answer, pids } = await run({ mcp: { test: TEST } });
      expect(result.status).toBe('success');
      expect(added).toEqual(['test_echo', 'test_where']);
      expect(answer).toBe('You said hello');
      expect(pids).toHaveLength(1);
      expect(pids.filter(isAlive)).toEqual([]);
    });

    test('can be left out by a task, and then are not started', async () => {
      const { added, pids } = await run({ mcp: { test: TEST } }, { metadata: { tools_mcp: [] } });
      expect(added).toEqual([]);
      expect(pids).toEqual([]);
    });

    test('take part in the lists of names', async () => {
      expect((await run({ mcp: { test: TEST }, disabled: ['test_where'] })).added).toEqual(['test_echo']);
      const { said } = await run({ mcp: { test: TEST }, disabled: ['test_nothing', 'test_where'] });
      expect(said).toContain('no MCP server currently has a tool test_nothing');
    });

    test('share the room among those that are wanted', async () => {
      const tools = { mcp: { test: { ...TEST, only: undefined } }, mcpSchemaBytes: 400 };
      expect((await run(tools)).added).not.toContain('test_where');
      expect((await run({ ...tools, only: ['read_file', 'test_where'] })).added).toEqual(['test_where']);
    });

    test('that a task names and that are not there end it before it begins', async () => {
      const { result, pids } = await run({ mcp: { test: TEST } }, { metadata: { tools_mcp: ['github'] } });
      expect(result.error).toContain(
        'task_tools_invalid: metadata.tools_mcp: this worker has no MCP server github; its MCP servers are: test',
      );
      expect(pids).toEqual([]);
    });

    test('that fail are told of, and the task goes on', async () => {
      const { result, said, added } = await run({ mcp: { broken: { command: 'no-such-program' } } });
      expect(said).toContain('The MCP server broken ended with exit code 127');
      expect(added).toEqual([]);
      expect(result.status).toBe('success');
    });
  });
});

/** Which tools a task's model gets, by the configuration and by the task. */
describe('own tools', () => {
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
      const promptOf = async (tools: ConfigInput['tools']) =>
        (await run(tools)).chats[0]?.messages[0]?.content;
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
      [
        { tools_only: ['greet', 'raed_file'] },
        'raed_file is not a tool of this worker; its tools are read_file',
      ],
      [{ tools_disabled: ['nothing'] }, 'nothing is not a tool of this worker'],
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
    [{ only: ['raed_file'] }, 'tools.only: there is no tool raed_file; the tools are read_file'],
    [{ disabled: ['greet'] }, 'tools.disabled: there is no tool greet'],
    [
      { own: [{ ...GREET, name: 'readfile' }] },
      'tools.own: readfile is also a name of the built-in tool read_file',
    ],
    [{ own: [{ ...GREET, name: 'search' }] }, 'search is also a name of the built-in tool grep'],
    [{ own: [GREET, GREET] }, 'tools.own: two tools have the name greet'],
  ])('a configuration with %j is refused at the start', (tools: ConfigInput['tools'], words) => {
    expect(() => new OllamaExecutor({ config: { tools } })).toThrow(words);
  });
});

/** A task that is to change nothing gets no tools that change files. */
describe('read only', () => {
  const folder = tempFolders();

  test('an edit is neither offered nor made, reading and commands are', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'limits.txt'), 'idle = 900\n');
    const server = await testModel({
      models: [{ name: 'm' }],
      turns: [
        call('edit_file', { file_path: 'limits.txt', old_string: '900', new_string: '1200' }),
        call('read_file', { file_path: 'limits.txt' }),
        say('900 seconds, in limits.txt.'),
      ],
    });
    const { result } = await execute({ server, dir, task: { metadata: { read_only: true } } });
    expect(result).toMatchObject({ status: 'success', output: '900 seconds, in limits.txt.' });
    expect(result.changes.files).toEqual([]);
    expect(readFileSync(join(dir, 'limits.txt'), 'utf8')).toBe('idle = 900\n');
    const [first, second] = chatsOf(server);
    const offered = JSON.stringify(first?.tools);
    expect(offered).toContain('"read_file"');
    expect(offered).toContain('"shell"');
    expect(offered).not.toMatch(/edit_file|write_file|apply_patch/u);
    expect(second?.messages.at(-1)?.content).toContain('edit_file');
  });
});
