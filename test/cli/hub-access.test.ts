import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import pc from 'picocolors';
import { adminTokenFileOf, formatDashboardLines, loadAdminToken } from '../../sidecar/cli/admin-token.ts';
import { testHub, type TestHub } from '../hub/hub-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/requirements.ts';
import { planning, say } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { commandLine, jsonLines, repair, type CommandLine } from './command-line.ts';
import { runInProcess } from './in-process.ts';

let cli: CommandLine;
afterEach(() => cli?.close());

/** The admin token's file, and who is shown the token. */
describe('admin token', () => {
  const folder = tempFolders();

  describe('the kept admin token', () => {
    test('is made once, for this user only', async () => {
      const dir = folder();
      const token = await loadAdminToken(dir);
      chmodSync(adminTokenFileOf(dir), 0o644);
      expect(await loadAdminToken(dir)).toBe(token);
      expect(statSync(adminTokenFileOf(dir)).mode & 0o777).toBe(0o600);
    });

    test.each(['', '\n', 'osc_admin_', 'two words of a text that is long enough', '\u0000'.repeat(60)])(
      'is refused when it is damaged: %j',
      async (text) => {
        const dir = folder();
        writeFileSync(adminTokenFileOf(dir), text);
        await expect(loadAdminToken(dir)).rejects.toMatchObject({ code: 'admin_token_damaged', exitCode: 6 });
        expect(readFileSync(adminTokenFileOf(dir), 'utf8')).toBe(text);
        rmSync(adminTokenFileOf(dir));
        expect(await loadAdminToken(dir)).toMatch(/^osc_admin_/u);
      },
    );
  });

  test('only a person at a terminal is shown it', () => {
    const facts = { url: 'http://h', adminToken: 'osc_admin_secret', tokenFile: '/state/hub-admin.token' };
    const color = pc.createColors(false);
    expect(formatDashboardLines({ interactive: true, color }, facts).join('\n')).toContain(
      '#token=osc_admin_secret',
    );
    const printed = formatDashboardLines({ interactive: false, color }, facts).join('\n');
    expect(printed).not.toContain('osc_admin_secret');
    expect(printed).toContain('/state/hub-admin.token');
  });
});

describe('tokens', () => {
  test('tokens are made with an end, listed without their secrets, and revoked by name or id', async () => {
    cli = await commandLine();
    const hub = cli.start(['hub']);
    await hub.until(/The queue remains stored/u);
    const made = await cli.run(['token', 'ci', '--role', 'submitter', '--expires', '30', '--json']);
    const [{ id, token, expires_at: end }] = jsonLines(made.stdout) as [Record<string, string>];
    expect(Number(end) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(await cli.run(['token', 'box'])).toMatchObject({ code: 0 });
    const submitted = await cli.run(['submit', 'x', '--no-json'], { SIDECAR_HUB_API_TOKEN: String(token) });
    expect(submitted).toMatchObject({ code: 0 });
    expect((await cli.run(['tasks', '--no-json'])).stdout).toMatch(/BY[^]*ci/u);
    const listed = await cli.run(['tokens', '--no-json']);
    expect(listed.stdout).toMatch(/^ID +NAME +ROLE +CREATED +LAST USED +EXPIRES/u);
    expect(listed.stdout).toMatch(new RegExp(`^${id} +ci +submitter +\\S+ +\\S+ \\S+ +\\d{4}`, 'mu'));
    expect(listed.stdout).toMatch(/^\w+ +box +worker +\S+ +never +never/mu);
    expect(listed.stdout).not.toContain('osc_');
    expect(await cli.run(['tokens', 'revoke', 'nobody'])).toMatchObject({ code: 2 });
    expect(await cli.run(['tokens', 'revoke', 'box'])).toMatchObject({ code: 0 });
    await cli.run(['token', 'ci', '--role', 'viewer']);
    const twice = await cli.run(['tokens', 'revoke', 'ci']);
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining(String(id)) });
    const revoked = await cli.run(['tokens', 'revoke', String(id), '--no-json']);
    expect(revoked.stdout).toContain(`Revoked the token ci (${id}, submitter)`);
    expect(await cli.run(['tasks'], { SIDECAR_HUB_API_TOKEN: String(token) })).toMatchObject({ code: 4 });
    const left = jsonLines((await cli.run(['tokens', '--json'])).stdout).flat();
    expect(left).toMatchObject([{ name: 'ci', role: 'viewer' }]);
  }, 60_000);
});

