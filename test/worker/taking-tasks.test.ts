import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configSchema } from '../../sidecar/base/config/schema.ts';
import { HubAdapter } from '../../sidecar/worker/hub-link/hub-adapter.ts';
import type { HubLink } from '../../sidecar/worker/hub-link/hub-link.ts';
import { CostLedger } from '../../sidecar/worker/ledger/cost-ledger.ts';
import { silentLogger } from '../../sidecar/base/observability/silent-logger.ts';
import { hubFeaturesSchema } from '../../sidecar/base/protocol/hub-frames.ts';
import { taskSchema } from '../../sidecar/base/protocol/task.ts';
import { createOutbox } from '../../sidecar/base/storage/outbox.ts';
import { openStateDatabase, type StateDatabase } from '../../sidecar/base/storage/state-database.ts';
import { createTaskJournal } from '../../sidecar/base/storage/task-journal.ts';
import { createTaskRecords, type TaskRecords } from '../../sidecar/base/storage/task-records.ts';
import { ActiveTasks } from '../../sidecar/worker/active-tasks.ts';
import { computeMaxTasks, createOrderedQueue } from '../../sidecar/worker/task-order.ts';
import { Assignments } from '../../sidecar/worker/assignments.ts';
import { waitForDisk } from '../../sidecar/worker/capacity.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { json, say } from '../support/scripted-model.ts';
import { startSystem, type TestSystem } from '../support/sidecar.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { quiet } from '../support/until.ts';

const GIB = 1024 ** 3;
const machine = { cores: 8, memoryBytes: 64 * GIB };

describe('how many tasks are in work', () => {
  test.each([
    [{ concurrency: 3 }, {}, machine, 3],
    [{ concurrency: 'auto' as const }, {}, machine, 9],
    [{ concurrency: 'auto' as const }, { slots: 4 }, machine, 12],
    [{ concurrency: 'auto' as const }, { slots: 4 }, { ...machine, memoryBytes: 16 * GIB }, 8],
    [{ concurrency: 'auto' as const }, { slots: 4 }, { ...machine, memoryBytes: 4 * GIB }, 5],
    [{ concurrency: 'auto' as const, autoLimit: 20 }, {}, machine, 20],
  ])('%j with %j: at most %4$i', (worker, ollama, on, most) => {
    expect(computeMaxTasks(configSchema.parse({ worker, ollama }), on)).toBe(most);
  });

  /** A queue whose tasks end when they are told to; the scheduler wants `wanted` tasks, those that are coming included. */
  function place({ isAuto = false, maxPassedOverMs = 600_000 } = {}) {
    const clock = new ManualClock();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const asked = new Set<string>();
    let loaded: string | undefined;
    let wanted = 0;
    let changed = (): void => undefined;
    const queue = createOrderedQueue({
      maxTasks: isAuto ? 4 : 1,
      isAuto,
      maxPassedOverMs,
      defaultModel: 'a',
      scheduler: {
        countUsefulTasks: ({ isFitting, startingTasks }) => (isFitting ? wanted : 0) - startingTasks,
        hasAsked: (id) => asked.has(id),
        onChange: (listener) => (changed = listener),
        servers: {
          wouldSwap: (model) => loaded !== undefined && model !== loaded,
          isLoadedAnywhere: (model) => model === loaded,
        },
      },
      listRunning: () => [...ends.keys()].map((id) => ({ id, usesModel: !id.startsWith('shell') })),
      clock,
    });
    const add = (name: string, model?: string): void => {
      const run = async (): Promise<void> => {
        begun.push(name);
        loaded = model ?? 'a';
        await new Promise<void>((resolve) => ends.set(name, resolve));
        ends.delete(name);
      };
      void queue.add(run, model === undefined ? {} : { model });
    };
    const settled = () => clock.advance(0);
    return {
      clock,
      queue,
      begun,
      add,
      settled,
      end: async (name = begun.at(-1) ?? ''): Promise<void> => {
        ends.get(name)?.();
        await settled();
      },
      want: async (count: number): Promise<void> => {
        wanted = count;
        changed();
        await settled();
      },
      ask: async (name: string): Promise<void> => {
        asked.add(name);
        changed();
        await settled();
      },
    };
  }

  describe('with auto', () => {
    test('as many are begun as the scheduler wants, without those that will ask soon', async () => {
      const { begun, add, settled, want, ask, clock } = place({ isAuto: true });
      for (const name of ['1', '2', '3', '4', '5', '6']) add(name);
      await settled();
      // One is begun in any case.
      expect(begun).toEqual(['1']);
      await want(2);
      expect(begun).toEqual(['1', '2']);
      await ask('1');
      expect(begun).toEqual(['1', '2', '3']);
      // What takes long before its first question is not waited for; no more than four are in work.
      await clock.advance(2_500);
      expect(begun).toEqual(['1', '2', '3', '4']);
      await want(1);
      expect(begun).toHaveLength(4);
    });

    test('a command alone needs no model', async () => {
      const { begun, add, want } = place({ isAuto: true });
      for (const name of ['shell 1', '2', '3']) add(name);
      await want(1);
      expect(begun).toEqual(['shell 1', '2']);
    });

    test('tasks of another model wait where none is wanted for that', async () => {
      const { begun, add, want, ask } = place({ isAuto: true });
      add('1', 'a');
      add('2', 'b');
      await ask('1');
      await want(2);
      expect(begun).toEqual(['1']);
    });
  });

  describe('in which order', () => {
    test('those of the loaded model are begun first, each model in order', async () => {
      const { begun, add, settled, end } = place();
      for (const [name, model] of [['1', 'a'], ['2', 'b'], ['3', 'a'], ['4', 'b'], ['5']] as const)
        add(name, model);
      await settled();
      for (let count = 0; count < 5; count += 1) await end();
      expect(begun).toEqual(['1', '3', '5', '2', '4']);
    });

    test('none is passed over for longer than it may be', async () => {
      const { begun, add, settled, end, clock } = place({ maxPassedOverMs: 120_000 });
      add('1', 'b');
      add('2', 'a');
      for (let name = 3; name <= 8; name += 1) add(String(name), 'b');
      await settled();
      for (let count = 0; count < 8; count += 1) {
        await clock.advance(60_000);
        await end();
      }
      expect(begun.indexOf('2')).toBe(3);
    });

    test('clearing the queue forgets those that wait', async () => {
      const { begun, add, settled, end, queue } = place();
      add('1');
      add('2');
      await settled();
      queue.clear();
      await end();
      await queue.onIdle();
      expect(begun).toEqual(['1']);
    });
  });
});

