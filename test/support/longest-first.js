/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those that take more than 20 seconds of the processor, the longest first. */
const LONGEST = [
  'hub/dashboard',
  'solve/proof/cheating',
  'drafts/drafts',
  'evaluate/evaluate',
  'cli/run',
  'hub/queue-postgresql',
  'cli/daemon',
  'oracle/oracle',
  'solve/attempts',
  'workspace/source-configuration',
  'worker/worker',
  'corpus/files/files',
  'worker/endings',
  'worker/lifecycle',
  'worker/state-folder',
  'drafts/resumed-drafts',
  'loop/prepared-loop',
  'executors/slots',
  'task/resume',
  'executors/planned/planned-resume',
  'worker/planned',
  'chaos/chaos',
  'commands/escapes',
  'cli/demo',
  'asking/model-faults',
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
