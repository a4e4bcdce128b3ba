/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those of more than half a minute at the scale of continuous integration, the longest first. */
const LONGEST = [
  'chaos/soak',
  'chaos/chaos',
  'hub/killed-hub',
  'cli/daemon',
  'answers/hostile',
  'worker/lifecycle',
  'worker/resume-killed',
  'commands/many-commands',
  'commands/escapes',
  'commands/commands',
  'execution/proof/cheating',
  'workspace/source-configuration',
  'hub/event-load',
  'chaos/fuzz',
  'execution/journal/resume',
  'answers/fuzz',
];

/** Place in the list; behind all of it for the others. */
function rank({ path }) {
  const place = LONGEST.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
