import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { say } from '../support/scripted-model.ts';
import { commandLine, endless, jsonLines, repair, type CommandLine, type Started } from './command-line.ts';

let cli: CommandLine;
afterEach(() => cli.close());

async function up(env?: Record<string, string>): Promise<Started> {
  const started = cli.start(['up'], env);
  await started.until(/Ctrl-C to finish/u);
  return started;
}

const ok = { code: 0 };
const taskIn = (stdout: string) => jsonLines(stdout).at(-1) as { task_id: string; status: string };

describe('up', () => {
  test('stays, prints what to do next, takes work from other commands, ends with 0 when it is asked to', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const daemon = await up();
    expect(daemon.stdout()).toMatch(
      /dashboard {3}http:\/\/127\.0\.0\.1:\d+\n {2}admin token in \S+hub-admin\.token/u,
    );
    expect(daemon.stdout()).not.toContain('osc_admin_');
    expect(daemon.stdout()).toMatch(/^ {4}ollama-sidecar submit/mu);
    for (const name of ['hub.json', 'hub-admin.token'])
      expect((await stat(join(cli.stateDir, name))).mode & 0o077).toBe(0);
    expect(await readFile(join(cli.stateDir, 'hub.json'), 'utf8')).toContain(`:${cli.port}`);
    const args = ['submit', 'repair a.txt', '--repo', repo, '--verify', 'grep good a.txt'];
    // The branch has come into the repository: it is told how to take it.
    const seen = await cli.run([...args, '--wait', '--no-json']);
    expect(seen.stdout).toMatch(
      /The changes are on branch sidecar\/task-\S+\. To apply the changes:\s+git -C \S+ merge sidecar\/task-/u,
    );
    const submitted = taskIn((await cli.run(args)).stdout);
    expect(submitted.task_id).toMatch(/^task-/u);
    expect(await cli.run(['watch', submitted.task_id])).toMatchObject(ok);
    const listed = await cli.run(['tasks', '--no-json']);
    expect(listed.stdout).toMatch(new RegExp(`^${submitted.task_id} +success`, 'mu'));
    // The address as a browser writes it is the same hub.
    expect(await cli.run(['tasks', '--hub', `http://127.0.0.1:${cli.port}/`])).toMatchObject(ok);
    // As at the end of a terminal: it has none.
    daemon.kill('SIGHUP');
    expect(await cli.run(['tasks'])).toMatchObject(ok);
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toMatchObject(ok);
    expect(existsSync(join(cli.stateDir, 'hub.json'))).toBe(false);
    expect(existsSync(join(cli.stateDir, 'worker.lock'))).toBe(false);
    expect(await cli.run(['tasks'])).toMatchObject({ code: 5 });
  });

  test('a partial result ends submit --wait with 3, and follow-up goes on from it', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    await up();
    const verify = ['--verify', 'grep good a.txt', '--verify', 'test -e b.txt'];
    const first = await cli.run(['submit', 'x', '--repo', repo, '--wait', ...verify]);
    expect(first.code).toBe(3);
    const { task_id: id } = taskIn(first.stdout);
    const further = await cli.run(['follow-up', id]);
    expect(further).toMatchObject(ok);
    expect(taskIn((await cli.run(['follow-up', id])).stdout).task_id).toBe(taskIn(further.stdout).task_id);
    expect((await cli.run(['watch', taskIn(further.stdout).task_id])).code).toBe(3);
  });

  test('run works beside it', async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    await up();
    expect(await cli.run(['run', 'repair a.txt', '--repo', repo])).toMatchObject(ok);
  });

  test('a second one on the same folder: 6, on the same port: 2', async () => {
    cli = await commandLine();
    await up();
    const again = await cli.run(['up', '--port', '1']);
    expect(again).toMatchObject({ code: 6, stderr: expect.stringMatching(/uses this folder\. Stop it/u) });
    const elsewhere = await cli.run(['hub', '--port', String(cli.port)], {
      SIDECAR_STATE_DIR: join(cli.dir, 's2'),
    });
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/choose another port/u) });
  });

  test('two hubs on one queue: the second ends with 6 and says who has it', async () => {
    cli = await commandLine();
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    const says = new RegExp(
      `process ${String(hub.child.pid)} on \\S+ runs a hub on this queue; stop it`,
      'u',
    );
    for (const command of ['hub', 'up']) {
      const second = await cli.run([command, '--port', '1']);
      expect(second).toMatchObject({ code: 6, stderr: expect.stringMatching(says) });
    }
    hub.kill('SIGKILL');
    await hub.ended;
    await up();
  });

  test('Ctrl-C while watching ends the watching only: 130; cancel ends the task, and who waits for it with 1', async () => {
    cli = await commandLine(endless);
    await up();
    const waiting = cli.start(['submit', 'x', '--agentic', '--wait']);
    const [submitted] = jsonLines(await waiting.until(/"phase":"started"[^]*\n/u));
    expect(submitted).toMatchObject({ kind: 'submitted', body: { hub: `http://127.0.0.1:${cli.port}` } });
    const id = String((submitted?.body as Record<string, unknown> | undefined)?.task_id);
    waiting.kill('SIGINT');
    expect(await waiting.ended).toMatchObject({
      code: 130,
      stderr: `The task continues on the hub.\n  follow it again:  ollama-sidecar watch ${id}\n  cancel it:        ollama-sidecar cancel ${id}\n`,
    });
    const task = jsonLines((await cli.run(['tasks', '--json'])).stdout)[0] as unknown as {
      task_id: string;
      status: string;
    }[];
    expect(task).toEqual([expect.objectContaining({ task_id: id, status: 'running' })]);
    const again = cli.start(['watch', 'last']);
    await again.until(/"phase":"started"/u);
    expect(await cli.run(['cancel', id, '--no-json'])).toMatchObject({
      code: 0,
      stdout: `Task ${id} is cancelled\n`,
    });
    expect(await again.ended).toMatchObject({ code: 1 });
    expect(await cli.run(['cancel', 'last'])).toMatchObject(ok);
    const other = await cli.run(['cancel', 'last', '--hub', 'http://127.0.0.1:9']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is on another hub')]);
  });

  test('two signals end a running task at once, and it is not lost', async () => {
    cli = await commandLine(endless);
    const daemon = await up();
    const waiting = cli.start(['submit', 'x', '--agentic', '--wait']);
    await waiting.until(/"phase":"started"/u);
    daemon.kill('SIGTERM');
    await daemon.untilNote(/Finishing 1 running task/u);
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toMatchObject({ code: 143 });
    waiting.kill('SIGINT');
    await waiting.ended;
    await up();
    const tasks = JSON.parse((await cli.run(['tasks', '--json'])).stdout) as { status: string }[];
    expect(tasks).toHaveLength(1);
    expect(['partial', 'dead_letter', 'queued', 'assigned', 'running']).toContain(tasks[0]?.status);
  });

  test('starts without Ollama and says so; a task waits in the queue and says for what', async () => {
    cli = await commandLine();
    const daemon = await up({ OLLAMA_HOST: 'http://127.0.0.1:9' });
    expect(daemon.stderr()).toMatch(/^WARNING: no Ollama server at .*ollama serve/mu);
    const waiting = cli.start(['submit', 'x', '--wait', '--no-json']);
    expect(await waiting.until(/\n/u)).toMatch(/^Submitted task-[\w-]+ \(queued\) to http:\/\/127/u);
    expect(await waiting.until(/waiting for/u)).toMatch(/a ready worker: .*no Ollama server at/u);
  });

  test('a task that can only fail again ends at once, with the reason', async () => {
    cli = await commandLine();
    await up();
    const args = ['submit', 'x', '--repo', join(cli.dir, 'nowhere'), '--wait'];
    const done = await cli.run(args);
    expect(done.code).toBe(1);
    expect(taskIn(done.stdout)).toMatchObject({
      status: 'dead_letter',
      failures: 1,
      max_attempts: 3,
      error: expect.stringMatching(/^workspace_repo_missing: There is no git repository at /u),
    });
    const shown = await cli.run([...args, '--no-json']);
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAILED[^]*no git repository/u) });
  });
});

