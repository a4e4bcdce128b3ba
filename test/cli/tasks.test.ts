import { execFileSync } from 'node:child_process';
import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { createMergeDescriber, chooseMergeCommands } from '../../sidecar/cli/merge-instructions.ts';
import { createHubClient } from '../../sidecar/hub/client/hub-client.ts';
import { taskResultSchema } from '../../sidecar/base/protocol/result.ts';
import { createOutbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskRecords } from '../../sidecar/base/storage/task-records.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { say } from '../support/scripted-model.ts';
import { quiet } from '../support/until.ts';
import { prepared } from '../workspace/prepared.ts';
import { cleanUp, git, repository, temporaryFolder, write } from '../workspace/repositories.ts';
import { commandLine, jsonLines, repair, type CommandLine } from './command-line.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The address of a server that is closed after the test. */
async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A submission that meets a bad line is one task. */
describe('a submission', () => {
  /** Passes requests on; `answer` decides what becomes of each answer. */
  function proxy(
    target: string,
    answer: (from: IncomingMessage, to: ServerResponse, count: number) => void,
  ): Promise<string> {
    let count = 0;
    return served((incoming, response) => {
      const { method, headers, url = '/' } = incoming;
      const passed = request(new URL(url, target), { method, headers }, (from) => {
        count += 1;
        answer(from, response, count);
      });
      incoming.pipe(passed);
    });
  }
  const whole = (from: IncomingMessage, to: ServerResponse) => {
    to.writeHead(from.statusCode ?? 500, from.headers);
    from.pipe(to);
  };
  const cutBefore = (from: IncomingMessage, to: ServerResponse) => {
    from.resume();
    to.destroy();
  };
  const cutInTheMiddle = (from: IncomingMessage, to: ServerResponse) => {
    from.resume();
    to.writeHead(201, { 'content-length': '1000', 'content-type': 'application/json' });
    to.write('{"task_id":', () => to.destroy());
  };

  test.each([
    ['before the answer', cutBefore],
    ['in the middle of the answer', cutInTheMiddle],
  ])('whose connection is cut %s is sent again and is one task', async (_when, cut) => {
    const hub = await testHub();
    const url = await proxy(hub.hub.url, (from, to, count) => (count === 1 ? cut : whole)(from, to));
    const client = createHubClient({ url, token: hub.hub.tokens.admin });
    const task = await client.submit({ description: 'once' });
    const { tasks } = (await hub.get('/api/tasks')).body;
    expect(tasks).toEqual([expect.objectContaining({ task_id: task.task_id })]);
  });

  test('to a hub that was never there is given up at once', async () => {
    const client = createHubClient({ url: 'http://127.0.0.1:1', token: 'x' });
    await expect(client.submit({ description: 'x' })).rejects.toMatchObject({ code: 'hub_unreachable' });
  });

  test('that is answered by something else says so', async () => {
    const hub = await testHub();
    const url = await proxy(hub.hub.url, (from, to) => {
      from.resume();
      to.end('<html>Please sign in</html>');
    });
    const client = createHubClient({ url, token: hub.hub.tokens.admin });
    await expect(client.submit({ description: 'x' })).rejects.toMatchObject({ code: 'hub_error' });
  });

  test('with the same --idempotency-key is the same task; for another task the key is refused', async () => {
    const cli = await commandLine({ turns: [say('fine')] });
    closing.push(() => cli.close());
    const hub = cli.start(['hub']);
    await hub.until(/admin token in/u);
    const submit = async (what: string) =>
      cli.run(['submit', what, '--simple', '--idempotency-key', 'run 17']);
    const ids = [await submit('x'), await submit('x')].map(({ stdout }) => jsonLines(stdout)[0]?.task_id);
    expect(ids[0]).toMatch(/^task-/u);
    expect(ids[1]).toBe(ids[0]);
    expect(await submit('y')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/idempotency key was used for another submission/u),
    });
  });
});

