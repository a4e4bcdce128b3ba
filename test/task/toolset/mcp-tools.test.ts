/** MCP servers of the configuration, of a repository and of a task, in a whole task with a scripted model. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { ConfigInput } from '../../../sidecar/config/schema.ts';
import { call, chatsOf, say, scenario, testModel } from '../../support/scripted-model.ts';
import { describeWith } from '../../support/requirements.ts';
import { execute } from '../../support/scripted-run.ts';
import { tempFolders } from '../../support/temp-folder.ts';

const folder = tempFolders();
const SERVER = fileURLToPath(new URL('../../tools/mcp/server-program.mjs', import.meta.url));
const TEST = { command: 'node', args: ['server.mjs'], only: ['echo', 'where'] };

async function run(
  tools: ConfigInput['tools'],
  {
    metadata = {},
    file,
    tool = 'test_echo',
    sandbox = 'off',
  }: { metadata?: object; file?: unknown; tool?: string; sandbox?: 'off' | 'required' } = {},
) {
  const dir = folder();
  await copyFile(SERVER, join(dir, 'server.mjs'));
  if (file !== undefined) await writeFile(join(dir, '.ollama-sidecar.json'), JSON.stringify(file));
  const server = await testModel(scenario([call(tool, { said: 'hello' }), say('Done.')]));
  const { result, events } = await execute({
    server,
    dir,
    config: { tools, sandbox: { mode: sandbox } },
    task: { metadata: { ...metadata } },
  });
  const chats = chatsOf(server);
  const offered = (chats[0]?.tools ?? []).map(
    (each) => (each as { function: { name: string } }).function.name,
  );
  const pids = (await readFile(join(dir, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return {
    result,
    added: offered.filter((name) => /^(?:test|repo)_/.test(name)),
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
    expect(said).toContain('no MCP server has a tool test_nothing now');
  });

  test('share the room among those that are wanted', async () => {
    const tools = { mcp: { test: { ...TEST, only: undefined } }, mcpSchemaBytes: 150 };
    expect((await run(tools)).added).not.toContain('test_where');
    const { added, said } = await run({ ...tools, only: ['read_file', 'test_where'] }, {});
    expect(added).toEqual(['test_where']);
    expect(said).not.toContain('no room');
  });

  test('that a task names and that are not there end it before it begins', async () => {
    const { result, pids } = await run({ mcp: { test: TEST } }, { metadata: { tools_mcp: ['github'] } });
    expect(result.error).toContain(
      'task_tools_invalid: metadata.tools_mcp names github; this worker has the MCP servers: test',
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

const file = { tools: { mcp: { repo: TEST } } };

test('MCP servers of a repository are used in a sandbox only', async () => {
  const { said, added, pids } = await run({ repositoryServers: true }, { file });
  expect(said).toContain(
    '.ollama-sidecar.json: its servers are used in a sandbox only: the sandbox is switched off',
  );
  expect(added).toEqual([]);
  expect(pids).toEqual([]);
});

describeWith('bubblewrap', 'MCP servers of a repository', () => {
  const sandbox = 'required';

  test('are not used unless the operator says so', async () => {
    expect((await run({}, { file, sandbox })).added).toEqual([]);
    const { added, answer } = await run({ repositoryServers: true }, { file, tool: 'repo_echo', sandbox });
    expect(added).toEqual(['repo_echo', 'repo_where']);
    expect(answer).toBe('You said hello');
  });

  test('get no variables, no network and no headers', async () => {
    for (const more of [{ env: { LD_PRELOAD: 'evil.so' } }, { network: true }, { headers: { a: 'b' } }]) {
      const { added, said } = await run(
        { repositoryServers: true },
        { file: { tools: { mcp: { repo: { ...TEST, ...more } } } }, sandbox },
      );
      expect(added).toEqual([]);
      expect(said).toContain('.ollama-sidecar.json names no server that can be used');
    }
  });

  test('are reached only where the operator allows it, and never replace the operator’s own', async () => {
    const { said, added } = await run(
      { repositoryServers: true, mcpHosts: ['127.0.0.1:9'], mcp: { test: TEST } },
      {
        sandbox,
        file: {
          tools: {
            mcp: {
              elsewhere: { url: 'http://169.254.169.254/mcp' },
              allowed: { url: 'http://127.0.0.1:9/mcp' },
              test: { command: 'false' },
            },
          },
        },
      },
    );
    expect(said).toContain(
      'elsewhere of .ollama-sidecar.json is not used: 169.254.169.254:80 is not in tools.mcpHosts',
    );
    expect(said).toContain('The MCP server allowed failed: ');
    expect(said).toContain(
      'test of .ollama-sidecar.json is not used: the operator has a server of that name',
    );
    expect(added).toEqual(['test_echo', 'test_where']);
  });
});
