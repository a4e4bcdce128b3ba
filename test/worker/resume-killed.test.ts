/**
 * Workers that are killed at random: at a write of the journal, or at a moment. `KILL_RUNS` sets how many, `TEST_SEED` where to
 * begin. A long run has checks of 0, 3 and 20 seconds and prints a line for each kill.
 */
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { randomFrom } from '../support/random.ts';
import { countOf, isLong, scaled, seedOf } from '../support/scale.ts';
import { cleanUp } from '../workspace/repositories.ts';
import { KILL_STORIES, runStory, type KillMoment, type KillStory, type StoryRun } from './killed-runs.ts';

afterAll(cleanUp);

/** The worker's process runs the built library. */
const BUILT = existsSync('dist/index.js');
const KILLS = countOf('KILL_RUNS', { quick: 3, full: 60 });
const SEED = seedOf('TEST_SEED');
const CHECK_SECONDS = scaled({ quick: [0], full: [0, 3, 20] });
/** Runs side by side: they mostly wait. */
const LANES = isLong ? 6 : 1;
const UNKNOWN = 'interrupted, outcome unknown';

interface PlannedKill {
  story: KillStory;
  seconds: number;
  /** Shares of the writes or of the time, and a delay after a write. */
  share: number;
  delayMs: number;
  isAtWrite: boolean;
}

/** Returns the kills of a seed: all stories in turn, each with checks of every length. */
function plannedKills(): PlannedKill[] {
  const random = randomFrom(SEED);
  return Array.from({ length: KILLS }, (_value, index) => ({
    story: KILL_STORIES[(index + SEED) % KILL_STORIES.length] as KillStory,
    seconds: CHECK_SECONDS[Math.floor(index / KILL_STORIES.length) % CHECK_SECONDS.length] as number,
    share: random(),
    delayMs: Math.floor(random() * 40),
    isAtWrite: random() < 0.6,
  }));
}

const momentOf = ({ isAtWrite, share, delayMs, seconds }: PlannedKill, whole: StoryRun): KillMoment =>
  isAtWrite
    ? { write: 1 + Math.floor(share * whole.writes), delayMs }
    : { atMs: share * (whole.tookMs + whole.checks * seconds * 1_000) };

/** Returns in which ways a run is not what it would have been without the kill. */
function problemsOf({ steer, answer }: KillStory, run: StoryRun, whole: StoryRun): string[] {
  const { kill, effects, lastMessages } = run;
  const problems: string[] = [];
  const compare = (what: string, is: unknown, was: unknown) => {
    const [now, before] = [JSON.stringify(is), JSON.stringify(was)];
    if (now !== before) problems.push(`${what}: ${now} in place of ${before}`);
  };
  const unknownCalls = kill?.unknownCalls ?? 0;
  for (const [key, was] of Object.entries(whole.outcome)) {
    // A message may come in time for a later question, which takes one more answer at the end.
    const isLoose = (key === 'tree' && unknownCalls > 0) || (key === 'iterations' && steer !== undefined);
    if (!isLoose) compare(key, run.outcome[key], was);
  }
  const count = (text: string) => lastMessages.join('\n').split(text).length - 1;
  for (const text of [steer, answer])
    if (text !== undefined) compare(`how often the model read "${text}"`, count(text), steer ? 1 : 2);
  compare('effects', [...new Set(effects)], effects);
  if (unknownCalls === 0) compare('effects', effects, whole.effects);
  if (kill?.nextQuestionMs !== undefined) compare('calls reported as unknown', count(UNKNOWN), unknownCalls);
  compare('questions asked twice', kill?.askedTwice ?? 0, 0);
  return problems;
}

(BUILT ? describe : describe.skip)('a worker that is killed', () => {
  test(
    `${KILLS} times at random (TEST_SEED=${SEED}): its tasks end as they would have, nothing is asked or done twice`,
    async () => {
      const waiting = plannedKills();
      const wholes = new Map<string, Promise<StoryRun>>();
      const wholeOf = (story: KillStory) => {
        const whole = wholes.get(story.name) ?? runStory(story, 0);
        wholes.set(story.name, whole);
        return whole;
      };
      const broken: string[] = [];
      const lane = async () => {
        for (let planned = waiting.shift(); planned; planned = waiting.shift()) {
          const { story, seconds } = planned;
          const whole = await wholeOf(story);
          const moment = momentOf(planned, whole);
          // The other lanes go on after an error, so that their runs are not cleaned up under way.
          const run = await runStory(story, seconds, moment).catch(String);
          const problems = typeof run === 'string' ? [run] : problemsOf(story, run, whole);
          const kill = typeof run === 'string' ? undefined : run.kill;
          const line = JSON.stringify({ story: story.name, seconds, ...moment, ...kill, problems });
          if (isLong) console.info(line);
          if (problems.length > 0) broken.push(line);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(broken).toEqual([]);
    },
    KILLS * 60_000,
  );
});