/** Commands by which an operator acts on tasks and workers of a hub: in this process, against a hub with a worker of its own. */
describe('operator commands', () => {
  const folder = tempFolders();

  /** Runs commands against this hub. */
  function commandsFor({ hub }: TestHub) {
    const dir = folder();
    const env = {
      PATH: process.env.PATH ?? '',
      SIDECAR_STATE_DIR: dir,
      SIDECAR_HUB_API: hub.url,
      SIDECAR_HUB_API_TOKEN: 'admin-token',
    };
    return (...args: string[]) => runInProcess(args, env, dir);
  }

  test('a worker is drained, shown and resumed', async () => {
    const hub = await testHub();
    const run = commandsFor(hub);
    expect((await run('workers', '--no-json')).stdout).toBe('No worker has connected yet.\n');
    const { worker, id } = await hub.running({}, { capacity: 2, models: ['qwen3:8b'], labels: ['gpu'] });
    expect((await run('workers', '--no-json')).stdout).toMatch(
      /^WORKER +STATE +LOAD +VERSION +MODELS +LABELS\nworker-1 +working +1\/2 +0\.1\.0 +qwen3:8b +gpu\n$/u,
    );
    expect(await run('workers', 'drain', 'worker-1', '--no-json')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Worker worker-1 finishes 1 task[^]* {2}ollama-sidecar workers resume worker-1\n$/u,
      ),
    });
    expect(await worker.next('drain')).toBeDefined();
    expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +draining +1\/2/mu);
    await hub.call('POST', `/api/tasks/${id}/cancel`, {});
    expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +drained +0\/2/mu);
    expect(JSON.parse((await run('workers')).stdout)).toMatchObject([
      { agent_id: 'worker-1', draining: true, load: 0, models: ['qwen3:8b'], labels: ['gpu'] },
    ]);
    expect(await run('workers', 'resume', 'worker-1', '--no-json')).toMatchObject({
      code: 0,
      stdout: 'Worker worker-1 gets tasks again\n',
    });
    expect((await run('workers', '--no-json')).stdout).toMatch(/^worker-1 +idle +0\/2/mu);
    expect(await run('workers', 'drain', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`ollama-sidecar workers`'),
    });
    worker.say('worker_status', { not_ready: 'no Ollama answers' });
    let listed = '';
    const list = async () => void ({ stdout: listed } = await run('workers', '--no-json'));
    await eventually(() => listed.includes('not ready'), 'the worker that is not ready', list);
    expect(listed).toMatch(/ WHY\nworker-1 +not ready +0\/2 .* no Ollama answers\n$/u);
  });

  test('a task is told something while it waits, and tried again when it was given up', async () => {
    const hub = await testHub();
    const run = commandsFor(hub);
    const id = await hub.submit();
    expect(await run('steer', id, 'use tabs', '--no-json')).toMatchObject({
      code: 0,
      stdout: `The model of task ${id} receives this text before its next answer\n`,
    });
    const worker = await hub.worker();
    await worker.accept();
    expect(await worker.next('steer')).toMatchObject({ task_id: id, text: 'use tabs' });
    expect(await run('retry', id)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/this task has the status running/u),
    });
    await hub.call('POST', `/api/tasks/${id}/cancel`, {});
    expect(await run('steer', id, 'too late')).toMatchObject({ code: 2 });
    const again = await run('retry', id);
    expect(again.code).toBe(0);
    expect(jsonLines(again.stdout)).toMatchObject([{ task_id: id, status: 'queued' }]);
  });

  test('a task that asks is listed with its question, and answered one request at a time', async () => {
    const hub = await testHub();
    const run = commandsFor(hub);
    const { worker, id } = await hub.running();
    expect(await run('answer', id, 'accept')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has no open question/u),
    });
    const ask = (approvalId: string, summary: string) =>
      worker.say('approval_request', { task_id: id, approval_id: approvalId, kind: 'question', summary });
    ask('a', 'Which port?');
    ask('b', 'Go on?');
    await worker.ping();
    const { stdout } = await run('tasks', '--status', 'asks', '--no-json');
    expect(stdout).toMatch(/NOW\n/u);
    expect(stdout).toMatch(new RegExp(`^${id} +asks .*Which port\\?`, 'mu'));
    expect((await run('answer', id, '8080', '--no-json')).stdout).toBe(
      'Answered (corrected): Which port?\n  1 more request to answer; the next one:  Go on?\n',
    );
    expect(await worker.next('approval_response')).toMatchObject({ decision: 'corrected', text: '8080' });
    expect((await run('tasks', '--outcome', 'not-done')).stdout).toBe('[]\n');
    expect((await run('answer', id, 'reject')).code).toBe(0);
    expect(await worker.next('approval_response', { approval_id: 'b' })).toMatchObject({
      decision: 'rejected',
    });
  });

  test('a submission names label, worker, delay and attempts; the list shows its priority', async () => {
    const hub = await testHub();
    const run = commandsFor(hub);
    const plain = await hub.submit();
    expect((await run('tasks', '--no-json')).stdout).not.toContain('PRIORITY');
    const before = Date.now();
    const options = '--label gpu --label docker --worker box --delay 90 --max-attempts 7 --priority 5';
    const submitted = await run('submit', 'x', ...options.split(' '));
    const [task] = jsonLines(submitted.stdout) as { task_id: string; not_before: number }[];
    expect(task).toMatchObject({ labels: ['docker', 'gpu'], agent_id: 'box', max_attempts: 7, priority: 5 });
    expect(task?.not_before).toBeGreaterThanOrEqual(before + 90_000);
    const { stdout } = await run('tasks', '--no-json');
    expect(stdout).toMatch(/^TASK +STATUS +PRIORITY +WORKER/u);
    expect(stdout).toMatch(new RegExp(`^${task?.task_id} +queued +5 `, 'mu'));
    expect(stdout).toMatch(new RegExp(`^${plain} +queued +– `, 'mu'));
  });

  test('budgets shows what was used of each, and a new task that waits for one; the list says what is not done', async () => {
    const hub = await testHub({ dailyBudgets: { hub: { maxTokens: 1_000, maxUsd: 5 } } });
    const run = commandsFor(hub);
    const worker = await hub.worker();
    const id = await hub.submit();
    await worker.finish(await worker.accept(), { status: 'partial', verification_status: 'failed' });
    const { stdout } = await run('budgets', '--no-json');
    expect(stdout).toMatch(/^hub +1540 of 1000 +\$0\.00 of \$5 +exhausted until 00:00 UTC$/mu);
    expect(JSON.parse((await run('budgets')).stdout)).toMatchObject([{ per: 'hub', used_tokens: 1540 }]);
    expect((await run('submit', 'x', '--no-json')).stdout).toMatch(/^  waits for .*budget/mu);
    expect((await run('tasks', '--no-json')).stdout).toMatch(new RegExp(`^${id} +not done `, 'mu'));
  });
});

