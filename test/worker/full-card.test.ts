/** A queue of tasks on one card, through the real queue and scheduler; only the tasks themselves are stand-ins. */
import { describe, expect, test } from '@jest/globals';
import type { ScheduledServer } from '../../sidecar/model/servers/scheduled-server.ts';
import { Scheduler, type Grant } from '../../sidecar/model/servers/scheduler.ts';
import { SimulatedGpu, type GpuWork } from '../../sidecar/model/scripted/simulated-gpu.ts';
import { sleep } from '../../sidecar/base/system/clock.ts';
import { createOrderedQueue } from '../../sidecar/worker/task-order.ts';
import { ManualClock } from '../support/manual-clock.ts';

const SERVER = 'http://gpu:11434';
const LOAD_MS = 8_000;
const SPEED = { promptTokensPerSecond: 2_000, tokensPerSecond: 60 };
const QUESTIONS = 5;
const ANSWER_TOKENS = 150;
const TASKS = 24;

interface Row {
  slots: number;
  checkMs: number;
  models: number;
}

class Lab {
  readonly #clock = new ManualClock();
  readonly #gone = new AbortController().signal;
  readonly #row: Row;
  readonly #card: SimulatedGpu;
  readonly #scheduler: Scheduler;
  readonly #running: string[] = [];
  readonly #server: ScheduledServer;
  #ended = 0;

  constructor(row: Row) {
    this.#row = row;
    this.#scheduler = new Scheduler({ clock: this.#clock });
    this.#server = this.#scheduler.servers.getOrAdd({ url: SERVER, slots: row.slots });
    this.#card = new SimulatedGpu({
      clock: this.#clock,
      speed: SPEED,
      slots: row.slots,
      loadedModels: 1,
      onUnload: () => undefined,
    });
  }

  /** What the card did for so many tasks. */
  async workOff(tasks: number): Promise<readonly GpuWork[]> {
    const queue = createOrderedQueue({
      maxTasks: tasks,
      isAuto: true,
      maxPassedOverMs: 600_000,
      scheduler: this.#scheduler,
      listRunning: () => this.#running.map((id) => ({ id, usesModel: true })),
      clock: this.#clock,
    });
    for (let number = 0; number < tasks; number += 1) {
      const id = String(number);
      void queue.add(() => this.#task(id), { model: this.#modelOf(id) });
    }
    for (let minutes = 0; this.#ended < tasks && minutes < 120; minutes += 1)
      await this.#clock.advance(60_000);
    expect(this.#ended).toBe(tasks);
    return this.#card.workLog;
  }

  /** Its checks, its questions with checks between them, and the checks again. */
  async #task(id: string): Promise<void> {
    this.#running.push(id);
    const model = this.#modelOf(id);
    const isLoaded = this.#scheduler.servers.isLoadedAnywhere(model);
    if (isLoaded) this.#scheduler.expectCall(id, this.#server, model);
    await Promise.all([this.#check(), isLoaded || this.#call(id)]);
    let prompt = 'What all tasks begin with. '.repeat(200) + `Task ${id}. `.repeat(150);
    for (let question = 0; question < QUESTIONS; question += 1) {
      prompt += await this.#call(id, prompt);
      await this.#check();
      prompt += 'What the check says. '.repeat(50);
    }
    this.#scheduler.forgetTask(id);
    this.#running.splice(this.#running.indexOf(id), 1);
    this.#ended += 1;
  }

  /** A load where there is no prompt. */
  async #call(id: string, prompt?: string): Promise<string> {
    const model = this.#modelOf(id);
    const grant = (await this.#scheduler.waitForSlot({
      taskId: id,
      model,
      isLoad: prompt === undefined,
      servers: () => [this.#server],
    })) as Grant;
    const seat = await this.#card.acquireModel(model, 16_384, LOAD_MS, this.#gone);
    const answer = 'Words of an answer. '.repeat(30);
    const tokensIn = Math.round((prompt ?? '').length / 3);
    const tokensOut = prompt === undefined ? 0 : ANSWER_TOKENS;
    const work = {
      conversation: id,
      prompt: prompt ?? '',
      answer,
      promptTokens: tokensIn,
      writtenTokens: tokensOut,
    };
    const readTokens = prompt === undefined ? 0 : await seat.runCall(work);
    seat.release();
    const value = {
      message: { role: 'assistant' as const, content: '' },
      doneReason: 'stop' as const,
      tokensIn,
      tokensOut,
      totalNs: 0,
      loadNs: seat.loadMs * 1e6,
      promptEvalNs: (readTokens / SPEED.promptTokensPerSecond) * 1e9,
      evalNs: (tokensOut / SPEED.tokensPerSecond) * 1e9,
    };
    grant.end({ ok: true, value });
    return answer;
  }

  #check = (): Promise<void> => sleep(this.#clock, this.#row.checkMs);

  #modelOf = (id: string): string => `model ${Number(id) % this.#row.models}`;
}

/** From each task's first question to its last answer. */
function spansOf(works: readonly GpuWork[]): { fromMs: number; toMs: number }[] {
  const calls = works.filter(({ isLoad }) => !isLoad);
  const tasks = new Set(calls.map(({ conversation }) => conversation));
  return [...tasks].map((task) => {
    const own = calls.filter(({ conversation }) => conversation === task);
    return {
      fromMs: Math.min(...own.map(({ askedMs }) => askedMs)),
      toMs: Math.max(...own.map(({ endedMs }) => endedMs)),
    };
  });
}

const slowestMs = (works: readonly GpuWork[]): number =>
  Math.max(...spansOf(works).map(({ fromMs, toMs }) => toMs - fromMs));

/** Of the slots' time until the last task has begun. */
function busyShare(works: readonly GpuWork[], slots: number): number {
  const begins = spansOf(works).map(({ fromMs }) => fromMs);
  const [fromMs, untilMs] = [Math.min(...begins), Math.max(...begins)];
  const busyMs = works
    .filter(({ isLoad }) => !isLoad)
    .map(({ startedMs, endedMs }) => Math.max(0, Math.min(endedMs, untilMs) - Math.max(startedMs, fromMs)));
  return busyMs.reduce((sum, ms) => sum + ms, 0) / ((untilMs - fromMs) * slots);
}

describe('a queue on one card', () => {
  test.each([
    // Checks that are no longer than reading a prompt again: one task after the other.
    [{ slots: 1, checkMs: 200, models: 1 }, 0.9, 1.05],
    [{ slots: 1, checkMs: 3_000, models: 1 }, 0.95, 1.2],
    [{ slots: 2, checkMs: 3_000, models: 1 }, 0.9, 1.3],
    [{ slots: 1, checkMs: 10_000, models: 1 }, 0.85, 1.2],
    [{ slots: 1, checkMs: 20_000, models: 1 }, 0.85, 1.25],
    // Other models wait for the end of all tasks of the loaded one.
    [{ slots: 1, checkMs: 3_000, models: 2 }, 0.85, 1.3],
    [{ slots: 1, checkMs: 20_000, models: 2 }, 0.75, 1.25],
  ])(
    '%j: the slots work for %d of the time, and no task takes longer than %d times that alone',
    async (row, share, times) => {
      const aloneMs = slowestMs(await new Lab(row).workOff(1));
      const works = await new Lab(row).workOff(TASKS);
      expect(busyShare(works, row.slots)).toBeGreaterThan(share);
      expect(slowestMs(works) / aloneMs).toBeLessThan(times);
      expect(works.filter(({ isLoad }) => isLoad)).toHaveLength(row.models);
    },
  );
});
