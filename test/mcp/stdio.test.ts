/** A coding agent starts `ollama-sidecar mcp` and hands work to the hub that runs on its machine. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';
import { commandLine, repair, type CommandLine } from '../cli/command-line.ts';
import type { ScenarioInput } from '../../sidecar/scripted-model/scenario.ts';
import { connectAgent, type Agent } from './agent.ts';

const CLI = resolve('dist/cli.js');
const open: CommandLine[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function opened(scenario: ScenarioInput = {}): Promise<CommandLine> {
  const cli = await commandLine(scenario);
  open.push(cli);
  return cli;
}

const agentIn = ({ env }: CommandLine, cwd: string): Promise<Agent> =>
  connectAgent(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp'],
      env: { ...env },
      cwd,
      stderr: 'ignore',
    }),
  );

describe('over stdio', () => {
  test('a task in the folder of the agent is done there and merged', async () => {
    const cli = await opened(repair);
    const repo = await cli.repository();
    const up = cli.start(['up']);
    await up.until(/admin token in/u);
    const agent = await agentIn(cli, repo);
    expect(agent.client.getInstructions()).toMatch(/submit_task/u);
    const id = await agent.submit({ text: 'Repair a.txt', repo: '.', checks: ['grep -qx good a.txt'] });
    const waited = await agent.use('wait_for_task', { task_id: id });
    expect(waited.texts[0]).toMatch(/status: success/u);
    expect(waited.told.length).toBeGreaterThan(0);
    await writeFile(join(repo, 'a.txt'), 'mine\n');
    const refused = await agent.use('apply_result', { task_id: id, how: 'merge' });
    expect(refused).toMatchObject({
      isError: true,
      texts: [expect.stringMatching(/not committed:\n ?M a\.txt/u)],
    });
    await execa('git', ['checkout', '-q', 'a.txt'], { cwd: repo });
    const merged = await agent.use('apply_result', { task_id: id, how: 'merge', into: '.' });
    expect(merged).toMatchObject({ isError: false, texts: [expect.stringMatching(/verified$/u)] });
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('good\n');
  });

  test('without a hub each tool says what to do, and works once there is one', async () => {
    const cli = await opened();
    const agent = await agentIn(cli, cli.dir);
    const alone = await agent.use('list_models');
    expect(alone.isError).toBe(true);
    expect(alone.texts[0]).toMatch(/does not answer .*Start one with `ollama-sidecar hub`/u);
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    expect((await agent.use('list_models')).texts[0]).toMatch(/No worker is connected/u);
    const id = await agent.submit({ text: 'x' });
    const waited = agent.use('wait_for_task', { task_id: id });
    hub.kill('SIGKILL');
    expect(await waited).toMatchObject({ isError: true, texts: [expect.stringMatching(/does not answer/u)] });
  });

  test('stdout carries the protocol only; what cannot be read is told on stderr; it ends with stdin', async () => {
    const cli = await opened();
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const { stdout, stderr, exitCode } = await execa(process.execPath, [CLI, 'mcp'], {
      env: { ...cli.env },
      extendEnv: false,
      cwd: cli.dir,
      input: `nonsense\n${JSON.stringify(ping)}\n`,
      reject: false,
      timeout: 20_000,
    });
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(stderr).toMatch(/speaks MCP on stdin and stdout, for the hub at http[^]*could not be read/u);
    expect(exitCode).toBe(0);
  });

  test('a signal ends it while stdin is open', async () => {
    const cli = await opened();
    const running = execa(process.execPath, [CLI, 'mcp'], {
      env: { ...cli.env },
      extendEnv: false,
      reject: false,
      timeout: 20_000,
    });
    running.stderr.once('data', () => running.kill('SIGTERM'));
    expect((await running).exitCode).toBe(143);
  });
});
