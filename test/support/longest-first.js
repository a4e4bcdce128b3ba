/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those that take more than 20 seconds, the longest first. */
const LONGEST = [
  'solve/proof/cheating',
  'hub/dashboard',
  'oracle/oracle',
  'evaluate/evaluate',
  'hub/queue-postgresql',
  'cli/run',
  'solve/attempts',
  'cli/daemon',
  'workspace/source-configuration',
  'drafts/drafts',
  'corpus/files/files',
  'cli/demo',
  'asking/model-faults',
  'drafts/resumed-drafts',
  'drafts/other-drafts',
  'cli/runs',
  'loop/prepared-loop',
  'workspace/hostile-repositories',
  'docs/docs',
  'worker/planned',
  'tools/mcp/programs',
  'worker/endings',
  'worker/lifecycle-public-hub',
  'worker/plans',
  'worker/lifecycle',
  'worker/settings',
  'task/resume',
  'worker/servers-down',
  'commands/escapes',
  'answers/real/real-answers',
  'worker/public-hub',
  'worker/reporting',
  'executors/planned/planned-resume',
  'corpus/toolchains/toolchains',
  'evaluate/validate',
  'worker/state-folder',
  'hub/queue-sqlite',
  'ci/ci-job',
  'solve/proof/proof',
  'workspace/sources',
  'chaos/chaos',
  'task/toolset/toolset',
  'loop/loop-modes',
  'workspace/check-tree',
  'worker/stopping',
  'cli/screen',
  'executors/ollama-executor',
  'solve/solve',
  'mcp/mcp',
  'asking/limits',
  'workspace/prepare-workspace',
  'cli/hub-access',
  'chaos/soak',
  'loop/final-answers',
  'workspace/follow-ups',
  'worker/traces',
  'executors/slots',
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
