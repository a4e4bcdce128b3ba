/**
 * Nothing lost, nothing done twice: random runs as chaos-run.ts has them, several in one world and some worlds side by
 * side. `CHAOS_RUNS` sets how many runs, `CHAOS_SEED` where to begin; a failed run prints its seed and its story.
 */
import { describe, expect, test } from '@jest/globals';
import { randomFrom } from '../support/random.ts';
import { countOf, isLong, seedOf } from '../support/scale.ts';
import { chaosRun } from './chaos-run.ts';
import { ChaosWorld } from './chaos-world.ts';

const RUNS = countOf('CHAOS_RUNS', { quick: 2, full: 100 });
const SEED = seedOf('CHAOS_SEED');
/** Worlds side by side: they mostly wait. */
const LANES = isLong ? 4 : 1;
/** A world is ended in order after so many runs, and looked at. */
const RUNS_OF_A_WORLD = 10;

describe('chaos', () => {
  test(`${RUNS} runs from seed ${SEED}: one result for every task, no effect twice, nothing left over`, async () => {
    const seeds = Array.from({ length: RUNS }, (_value, index) => SEED + index);
    const broken: string[] = [];
    const lane = async () => {
      while (seeds.length > 0) broken.push(...(await livesThrough(seeds)));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(broken).toEqual([]);
  });
});

/** Takes seeds for one world, and answers what was broken in it. A world in which something broke is not used again. */
async function livesThrough(waiting: number[]): Promise<string[]> {
  const begunWith = waiting[0] ?? 0;
  const world = new ChaosWorld(randomFrom(begunWith));
  try {
    await world.begin();
    for (let runs = 0; runs < RUNS_OF_A_WORLD; runs += 1) {
      const seed = waiting.shift();
      if (seed === undefined) break;
      const { broken, story } = await chaosRun(world, seed);
      if (broken.length > 0) return [told(`seed ${seed}`, seed, broken, story)];
    }
    const broken = await world.finish();
    return broken.length > 0
      ? [told(`the world of seed ${begunWith}`, begunWith, broken, world.takeOutput())]
      : [];
  } finally {
    await world.remove();
  }
}

function told(what: string, seed: number, broken: string[], story: string[]): string {
  console.error(`CHAOS_SEED=${seed} CHAOS_RUNS=1\n${broken.join('\n')}\n\n${story.join('\n')}`);
  return `${what}: ${broken.join('; ')}`;
}
