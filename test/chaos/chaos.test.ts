/**
 * Nothing lost, nothing done twice: random runs of hub, worker, proxy and model as chaos-run.ts has them.
 * `CHAOS_RUNS` sets how many, `CHAOS_SEED` where to begin; a failed run prints its seed and its story.
 */
import { describe, expect, test } from '@jest/globals';
import { chaosRun } from './chaos-run.ts';

const ci = process.env.TEST_SCALE === 'ci';
const RUNS = Number(process.env.CHAOS_RUNS ?? (ci ? 200 : 6));
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
/** Runs side by side: they mostly wait. */
const LANES = ci ? 3 : 2;

describe('chaos', () => {
  test(
    `${RUNS} runs from seed ${SEED}: one result for every task, no effect twice, nothing left over`,
    async () => {
      const seeds = Array.from({ length: RUNS }, (_value, index) => SEED + index);
      const failed: string[] = [];
      const lane = async () => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          const { broken, story } = await chaosRun(seed);
          if (broken.length === 0) continue;
          failed.push(`seed ${seed}: ${broken.join('; ')}`);
          console.error(`CHAOS_SEED=${seed} CHAOS_RUNS=1\n${broken.join('\n')}\n\n${story.join('\n')}`);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(failed).toEqual([]);
    },
    60_000 + RUNS * 10_000,
  );
});
