import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import type { FollowUp, TaskResult } from '../../sidecar/base/protocol/result.ts';
import { CleanupStack } from '../../sidecar/base/system/cleanup-stack.ts';
import { systemClock } from '../../sidecar/base/system/clock.ts';
import { startWorker } from '../../sidecar/worker/start-worker.ts';
import { eventually } from '../support/eventually.ts';
import { HubDouble } from '../support/hub-double.ts';
import { loopAlone } from '../support/loop-alone.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  startPublicHubWorker,
  type PublicHubWorker,
  type PublicHubWorkerOptions,
} from '../support/public-hub-worker.ts';
import { scaled } from '../support/scale.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { quiet, until } from '../support/until.ts';
import { cleanUp, git, repository } from '../workspace/repositories.ts';

/** What the public hub does to tasks, and how a worker keeps them alive. */
describe('public hub', () => {
  const folder = tempFolders();
  const cleanup = new CleanupStack();
  afterEach(() => cleanup.close());

  let clock: ManualClock;
  let hub: HubDouble;
  beforeEach(async () => {
    clock = new ManualClock();
    hub = new HubDouble(clock);
    cleanup.add(() => hub.kill());
    await hub.listen();
  });

  async function start(): Promise<PublicHubWorker> {
    const worker = await startPublicHubWorker({ clock, hub, dir: folder() });
    cleanup.add(() => worker.close());
    await until(() => worker.link.state === 'ready', 'identified');
    return worker;
  }

  async function advance(durationMs: number): Promise<void> {
    for (let left = durationMs; left > 0; left -= 1_000) {
      await clock.advance(Math.min(left, 1_000));
      await quiet(4);
    }
  }

  const statuses = () => [...hub.tasks.values()].map(({ status }) => status);
  const areOver = () => !statuses().some((status) => status === 'queued' || status === 'assigned');

  describe('a burst, of which the hub gives several at a time to one that works', () => {
    const bursts = scaled({ quick: 4, full: 40 });

    test.each([28, 40])('of %i tasks kills none, again and again', async (count) => {
      await start();
      hub.racing = 2;
      for (let burst = 0; burst < bursts; burst += 1) {
        for (let index = 0; index < count; index += 1) hub.submit(`t${burst}-${index}`);
        for (let second = 0; second < 900 && !areOver(); second += 1) await advance(1_000);
      }
      expect(statuses().filter((status) => status !== 'completed')).toEqual([]);
      expect(statuses()).toHaveLength(bursts * count);
      expect(hub.framesOf('task_failed')).toEqual([]);
      expect(hub.sent.map(({ type }) => type)).not.toContain('rate_limited');
    });

    test('never leaves a worker with more than a hundred tasks', async () => {
      const { active } = await start();
      hub.racing = 150;
      for (let index = 0; index < 130; index += 1) hub.submit(`t${index}`);
      await advance(60_000);
      expect(active.unfinishedCount).toBeLessThanOrEqual(100);
      expect(active.unfinishedCount).toBeGreaterThan(60);
    });
  });

  describe('a half-open cut', () => {
    async function together(count: number, over: { taskMs?: number } = {}): Promise<PublicHubWorker[]> {
      const workers: PublicHubWorker[] = [];
      for (let index = 1; index <= count; index += 1) {
        const agentId = `worker-${index}`;
        const token = index === 1 ? 'secret' : `secret-${index}`;
        hub.tokens.set(token, agentId);
        const worker = await startPublicHubWorker({ clock, hub, dir: folder(), agentId, token, ...over });
        cleanup.add(() => worker.close());
        await until(() => worker.link.state === 'ready', 'identified');
        await advance(700);
        workers.push(worker);
      }
      return workers;
    }

    /** How long after it was submitted, `afterMs` after the cut, a task begins. */
    async function delayMs(workers: PublicHubWorker[], id: string, afterMs: number): Promise<number> {
      hub.cut();
      await advance(afterMs);
      const submittedAtMs = clock.monotonicMs();
      hub.submit(id);
      const begun = () => workers.flatMap((worker) => worker.begun).find((one) => one.id === id);
      for (let second = 0; second < 900 && !begun(); second += 1) await advance(1_000);
      return (begun()?.atMs ?? Number.POSITIVE_INFINITY) - submittedAtMs;
    }

    test('alone on the hub a task begins within 20 s, whenever it was submitted', async () => {
      const workers = await together(1);
      const delays: number[] = [];
      for (let second = 0; second < 100; second += scaled({ quick: 9, full: 3 })) {
        delays.push(await delayMs(workers, `t${second}`, second * 1_000));
        await advance(130_000);
      }
      expect(Math.max(...delays)).toBeLessThanOrEqual(20_000);
    });

    test('of five workers behind one router: a task begins within 30 s', async () => {
      const workers = await together(5);
      const delays: number[] = [];
      for (const second of scaled({ quick: [0, 8, 61], full: [0, 1, 5, 8, 20, 45, 61, 70, 90] })) {
        delays.push(await delayMs(workers, `t${second}`, second * 1_000));
        await advance(600_000);
      }
      expect(Math.max(...delays)).toBeLessThanOrEqual(30_000);
    });

    test('of one worker while another one ends a task at least once a minute: a task for it begins within 120 s', async () => {
      const workers = await together(2);
      hub.cut('worker-1');
      await advance(1_000);
      hub.submit('mine', { for: 'worker-1' });
      const isBegun = () => workers[0]?.begun.some(({ id }) => id === 'mine');
      for (let second = 0; second < 120 && !isBegun(); second += 1) {
        if (second % 20 === 0) hub.submit(`other-${second}`, { for: 'worker-2' });
        await advance(1_000);
      }
      expect(isBegun()).toBe(true);
      expect(workers[0]?.link.hub.notice).toContain('older connection');
    });

    test('at work: the task goes on where it is, is done once, and its result is accepted', async () => {
      const workers = await together(2, { taskMs: 40_000 });
      hub.submit('t1');
      await until(() => workers.some(({ begun }) => begun.length > 0), 'the task');
      hub.cut(hub.tasks.get('t1')?.assignedTo);
      await advance(15_000);
      expect(workers.map(({ link }) => link.state)).toEqual(['ready', 'ready']);
      for (let second = 0; second < 100 && !areOver(); second += 1) await advance(1_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', retries: 0, generation: 1 });
      expect(workers.flatMap(({ begun }) => begun)).toHaveLength(1);
    });

    test('at work, and the older connection ends meanwhile: the task stays with its worker', async () => {
      const workers = await together(2, { taskMs: 100_000 });
      hub.submit('t1');
      await until(() => workers.some(({ begun }) => begun.length > 0), 'the task');
      hub.cut(hub.tasks.get('t1')?.assignedTo);
      for (let second = 0; second < 200 && !areOver(); second += 1) await advance(1_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', retries: 0, generation: 1 });
      expect(workers.flatMap(({ begun }) => begun)).toHaveLength(1);
    });

    test('that a worker with the same id answers is told as well, and leaves that one its tasks', async () => {
      const first = await start();
      const second = await startPublicHubWorker({ clock, hub, dir: folder() });
      cleanup.add(() => second.close());
      await eventually(
        () => second.link.hub.notice !== undefined,
        'the notice',
        () => advance(1_000),
      );
      for (let index = 0; index < 5; index += 1) {
        hub.submit(`t${index}`);
        await advance(30_000);
      }
      expect(hub.framesOf('identify')).toHaveLength(2);
      expect([first.begun.length, second.begun.length]).toEqual([5, 0]);
    });
  });

  describe('a task that a worker cannot do', () => {
    const foreign = {
      routing_decision: { target_type: 'claude' },
      complexity: { effective_tier: 'complex' },
    };
    const begin = async (id: string, over: Partial<PublicHubWorkerOptions> = {}) => {
      hub.tokens.set(id, id);
      const worker = await startPublicHubWorker({
        clock,
        hub,
        dir: folder(),
        agentId: id,
        token: id,
        ...over,
      });
      cleanup.add(() => worker.close());
      return until(() => worker.link.state === 'ready', 'identified');
    };

    test('and nobody else is there: is refused after a while, and later each time', async () => {
      await start();
      hub.submit('t1', foreign);
      await advance(110_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', retries: 2 });
      await advance(30_000);
      expect(hub.tasks.get('t1')).toMatchObject({
        status: 'dead_letter',
        error: 'unsupported_target_type:claude',
      });
    });

    test('never stands before others: six of them and three that it can do are over within a minute', async () => {
      await start();
      for (let index = 0; index < 6; index += 1) hub.submit(`c${index}`, foreign);
      await advance(1_000);
      for (let index = 0; index < 3; index += 1) hub.submit(`s${index}`);
      await advance(60_000);
      expect(statuses().slice(6)).toEqual(['completed', 'completed', 'completed']);
      for (let second = 0; second < 300 && !areOver(); second += 1) await advance(1_000);
      expect(hub.framesOf('task_failed').length).toBeLessThanOrEqual(18);
    });

    test('is left to one that can, also where that one is busy, and costs no attempt', async () => {
      await begin('able', { takesForeign: true, taskMs: 30_000 });
      await begin('unable');
      for (let index = 0; index < 10; index += 1) hub.submit(`t${index}`, foreign);
      for (let second = 0; second < 500 && !areOver(); second += 1) await advance(1_000);
      expect(statuses()).toEqual(Array(10).fill('completed'));
      expect(hub.framesOf('task_failed')).toEqual([]);
    });

    test('is not forgotten beside another one: all that it accepted and hands back go to one that can', async () => {
      const { link } = await start();
      hub.racing = 1;
      link.handlers = {
        onAssign: ({ task_id: taskId, generation }) => {
          link.accept(taskId, generation);
          link.release(taskId);
          link.hub.returnMisfit({ taskId, error: 'workspace_repo_missing: x', refuse: () => undefined });
        },
      };
      hub.submit('t1', { for: 'nobody' });
      Object.assign(hub.tasks.get('t1') ?? {}, { payload: {} });
      hub.submit('t2');
      await eventually(
        () => statuses().every((status) => status === 'assigned'),
        'both',
        () => advance(500),
      );
      await begin('able');
      for (let second = 0; second < 60 && !areOver(); second += 1) await advance(1_000);
      expect(statuses()).toEqual(['completed', 'completed']);
      expect(hub.framesOf('task_failed')).toEqual([]);
    });

    test('and that is lost with the line is not refused', async () => {
      const { link } = await start();
      hub.submit('t1', foreign);
      await advance(10_000);
      hub.dropConnections();
      await until(() => link.state === 'waiting', 'the loss');
      Object.assign(hub.tasks.get('t1') ?? {}, { status: 'assigned', assignedTo: 'worker-9', generation: 7 });
      await advance(120_000);
      expect(hub.tasks.get('t1')).toMatchObject({ status: 'assigned', retries: 0 });
      expect(hub.framesOf('task_failed')).toEqual([]);
    });
  });

  test('a worker that stops gives back all that it was given, not one task only', async () => {
    const worker = await start();
    hub.racing = 3;
    for (let index = 0; index < 4; index += 1) hub.submit(`t${index}`);
    await eventually(
      () => worker.active.unfinishedCount === 3,
      'several tasks at once',
      () => advance(500),
    );
    await worker.close();
    await eventually(() => !statuses().includes('assigned'), 'all to be given back');
    expect([...hub.tasks.values()].map(({ retries }) => retries)).toEqual([0, 0, 0, 0]);
    expect(statuses().filter((status) => status === 'queued')).toHaveLength(3);
  });

  test('a hub whose tables were put back gets the result of a task that ended here once more', async () => {
    const { begun } = await start();
    hub.submit('t1');
    await eventually(areOver, 'the end', () => advance(1_000));
    hub.submit('t1');
    await eventually(areOver, 'the end once more', () => advance(1_000));
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'completed', generation: 1, retries: 0 });
    expect(begun).toHaveLength(1);
  });

  test('a result has what this hub shows, its texts end, and a permission in the metadata is one', async () => {
    const { link, begun } = await start();
    const permitted: unknown[] = [];
    const { handlers } = link;
    link.handlers = {
      ...handlers,
      onAssign: (task) => {
        permitted.push(task.may_change_checks);
        handlers.onAssign?.(task);
      },
    };
    hub.submit('t1', { metadata: { may_change_checks: ['test/**'] } });
    await until(() => begun.length === 1, 'the task');
    link.sendProgress('t1', { event_type: 'status', text: 'Working' });
    await eventually(areOver, 'the end', () => advance(1_000));
    expect(permitted).toEqual([['test/**']]);
    expect(hub.framesOf('task_progress')[0]?.execution_event?.text).toBe('Working\n');
    expect(hub.tasks.get('t1')?.result).toMatchObject({
      equivalent_claude_cost_usd: 0.018,
      follow_up: { metadata: { assign_to: 'worker-1' } },
    });
  });

  test('a worker that cannot work on tasks stays away until it can', async () => {
    const { link, begun } = await start();
    link.reportStatus({ notReady: 'no model' });
    await until(() => hub.connections === 0, 'the leave');
    hub.submit('t1');
    await advance(60_000);
    expect(link).toMatchObject({ state: 'waiting', hub: { noTasksReason: 'no model' } });
    expect(hub.tasks.get('t1')).toMatchObject({ status: 'queued', generation: 0 });
    link.reportStatus({});
    await until(() => begun.length === 1, 'the task');
    expect(link.hub.noTasksReason).toBeUndefined();
  });

  test('a worker that is about to stop refuses nothing: its tasks go to others at once, without an attempt', async () => {
    const worker = await start();
    hub.submit('t1');
    hub.submit('t2');
    await until(() => worker.begun.length === 1, 'the first task');
    worker.isDraining = true;
    await advance(5_000);
    expect(hub.tasks.get('t2')).toMatchObject({ status: 'assigned', retries: 0 });
    await worker.close();
    await quiet();
    expect(hub.tasks.get('t1')?.status).toBe('completed');
    expect(hub.tasks.get('t2')).toMatchObject({ status: 'queued', retries: 0 });
    expect(hub.framesOf('task_failed')).toEqual([]);
  });
});

/**
 * What remains of a task, submitted as it is to a hub that keeps no `base_ref`, again and again: each follow-up, done by another
 * worker, begins with the earlier work.
 */
describe('public hub follow ups', () => {
  const cleanup = new CleanupStack();
  afterEach(async () => {
    await cleanup.close();
    cleanUp();
  });
  const folder = tempFolders();

  /** What the first message of a follow-up says of the earlier work. */
  const goesOn = (index: number) =>
    `This continues task t${index - 1}: what that task changed is in the workspace already.`;

  const FILES = ['one.txt', 'two.txt', 'three.txt', 'four.txt'];

  /** What the public hub keeps of a submitted task. */
  const kept = ({ description, repo, branch, metadata, verification_steps }: FollowUp) => ({
    description,
    repo,
    branch,
    metadata,
    verification_steps,
  });

  async function startHub(): Promise<HubDouble> {
    const hub = new HubDouble(systemClock);
    await hub.listen();
    cleanup.add(() => hub.kill());
    return hub;
  }

  /** The result of a task that a new worker with nothing on its disk does. */
  async function resultOf(hub: HubDouble, modelUrl: string, id: string, task: object): Promise<TaskResult> {
    const dir = folder();
    const started = await startWorker({
      config: configSchema.parse({
        ...loopAlone,
        hub: { url: hub.url, agentId: 'worker-1', token: 'secret' },
        ollama: { url: modelUrl },
        model: { default: 'm' },
        limits: { maxVerificationRetries: 0 },
        sandbox: { mode: 'off' },
        worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
      }),
      logger: silentLogger,
    });
    if (!started.ok) throw new Error(started.failure.message);
    hub.submit(id, task);
    await eventually(() => hub.tasks.get(id)?.status === 'completed', `the end of ${id}`);
    await started.value.stop();
    return hub.tasks.get(id)?.result as TaskResult;
  }

  test.each([
    ['by a commit, where the workers share the repository', (path: string) => path],
    ['by a patch, where nobody else has the commit', (path: string) => `file://${path}`],
  ])('a follow-up is submitted as it is, three deep, and ends verified: %s', async (_how, named) => {
    const repo = repository();
    const scripts = FILES.map((name, index) => ({
      ...(index > 0 && { when: { firstUser: goesOn(index) } }),
      turns: [call('write_file', { file_path: name, content: `${name}\n` }), say(`Wrote ${name}.`)],
    }));
    const model = await testModel({ models: [{ name: 'm' }], scripts: scripts.toReversed() });
    const hub = await startHub();
    let task: object = {
      description: 'Write the four files.',
      repo: named(repo),
      metadata: { agentic: true },
      verification_steps: FILES.map((target) => ({ type: 'file_exists', target })),
    };
    for (const [index, name] of FILES.entries()) {
      const id = `t${index}`;
      const result = await resultOf(hub, model.url, id, task);
      const isLast = index === FILES.length - 1;
      expect(result).toMatchObject({ verification_status: isLast ? 'verified' : 'partial_pass' });
      expect(result.verification_report?.summary.passed).toBe(index + 1);
      expect(result.changes?.files.map(({ path }) => path)).toContain(name);
      if (isLast) return;
      expect(result.follow_up).toMatchObject({
        branch: `sidecar/${id}`,
        metadata: { follow_up_of: id, follow_up_depth: index + 1 },
      });
      task = kept(result.follow_up!);
      git(repo, 'commit', '-q', '--allow-empty', '-m', 'main goes on');
    }
  });
});