/** A task that asks a person, watched from a terminal: the question and its answer stand in the timeline. */
describe('approval', () => {
  const summary = {
    log_entry: { action: 'Looked around', details: 'x', result: 'fine', tools_used: [] },
    acceptance_criteria_updates: [],
    decisions_made: [],
  };

  test('a question says where it is answered, and is followed by its answer', async () => {
    cli = await commandLine({
      rules: planning([{ step: 1, description: 'Look around' }], summary),
      turns: [say('I looked around.')],
    });
    const daemon = cli.start(['up'], { SIDECAR_APPROVAL_SUMMARY: 'hub' });
    await daemon.until(/Ctrl-C to finish/u);
    const token = readFileSync(join(cli.stateDir, 'hub-admin.token'), 'utf8').trim();
    const repo = await cli.repository();
    const args = ['submit', 'look around', '--planned', '--read-only', '--repo', repo];
    const { stdout } = await cli.run(args);
    const { task_id: id } = jsonLines(stdout)[0] as { task_id: string };
    const watching = cli.start(['watch', id, '--no-json']);
    await watching.until(/asks {2}summary; answer it on the dashboard, or: .*\n {8}Looked around/u);
    const api = `http://127.0.0.1:${cli.port}/api/tasks/${id}/approvals`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { approvals } = (await (await fetch(api, { headers })).json()) as {
      approvals: { approval_id: string }[];
    };
    const answer = {
      approval_id: approvals[0]?.approval_id,
      decision: 'corrected',
      text: 'It was a short look.',
    };
    const answered = await fetch(api, { method: 'POST', headers, body: JSON.stringify(answer) });
    expect(answered.status).toBe(200);
    const ended = await watching.ended;
    expect(ended.stdout).toMatch(/asks {2}summary: corrected: It was a short look\./u);
    expect(ended.code).toBe(0);
  });
});