const task = (generation: number) => taskSchema.parse({ task_id: 't1', generation });

describe('assignments of a worker', () => {
  const tempFolder = tempFolders();
  let db: StateDatabase;
  let records: TaskRecords;
  let active: ActiveTasks;
  let assignments: Assignments;
  let said: unknown[][];

  beforeEach(async () => {
    const clock = new ManualClock();
    db = await openStateDatabase(tempFolder());
    records = createTaskRecords(db, clock);
    const journal = ({ task_id: id }: { task_id: string }) => createTaskJournal(db, id);
    active = new ActiveTasks(journal);
    said = [];
    const link = {
      accept: (...args: unknown[]) => said.push(['accept', ...args]),
      release: (...args: unknown[]) => said.push(['release', ...args]),
      flush: () => undefined,
      hub: new HubAdapter(hubFeaturesSchema.parse({})),
    } as unknown as HubLink;
    assignments = new Assignments({
      active,
      records,
      outbox: createOutbox(db),
      openJournal: journal,
      link,
      ledger: new CostLedger(),
      config: configSchema.parse({}),
      capacity: { maxTasks: 9, explainNotReady: () => undefined, explainDiskShortage: () => undefined },
      worker: { isDraining: false, onStorageFailed: (error) => said.push(['failed', error]) },
      queue: {
        run(one) {
          said.push(['run', one.task.task_id]);
          return new Promise(() => undefined);
        },
      },
      pruning: { pruneSoon: () => said.push(['dropped']) },
      clock,
      logger: silentLogger,
    });
  });
  afterEach(() => db.close());

  test('an abort of an old generation does not stop the run that replaced it; one of its own does', () => {
    assignments.onAssign(task(1));
    assignments.onAssign(task(2));
    assignments.onDrop('t1', 1);
    expect(active.get('t1')?.control.stopReason).toBeUndefined();
    assignments.onDrop('t1', 2);
    expect(active.get('t1')?.control.stopReason).toBe('cancelled');
  });

  test('an abort that names no generation is about the newest', () => {
    assignments.onAssign(task(2));
    assignments.onDrop('t1');
    expect(active.get('t1')?.control.stopReason).toBe('cancelled');
  });

  test('an abort of an old generation leaves what waits for the end of a cancelled run', () => {
    assignments.onAssign(task(1));
    assignments.onDrop('t1', 1);
    assignments.onAssign(task(2));
    assignments.onDrop('t1', 1);
    expect(active.get('t1')?.nextAssignment?.generation).toBe(2);
    assignments.onDrop('t1', 2);
    expect(active.get('t1')?.nextAssignment).toBeUndefined();
  });

  test('an old generation of a running task changes nothing and is not accepted', () => {
    assignments.onAssign(task(3));
    said.length = 0;
    assignments.onAssign(task(2));
    expect(said).toEqual([]);
    expect(active.get('t1')?.generation).toBe(3);
    expect(records.get('t1')?.generation).toBe(3);
  });

  test('an old generation of a task of an earlier life is neither accepted nor run', () => {
    records.accept(task(3));
    assignments.onAssign(task(2));
    expect(said).toEqual([]);
    assignments.onAssign(task(4));
    expect(said).toEqual([
      ['accept', 't1', 4],
      ['run', 't1'],
    ]);
  });
});

