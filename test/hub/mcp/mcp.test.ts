import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { commandLine, endless, repair, type CommandLine } from '../../cli/command-line.ts';
import { testHub } from '../hub-fixture.ts';
import { eventually } from '../../support/eventually.ts';
import { sampleRepository } from '../../support/sample-repository.ts';
import { startSystem } from '../../support/sidecar.ts';
import { agentOf, connectAgent, type Agent } from './agent.ts';

/** A coding agent hands work to a hub over HTTP: with the hub's tokens, and for a caller on another machine. */
describe('http', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function system(scenario: Parameters<typeof startSystem>[0]) {
    const started = await startSystem(scenario);
    closing.push(started.cleanup.close);
    await started.worker('box');
    return started;
  }

  describe('over HTTP', () => {
    test('a task is handed over, followed and its patch taken', async () => {
      const { hub, dir } = await system(repair);
      const repo = await sampleRepository(dir);
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const { tools } = await agent.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'submit_task',
        'task_status',
        'wait_for_task',
        'get_result',
        'apply_result',
        'follow_up_task',
        'steer_task',
        'answer_task',
        'cancel_task',
        'list_tasks',
        'list_models',
      ]);
      expect((await agent.use('list_models')).texts[0]).toMatch(/^box \(0 tasks running, capacity 1\): m$/u);
      const id = await agent.submit({
        text: 'Repair a.txt',
        repo,
        checks: ['grep -qx good a.txt'],
        model: 'm',
      });
      const waited = await agent.use('wait_for_task', { task_id: id });
      expect(waited).toMatchObject({ isError: false });
      expect(waited.texts[0]).toMatch(/status: success[^]*verification: verified[^]*next: get_result/u);
      expect(waited.told.length).toBeGreaterThan(0);
      expect(waited.data).toMatchObject({
        task_id: id,
        status: 'success',
        ended: true,
        verification: 'verified',
      });
      const { texts, data } = await agent.use('get_result', { task_id: id });
      expect(data).toMatchObject({
        status: 'success',
        checks: [{ status: 'pass' }],
        files: [{ path: 'a.txt' }],
      });
      expect((await agent.use('list_tasks', { status: ['success'] })).data).toMatchObject({
        tasks: [{ task_id: id }],
      });
      expect(texts[0]).toMatch(
        /status: success \(verified\)[^]*branch: sidecar\/[^]*- modified a\.txt \+1 -1/u,
      );
      expect(texts[1]).toMatch(/^-bad\n\+good$/mu);
      const [note, patch = ''] = (await agent.use('apply_result', { task_id: id, how: 'patch' })).texts;
      expect(note).toMatch(/git apply --3way/u);
      await writeFile(join(dir, 'its.patch'), patch);
      await execa('git', ['apply', '--3way', join(dir, 'its.patch')], { cwd: repo });
      expect((await execa('cat', ['a.txt'], { cwd: repo })).stdout).toBe('good');
    });

    test('nothing is merged, and the caller is told what to do instead', async () => {
      const { hub, dir } = await system(repair);
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const id = await agent.submit({ text: 'Repair', repo: await sampleRepository(dir) });
      await agent.use('wait_for_task', { task_id: id });
      const { isError, texts } = await agent.use('apply_result', { task_id: id, how: 'merge' });
      expect(isError).toBe(true);
      expect(texts[0]).toMatch(/Use "patch", or fetch the branch sidecar\//u);
    });

    test('a partial result is followed up, and a task that waits is steered', async () => {
      const { hub, dir } = await system(repair);
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const repo = await sampleRepository(dir);
      const id = await agent.submit({
        text: 'Repair',
        repo,
        checks: ['grep -qx good a.txt', 'test -e b.txt'],
      });
      await agent.use('wait_for_task', { task_id: id });
      const next = await agent.use('follow_up_task', { task_id: id });
      expect(next.data).toMatchObject({ task_id: expect.stringMatching(/^task-/u) });
      const steered = await agent.use('steer_task', { task_id: next.data.task_id, text: 'use tabs' });
      expect(steered.isError || steered.data.task_id === next.data.task_id).toBe(true);
      expect(await agent.use('answer_task', { task_id: id, decision: 'accepted' })).toMatchObject({
        isError: true,
        texts: [expect.stringMatching(/has no open question/u)],
      });
    });

    test('a model that no worker has is said at once', async () => {
      const { hub } = await system(repair);
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const refused = await agent.use('submit_task', { text: 'x', model: 'llama99:70b' });
      expect(refused.isError).toBe(true);
      expect(refused.texts[0]).toMatch(
        /^No connected worker has llama99:70b; available: m\. Nothing was submitted\.$/u,
      );
      expect((await agent.use('list_tasks')).data).toEqual({ tasks: [] });
    });

    test('a running task is cancelled; a wait that is over before says that it is still running', async () => {
      const { hub, dir } = await system(endless);
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const id = await agent.submit({ text: 'Work for ever', repo: await sampleRepository(dir) });
      const waited = await agent.use('wait_for_task', { task_id: id, timeout_seconds: 1 });
      expect(waited).toMatchObject({ isError: false, data: { ended: false } });
      expect(waited.texts[0]).toMatch(/^The task has not ended after 1 s\.[^]*next: wait_for_task/u);
      expect(await agent.use('get_result', { task_id: id })).toMatchObject({
        isError: true,
        texts: [expect.stringMatching(/has not ended yet/u)],
      });
      expect((await agent.use('cancel_task', { task_id: id })).isError).toBe(false);
      const ended = await agent.use('wait_for_task', { task_id: id });
      expect(ended.texts[0]).toMatch(/status: cancelled/u);
    });

    test('a caller that leaves in the middle of a wait leaves nothing open', async () => {
      const hub = await testHub();
      const agent = await agentOf(hub.hub.url, hub.hub.tokens.admin);
      const id = await agent.submit({ text: 'Nobody takes it' });
      const streams = async () => (await hub.get('/api/stats')).body.streams as number;
      const waited = agent.use('wait_for_task', { task_id: id }).catch(() => undefined);
      let open = 0;
      const look = async () => void (open = await streams());
      await eventually(() => open === 1, 'the wait to begin', look);
      await agent.client.close();
      await eventually(() => open === 0, 'the wait to end', look);
      await waited;
    });
  });

  describe('who may', () => {
    test('nobody with a wrong token, or none', async () => {
      const { hub } = await testHub();
      await expect(agentOf(hub.url, 'wrong')).rejects.toMatchObject({ code: 401 });
      const response = await fetch(`${hub.url}/mcp`, { method: 'POST' });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/u);
    });

    test('a viewer looks and may not submit', async () => {
      const { hub } = await testHub({ tokens: { viewer: 'viewer-token' } });
      const agent = await agentOf(hub.url, 'viewer-token');
      expect((await agent.use('list_models')).texts[0]).toMatch(/No worker is connected/u);
      const refused = await agent.use('submit_task', { text: 'x' });
      expect(refused.isError).toBe(true);
      expect(refused.texts[0]).toMatch(
        /requires a token of role submitter; your token has the role viewer\.$/u,
      );
    });

    test('no page of another site; and there is no stream to open', async () => {
      const { hub } = await testHub();
      const ask = (init: RequestInit) => fetch(`${hub.url}/mcp`, init);
      const page = await ask({ method: 'POST', headers: { origin: 'https://elsewhere.example' } });
      expect(page.status).toBe(403);
      const stream = await ask({ headers: { accept: 'text/event-stream' } });
      expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);
    });
  });

  describe('what cannot be done is told', () => {
    test.each([
      ['an unknown task', 'task_status', { task_id: 'task-none' }, /no task "task-none"/u],
      ['a wait for one', 'wait_for_task', { task_id: 'task-none' }, /no task "task-none"/u],
      ['an unknown argument', 'submit_task', { text: 'x', repository: '/r' }, /repository/u],
      ['an empty task', 'submit_task', { text: '  ' }, /text/u],
      ['too many attempts', 'submit_task', { text: 'x', attempts: 99 }, /attempts/u],
      ['a relative path', 'submit_task', { text: 'x', repo: 'src' }, /absolute path/u],
      ['an unknown tool', 'drop_database', {}, /drop_database/u],
    ])('%s', async (_what, name, args, message) => {
      const { hub } = await testHub();
      const { isError, texts } = await (await agentOf(hub.url, hub.tokens.admin)).use(name, args);
      expect({ isError, text: texts[0] }).toEqual({ isError: true, text: expect.stringMatching(message) });
    });

    test('a hub that closes in the middle of a wait does not hang', async () => {
      const { hub } = await testHub();
      const agent = await agentOf(hub.url, hub.tokens.admin);
      const id = await agent.submit({ text: 'Nobody takes it' });
      const waited = agent.use('wait_for_task', { task_id: id });
      await Promise.all([expect(waited).rejects.toThrow(), hub.close()]);
    });

    test('a result that hides something: shown, bounded, without the token', async () => {
      const hub = await testHub();
      const agent = await agentOf(hub.hub.url, hub.hub.tokens.admin);
      const id = await agent.submit({ text: 'Show me' });
      const worker = await hub.worker();
      const patch = `+\u001B[8mhidden\u{E0041}\n${'+x\n'.repeat(20_000)}`;
      await worker.finish(await worker.accept(), {
        output: `It is ${hub.hub.tokens.admin}. ${'y'.repeat(50_000)}`,
        remaining: [`one\u202Eline\n${'z'.repeat(5_000)}`],
        changes: { files: [{ path: 'a\u0007', status: 'added', additions: 1, deletions: 0 }], patch },
      });
      const [summary = '', diff = ''] = (await agent.use('get_result', { task_id: id })).texts;
      expect(summary).toMatch(/It is \*{4}\./u);
      expect(summary).toMatch(/- one‹U\+202E›line z/u);
      expect(summary).toMatch(/added a‹U\+0007› \+1 -0/u);
      expect(summary.length).toBeLessThan(10_000);
      expect(diff).toMatch(/^\+‹U\+001B›\[8mhidden‹U\+E0041›\n/u);
      expect(diff).toMatch(/\n… \d+ of 60\d+ characters omitted$/u);
      const [note, whole] = (await agent.use('apply_result', { task_id: id, how: 'patch' })).texts;
      expect(note).toMatch(/invisible characters/u);
      expect(whole).toBe(patch);
    });
  });
});

/** A coding agent starts `ollama-sidecar mcp` and hands work to the hub that runs on its machine. */
describe('stdio', () => {
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
      const nowhere = await agent.use('submit_task', { text: 'x', repo: './nowhere' });
      expect(nowhere).toMatchObject({
        isError: true,
        texts: [expect.stringMatching(/no git repository at .*nowhere[^]* Nothing was submitted\.$/u)],
      });
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
      expect(alone.texts[0]).toMatch(/does not answer .*Start a hub with `ollama-sidecar hub`/u);
      const hub = cli.start(['hub']);
      await hub.until(/admin token in/u);
      expect((await agent.use('list_models')).texts[0]).toMatch(/No worker is connected/u);
      const id = await agent.submit({ text: 'x' });
      const waited = agent.use('wait_for_task', { task_id: id });
      hub.kill('SIGKILL');
      expect(await waited).toMatchObject({
        isError: true,
        texts: [expect.stringMatching(/does not answer/u)],
      });
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
      expect(stderr).toMatch(/serving MCP on stdin and stdout for the hub at http[^]*could not be read/u);
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
});
