/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those that take more than 10 seconds beside others, the longest first. */
const LONGEST = [
  'corpus/projects/projects',
  'solve/proof/cheating',
  'hub/dashboard',
  'oracle/oracle',
  'hub/queue-postgresql',
  'cli/run',
  'solve/attempts',
  'cli/daemon',
  'evaluate/evaluate',
  'ci/ci-job',
  'tools/mcp/programs',
  'cli/demo',
  'drafts/drafts',
  'worker/state-folder',
  'cli/runs',
  'commands/escapes',
  'asking/model-faults',
  'drafts/other-drafts',
  'docs/docs',
  'corpus/toolchains/toolchains',
  'hub/database',
  'applying/apply-answer',
  'worker/traces',
  'worker/lifecycle',
  'hub/queue-sqlite',
  'workspace/sources',
  'executors/ollama-executor',
  'loop/prepared-loop',
  'worker/resume-killed',
  'worker/servers-down',
  'cli/screen',
  'workspace/source-configuration',
  'task/toolset/toolset',
  'mcp/mcp',
  'chaos/soak',
  'cli/inspection',
  'commands/programs',
  'workspace/hostile-repositories',
  'workspace/follow-ups',
  'corpus/files/files',
  'cli/hub-access',
  'solve/proof/proof',
  'worker/lifecycle-public-hub',
  'worker/stopping',
  'loop/loop-modes',
  'drafts/resumed-drafts',
  'workspace/check-tree',
  'worker/settings',
  'task/limits',
  'evaluate/validate',
  'commands/sandbox',
  'answers/fuzz',
  'answers/real/real-answers',
  'workspace/dependencies',
  'loop/final-answers',
  'tools/apply-patch',
  'worker/reporting',
  'executors/planned/planned-resume',
  'solve/solve',
  'executors/slots',
  'cli/tasks',
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