describe('show', () => {
  let cli: CommandLine;
  let taskId: string;
  beforeAll(async () => {
    cli = await commandLine(repair);
    const repo = await cli.repository();
    const done = await cli.run(['run', 'repair a.txt', '--repo', repo, '--verify', 'grep good a.txt']);
    taskId = String(jsonLines(done.stdout).at(-1)?.task_id);
  });
  afterAll(() => cli.close());

  const show = async (...args: string[]) => (await cli.run(['show', ...args])).stdout;

  test('shows a task that ended here with its result: JSON in a pipe, text for people', async () => {
    const [task] = jsonLines(await show(taskId));
    expect(task).toMatchObject({ task_id: taskId, status: 'success', delivery: 'complete' });
    expect(task).toMatchObject({ result: { status: 'success', output: 'Repaired.' } });
    const text = await show('last', '--no-json');
    expect(text).toContain('delivered (complete)');
    expect(text).toMatch(/^ {2}session \S+sessions\/\S+Z$/mu);
    expect(text).toMatch(/SUCCESS \(verified\)[^]*Repaired\.[^]*\+good/u);
  });

  test('shows a result that the hub refused, and why; and an error that is no result', async () => {
    const result = taskResultSchema.parse(jsonLines(await show(taskId))[0]?.result);
    const db = await openStateDatabase(cli.stateDir);
    const [records, outbox] = [createTaskRecords(db), createOutbox(db)];
    const about = (id: string) => ({ task_id: id, generation: 1 });
    const kept = records.finish('kept', {
      outcome: 'success',
      result: { ...result, output: 'Only here.' },
      frame: { type: 'task_complete', ...about('kept'), result },
    });
    outbox.settle(kept?.id ?? 0, { moot: 'stale_generation' });
    const error = 'workspace_git_failed: no such branch';
    records.finish('early', {
      outcome: 'failed',
      frame: { type: 'task_failed', ...about('early'), error },
    });
    db.close();

    const refused_because = 'the hub had already reassigned the task';
    expect(jsonLines(await show('kept'))).toMatchObject([
      { delivery: 'moot: stale_generation', refused_because, result: { output: 'Only here.' } },
    ]);
    const text = await show('kept', '--no-json');
    expect(text).toContain(`refused: ${refused_because}`);
    expect(text).toContain('Only here.');
    expect(await show('early', '--no-json')).toMatch(/not sent yet[^]*FAILED[^]*no such branch/u);
    const rows = JSON.parse(await show()) as { task_id: string }[];
    expect(rows.map((row) => row.task_id).sort()).toEqual(['early', 'kept', taskId].sort());
    expect(rows.some((row) => 'result' in row)).toBe(false);
    expect(rows.find((row) => row.task_id === taskId)).toMatchObject({
      session: { model: 'm', status: 'success' },
    });
    expect(JSON.parse(await show('--limit', '1'))).toHaveLength(1);

    const file = new Sqlite(join(cli.stateDir, 'state.sqlite'));
    file.prepare('UPDATE history SET result = ? WHERE task_id = ?').run('{', 'kept');
    file.close();
    expect(JSON.parse(await show())).toHaveLength(3);
    expect(await cli.run(['show', 'kept'])).toMatchObject({ code: 6, stdout: '' });
  });
});

/** Following a task over a line that dies without a word. */
test('show of a task that has not ended says where it stands', async () => {
  const setup = await testHub();
  const { hub } = setup;
  const cli = await commandLine();
  closing.push(() => cli.close());
  const id = await setup.submit({ labels: ['h200'] });
  const env = { SIDECAR_HUB_API: hub.url, SIDECAR_HUB_API_TOKEN: hub.tokens.admin };
  const { code, stdout } = await cli.run(['show', id, '--no-json'], env);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^queued, waits for a worker: none is connected: .+\n {2}follow it: {2}ollama-sidecar watch/u,
    ),
  ]);
});

describe('a stream of events', () => {
  /** More than a broken line is tried again. */
  const CUTS = 8;

  /** A hub of which only the stream of events is there. */
  function streamingHub(answer: (response: ServerResponse, count: number) => void): Promise<string> {
    let count = 0;
    return served((_request, response) => {
      count += 1;
      answer(response, count);
    });
  }
  const event = (id: number) => `data: ${JSON.stringify({ id, kind: 'task', at: 0, body: {} })}\n\n`;

  test('that falls silent without being closed is opened anew where it stopped', async () => {
    const url = await streamingHub((response, count) => response.write(event(count)));
    const client = createHubClient({ url, token: 'x', streamSilenceMs: 50, clock: hastyClock });
    const stop = new AbortController();
    const ids: number[] = [];
    for await (const { id } of client.events('t', { signal: stop.signal })) {
      ids.push(id);
      if (id === 2) stop.abort();
    }
    expect(ids).toEqual([1, 2]);
  });

  test('of a quiet task goes on, however often the line is cut', async () => {
    const clock = new ManualClock();
    const responses: ServerResponse[] = [];
    const url = await streamingHub((response, count) => {
      response.write(count <= CUTS ? ':\n\n' : event(1));
      responses.push(response);
    });
    const client = createHubClient({ url, token: 'x', clock });
    const next = client.events('t', { signal: new AbortController().signal }).next();
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await eventually(
        () => responses.length === cut,
        'the stream',
        () => clock.advance(100),
      );
      await quiet();
      // The hub's signs of life, and then the line is gone.
      await clock.advance(15_000);
      responses.at(-1)?.write(':\n\n');
      await quiet();
      responses.at(-1)?.destroy();
    }
    await eventually(
      () => responses.length > CUTS,
      'the last stream',
      () => clock.advance(100),
    );
    expect((await next).value).toMatchObject({ id: 1 });
  });

  test('that never begins, or breaks each time, ends with a message', async () => {
    const url = await streamingHub((response, count) => {
      if (count % 2 === 0) response.writeHead(200).write(':\n\n', () => response.destroy());
    });
    const client = createHubClient({ url, token: 'x', streamSilenceMs: 20, clock: hastyClock });
    const events = client.events('t', { signal: new AbortController().signal });
    await expect(events.next()).rejects.toMatchObject({
      code: 'hub_unreachable',
      message: expect.stringMatching(/does not answer \((no data for 0\.02 s|\w+)\)/u),
    });
  });
});