/** What a run keeps of code, prompts and answers is for its user only, whatever the umask allows. */
describe('private files', () => {
  const isOpen = (path: string): boolean => (statSync(path).mode & 0o077) !== 0;

  /** Paths below `folder` that others could get at: what lies in a closed folder is closed. */
  function open(folder: string): string[] {
    if (!isOpen(folder)) return [];
    const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
    return [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))].filter((path) =>
      isOpen(path),
    );
  }

  test('folders are closed to others, and databases and sessions in them too', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const command = [process.execPath, resolve('dist/cli.js'), 'run', 'repair a.txt', '--repo', repo];
    const options = { env: cli.env, extendEnv: false, reject: false, cwd: cli.dir };
    const { exitCode } = await execa('sh', ['-c', 'umask 0; exec "$@"', 'sh', ...command], options);
    expect(exitCode).toBe(0);
    const data = join(cli.dir, '.local/share/ollama-sidecar');
    expect([cli.stateDir, data].flatMap(open)).toEqual([]);
    const files = [cli.stateDir, join(data, 'sessions')].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    const kept = files.filter((path) => /\.(?:sqlite.*|jsonl|log|json|md)$/.test(path));
    expect(kept.map((path) => relative(cli.dir, path)).join('\n')).toMatch(
      /state\.sqlite[^]*requests\.jsonl/,
    );
    expect(kept.filter((path) => isOpen(path))).toEqual([]);
  });
});

describe('nameless user', () => {
  describeWith('user namespaces', 'a user whom the system does not know, without HOME', () => {
    const asNobody = (args: readonly string[], env: Record<string, string> = {}) =>
      execa('unshare', ['--user', '--map-user=12345', process.execPath, resolve('dist/cli.js'), ...args], {
        env: { PATH: process.env.PATH, ...env },
        extendEnv: false,
        cwd: cli.dir,
        reject: false,
      });

    test('sees the configuration', async () => {
      cli = await commandLine();
      const { exitCode, stdout, stderr } = await asNobody(['config', '--json']);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toContain('"ollama.url"');
    });

    test('runs a task where the folders are named', async () => {
      cli = await commandLine(repair);
      const { HOME: _home, XDG_CACHE_HOME: _cache, ...named } = cli.env;
      const folders = { SIDECAR_DATA_DIR: `${cli.dir}/data` };
      const repo = await cli.repository();
      const { exitCode, stderr } = await asNobody(['run', 'repair a.txt', '--repo', repo], {
        ...named,
        ...folders,
      });
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    });
  });
});