describe('start', () => {
  test('a worker with a token of the hub does its tasks and ends with 0 after SIGTERM', async () => {
    cli = await commandLine({ turns: [say('fine')] });
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    const token = await cli.run(['token', 'box']);
    expect(token.stderr).toContain('--agent-id box');
    await writeFile(join(cli.dir, 'token'), token.stdout);
    const wsUrl = `ws://127.0.0.1:${cli.port}/ws`;
    const worker = cli.start([
      'start',
      '--hub-url',
      wsUrl,
      '--agent-id',
      'box',
      '--token-file',
      join(cli.dir, 'token'),
    ]);
    expect(await worker.untilNote(/ready for tasks/u)).toContain('Connected to the hub: ready for tasks');
    const done = await cli.run(['submit', 'x', '--simple', '--wait']);
    expect(done).toMatchObject(ok);
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject(ok);
    hub.kill('SIGINT');
    expect(await hub.ended).toMatchObject(ok);
  });

  test('a bad token: 4, and no second try', async () => {
    cli = await commandLine();
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    const started = await cli.run(['start', '--hub-url', `ws://127.0.0.1:${cli.port}/ws`], {
      SIDECAR_TOKEN: 'osc_worker_wrong',
    });
    expect(started).toMatchObject({ code: 4, stderr: expect.stringMatching(/token/u) });
    const asked = await cli.run(['tasks'], { SIDECAR_HUB_API_TOKEN: 'osc_admin_wrong' });
    expect(asked).toMatchObject({ code: 4, stderr: expect.stringMatching(/token.*--token-file/u) });
  });

  test('waiting for a hub it can be stopped at once', async () => {
    cli = await commandLine();
    const worker = cli.start(['start', '--hub-url', 'ws://127.0.0.1:9/ws'], {
      SIDECAR_TOKEN: 'osc_worker_x',
      SIDECAR_HUB_CONNECT_TIMEOUT_MS: '0',
    });
    await worker.untilNote(/No connection to the hub/u);
    worker.kill('SIGINT');
    expect(await worker.ended).toMatchObject({ code: 130 });
    expect(existsSync(join(cli.stateDir, 'worker.lock'))).toBe(false);
  });

  test('a malformed frame is passed over, a malformed task is answered with task_failed', async () => {
    cli = await commandLine();
    const heard: Record<string, unknown>[] = [];
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    cli.cleanup.add(() => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
    });
    await new Promise<void>((fulfil) => server.listen(0, '127.0.0.1', () => fulfil()));
    const { port } = server.address() as AddressInfo;
    const failed = new Promise<void>((fulfil) => {
      sockets.on('connection', (socket) => {
        socket.on('message', (data: Buffer) => {
          const frame = JSON.parse(data.toString()) as Record<string, unknown>;
          heard.push(frame);
          if (frame.type === 'ping') socket.send('{"type": "pong"}');
          if (frame.type === 'identify') {
            const { agent_id: id } = frame;
            socket.send(JSON.stringify({ type: 'identified', agent_id: id }));
            socket.send('{"type": "task_assign", ');
            socket.send('[1, 2]');
            socket.send(
              JSON.stringify({ type: 'task_assign', task_id: 't1', generation: 1, description: 7 }),
            );
          }
          if (frame.type === 'task_accepted') {
            socket.send(JSON.stringify({ type: 'task_ack', task_id: 't1', status: 'accepted' }));
          }
          if (frame.type === 'task_failed') {
            socket.send(JSON.stringify({ type: 'task_ack', task_id: 't1', status: 'dead_letter' }));
            fulfil();
          }
        });
      });
    });
    const worker = cli.start(['start', '--hub-url', `ws://127.0.0.1:${port}/ws`], {
      SIDECAR_TOKEN: 'osc_worker_x',
    });
    await failed;
    expect(heard.find(({ type }) => type === 'task_failed')).toMatchObject({
      type: 'task_failed',
      task_id: 't1',
      error: expect.stringMatching(/^invalid_task: .*description/u),
    });
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject(ok);
  });
});
