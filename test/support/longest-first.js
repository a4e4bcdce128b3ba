/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those that take more than 20 seconds of the processor, the longest first. */
const LONGEST = [
  'hub/dashboard',
  'drafts/drafts',
  'solve/attempts',
  'cli/run',
  'hub/queue-postgresql',
  'cli/daemon',
  'workspace/source-configuration',
  'evaluate/evaluate',
  'drafts/resumed-drafts',
  'task/resume',
  'executors/slots',
  'executors/planned/planned-resume',
  'solve/proof/cheating',
  'chaos/chaos',
  'worker/lifecycle',
  'worker/resume-killed',
  'commands/escapes',
  'cli/demo',
  'ci/ci-job',
  'chaos/soak',
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