describe('take work', () => {
  afterAll(cleanUp);

  /** Does a task's work on `repo` and gives the commands that are told. */
  async function told(repo: string): Promise<{ intro: string; commands: string[] }> {
    const dataDir = temporaryFolder();
    const options = { cacheDir: join(dataDir, 'repositories'), worktreesDir: temporaryFolder() };
    const workspace = await prepared({ task_id: 't', repo }, options);
    write(workspace.dir, { 'new.txt': 'new\n' });
    await workspace.commit('work');
    await workspace.publish();
    await workspace.release({ keepBranch: true });
    const take = await createMergeDescriber(repo, { worker: { dataDir } as never });
    if (!take) throw new Error('no way was found');
    return take('sidecar/t');
  }

  const run = (command: string, cwd: string): string =>
    execFileSync('sh', ['-c', command], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: 't',
        GIT_AUTHOR_EMAIL: 't@t',
        GIT_COMMITTER_NAME: 't',
        GIT_COMMITTER_EMAIL: 't@t',
      },
    });

  describe('the commands that are told for the work of a task', () => {
    test('merge it into a work tree', async () => {
      const repo = repository();
      const { commands } = await told(repo);
      expect(commands).toEqual([`git -C ${repo} merge sidecar/t`]);
      run(commands[0] ?? '', '/');
      expect(git(repo, 'ls-files')).toContain('new.txt');
    });

    test('show it in a bare repository, and pull it into a clone', async () => {
      const folder = temporaryFolder();
      const bare = join(folder, 'x.git');
      const clone = join(folder, 'clone');
      git(folder, 'clone', '-q', '--bare', repository(), bare);
      git(folder, 'clone', '-q', bare, clone);
      const { commands } = await told(bare);
      expect(commands).toHaveLength(2);
      expect(run(commands[0] ?? '', '/')).toContain('+new');
      run(commands[1] ?? '', clone);
      expect(git(clone, 'ls-files')).toContain('new.txt');
    });

    test('pull it from the cache where the repository is a remote one', async () => {
      const folder = temporaryFolder();
      const origin = repository();
      const clone = join(folder, 'clone');
      git(folder, 'clone', '-q', origin, clone);
      const { commands } = await told(`file://${origin}`);
      expect(commands).toEqual([expect.stringMatching(/^git pull --no-rebase \S+\.git sidecar\/t$/u)]);
      run(commands[0] ?? '', clone);
      expect(git(clone, 'ls-files')).toContain('new.txt');
    });

    test.each([false, true])(
      'pull it from the cache where it could not be put there (bare: %s)',
      async (bare) => {
        const folder = temporaryFolder();
        const repo = join(folder, 'repository');
        git(folder, 'clone', '-q', ...(bare ? ['--bare'] : []), repository(), repo);
        // A branch of this name leaves no room for `sidecar/t`.
        git(repo, 'branch', 'sidecar');
        const { intro, commands } = await told(repo);
        expect(intro).toMatch(/^The branch is in the worker’s cache, not in the repository/u);
        const clone = bare ? join(folder, 'clone') : repo;
        if (bare) git(folder, 'clone', '-q', repo, clone);
        run(commands[0] ?? '', bare ? clone : '/');
        expect(git(clone, 'ls-files')).toContain('new.txt');
      },
    );

    test('are words for a shell, whatever the folder is called', () => {
      const path = "/my repo's";
      const source = {
        kind: 'local' as const,
        path,
        gitDir: path,
        commonDir: path,
        workTree: path,
        identity: path,
      };
      expect(
        chooseMergeCommands(source, '/cache', { branch: 'sidecar/t', isPublished: true }).commands,
      ).toEqual([`git -C '/my repo'\\''s' merge sidecar/t`]);
    });
  });
});