/** A task that waits long for a person, on a clock that the test moves. */
describe('waiting', () => {
  let system: TestSystem;
  afterEach(() => system.cleanup.close());

  /** Moves the worker's time a second at a time, with everything delivered in between. */
  async function pass(clock: ManualClock, durationMs: number): Promise<void> {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 1_000) {
      await clock.advance(Math.min(leftMs, 1_000));
      await quiet();
    }
  }

  const question = json({ request_approval: 'Tabs or spaces?' });

  /** Runs a task that asks; `answerAfterMs` of the worker's time go by before a person answers. */
  async function ask(timeoutMs: number, waitMs: number, answers: boolean) {
    system = await startSystem({ turns: [question, say('Told: {{lastMessage}}')] });
    const clock = new ManualClock(Date.now());
    const config = {
      model: { toolMode: 'structured' as const },
      approval: { question: 'hub' as const, timeoutMs },
    };
    await system.worker('w1', config, clock);
    const { task_id: id } = await system.client.submit({ description: 'x', agentic: true });
    const said: string[] = [];
    const { result } = await system.untilEnded(id, async ({ kind, body }) => {
      if (body.event_type === 'status' && /\buser\b/u.test(String(body.text))) said.push(String(body.text));
      if (kind === 'approval' && body.status === 'pending') {
        await pass(clock, waitMs);
        const answer = { approval_id: String(body.approval_id), decision: 'corrected', text: 'Tabs.' };
        if (answers) await system.answer(id, answer);
      }
    });
    return { said, output: String(result?.output), pending: clock.pending };
  }

  test('gives a sign of life every 30 s, then goes on without an answer', async () => {
    const { said, output } = await ask(100_000, 100_000, false);
    expect(said).toEqual([
      "Waiting for a user's answer (question)",
      "Waiting for a user's answer (question, 30 s)",
      "Waiting for a user's answer (question, 60 s)",
      "Waiting for a user's answer (question, 90 s)",
      'No user answered (question) within 100 s; the task continues without an answer',
    ]);
    expect(output).toContain('Decide yourself and write down why');
  });

  test('gives none any more once a person has answered', async () => {
    const { said, output } = await ask(600_000, 65_000, true);
    expect(said).toEqual([
      "Waiting for a user's answer (question)",
      "Waiting for a user's answer (question, 30 s)",
      "Waiting for a user's answer (question, 60 s)",
      'A user answered (question): corrected',
    ]);
    expect(output).toContain('Tabs.');
  });
});

function begin(limitMs: number) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const told: string[] = [];
  const disk = { missing: '1 MiB are free' as string | undefined };
  let isOver = false;
  const held = waitForDisk({
    explainShortage: () => disk.missing,
    limitMs,
    clock,
    stopSignal: stop.signal,
    emit: (text) => told.push(text),
  }).then(() => (isOver = true));
  return { clock, stop, told, disk, held, isOver: () => isOver };
}

describe('a task that finds the disk full', () => {
  test('waits until there is room, and says so once', async () => {
    const { clock, told, disk, held, isOver } = begin(3_600_000);
    await clock.advance(600_000);
    expect(isOver()).toBe(false);
    disk.missing = undefined;
    await clock.advance(10_000);
    await held;
    expect(told).toEqual([
      'Waiting for disk space (1 MiB are free)',
      'There is enough disk space again after 610 s; the task continues',
    ]);
    expect(clock.pending).toBe(0);
  });

  test('waits no longer than allowed', async () => {
    const { clock, told, held } = begin(25_000);
    await clock.advance(25_000);
    await held;
    expect(told.at(-1)).toBe('Stopped waiting for disk space after 25 s (limits.holdTimeoutMs)');
  });

  test('waits no longer when it is stopped, and not at all where that is not allowed', async () => {
    const { clock, stop, told, held } = begin(60_000);
    await clock.advance(5_000);
    stop.abort();
    await held;
    expect(told).toHaveLength(1);
    const never = begin(0);
    await never.held;
    expect(never.told).toEqual([]);
  });
});
