/**
 * One run of chaos in a world: tasks are submitted, and while they run both sides are killed, connections cut, frozen,
 * slowed down and made to repeat themselves, and the model server goes away; at the end everything is counted.
 */
import { pause, type ChaosWorld } from './chaos-world.ts';
import { randomFrom } from '../support/random.ts';

/** A task whose hub was killed at a bad moment waits minutes of the fast clock; the machine may be slow. */
const DEADLINE_MS = 90_000;
const POLL_MS = 50;
const TASKS = 3;
const CALLS = 3;
const ENDED = new Set(['success', 'partial', 'dead_letter', 'cancelled']);

export interface ChaosOutcome {
  /** What happened, in words; for the one who looks into a failed run. */
  story: string[];
  /** Empty when every promise was kept. */
  broken: string[];
}

/** The run that belongs to `seed`. Timing is the machine's, so that a seed repeats the plan and not the race. */
export async function chaosRun(world: ChaosWorld, seed: number): Promise<ChaosOutcome> {
  const run = new ChaosRun(world, seed);
  try {
    await run.submit();
    await run.storm();
    await run.settle();
  } catch (error) {
    run.broken.push(String(error));
  }
  const output = world.takeOutput();
  if (run.broken.length > 0) run.story.push(...output, `— effects —\n${run.effects().join('\n')}`);
  return { story: run.story, broken: run.broken };
}

class ChaosRun {
  readonly story: string[] = [];
  readonly broken: string[] = [];
  readonly #world: ChaosWorld;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #beganMs = Date.now();
  /** Ids of the run's tasks by their tags. */
  readonly #taskIds = new Map<string, string>();

  constructor(world: ChaosWorld, seed: number) {
    this.#world = world;
    this.#seed = seed;
    this.#random = randomFrom(seed);
    world.random = randomFrom(seed + 0x5eed);
  }

  /** The effects of this run's tasks. */
  effects(): string[] {
    return this.#world.effects().filter((line) => line.startsWith(this.#tag('')));
  }

  async submit(): Promise<void> {
    for (let i = 0; i < TASKS; i += 1) {
      const tag = this.#tag(i);
      this.#taskIds.set(tag, await this.#world.submit(tag, CALLS, i % 2 === 0));
    }
  }

  async storm(): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    const actions: [string, () => Promise<void> | void][] = [
      ['the worker is killed', () => world.killWorker(random() * 100)],
      ['the worker is killed', () => world.killWorker(random() * 100)],
      ['the hub is killed', () => world.killHub(random() * 100)],
      ['the connection is cut', () => world.cut()],
      ['the connection is half open', () => world.freeze()],
      ['the model server goes away', () => world.modelGoesAway()],
      ['the model server goes away', () => world.modelGoesAway()],
      ['the model server is back', () => world.modelComesBack()],
      ['frames are slow', () => void (world.weather = { delayMs: random() * 60 })],
      ['frames come twice', () => void (world.weather = { duplicates: random() })],
    ];
    const count = 2 + Math.floor(random() * 3);
    for (let i = 0; i < count; i += 1) {
      await pause(random() * 350);
      const [name, act] = actions[Math.floor(random() * actions.length)] ?? ['', pause];
      this.story.push(`${Date.now() - this.#beganMs} ms: ${name}`);
      await act();
    }
    await pause(random() * 200);
    world.weather = { delayMs: 0, duplicates: 0 };
    await world.modelComesBack();
  }

  /** Waits until hub and worker have both come to rest, and counts. */
  async settle(): Promise<void> {
    await this.#within(DEADLINE_MS, 'every task ends', async () => {
      const statuses = await Promise.all([...this.#taskIds.values()].map((id) => this.#world.statusOf(id)));
      return statuses.every((status) => ENDED.has(status));
    });
    await this.#within(DEADLINE_MS / 2, 'the worker comes to rest', () => this.#world.isAtRest());
    this.#checkTasks();
    this.#checkEffects();
  }

  #tag(index: number | ''): string {
    return `run${this.#seed}task${index}`;
  }

  /** Polls, since either side may be dead just now. */
  async #within(limitMs: number, what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    const giveUpMs = Date.now() + limitMs;
    for (;;) {
      try {
        if (await condition()) return;
      } catch (error) {
        if (Date.now() > giveUpMs) throw error;
      }
      if (Date.now() > giveUpMs) throw new Error(`waited ${limitMs} ms until ${what}`);
      await pause(POLL_MS);
    }
  }

  /** Every task ended in exactly one accepted result or as a dead letter. */
  #checkTasks(): void {
    const effects = this.effects();
    for (const [tag, id] of this.#taskIds) {
      const count = this.#world.notesOf(id);
      const [completed, dead] = [count('completed'), count('dead_letter')];
      if (completed + dead !== 1) this.broken.push(`${tag}: ${completed} results and ${dead} dead letters`);
      // Attempts are for what goes wrong in a task: an outage of the model server uses up none.
      if (dead > 0 && !this.story.some((line) => line.endsWith('is killed'))) {
        this.broken.push(`${tag}: dead although nothing was killed`);
      }
      const assigned = count('assigned');
      for (let call = 0; call < CALLS; call += 1) {
        const lines = effects.filter((line) => line.startsWith(`${tag} ${call} `)).length;
        if (lines > assigned)
          this.broken.push(`${tag}: call ${call} ran ${lines} times in ${assigned} assignments`);
      }
    }
  }

  /** One answer of the model is one effect, whatever happened to the one who acted on it. */
  #checkEffects(): void {
    const ids = this.effects().map((line) => line.split(' ')[2]);
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
    if (twice.length > 0) this.broken.push(`effects applied twice: ${twice.join(', ')}`);
  }
}
