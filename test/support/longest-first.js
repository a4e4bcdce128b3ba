/**
 * Suites that run longest start first, so that no worker of Jest is left alone with one of them at the end. Without times of
 * an earlier run Jest sorts by the size of the file, which says nothing about these.
 */
import Sequencer from '@jest/test-sequencer';

/** Those that take more than 10 seconds beside others, the longest first. */
const LONGEST = [
  'corpus/projects/projects',
  'solving/solve/proof/cheating',
  'hub/dashboard',
  'oracle/oracle',
  'hub/queue-postgresql',
  'cli/run',
  'solving/solve/attempts',
  'cli/daemon',
  'cli/evaluate/evaluate',
  'ci/ci-job',
  'tools/mcp/programs',
  'cli/demo',
  'solving/drafts/drafts',
  'worker/state-folder',
  'cli/runs',
  'workspace/commands/escapes',
  'solving/model-calls/model-faults',
  'solving/drafts/other-drafts',
  'docs/docs',
  'corpus/toolchains/toolchains',
  'hub/database',
  'parsing/apply-edits/apply-answer',
  'worker/traces',
  'worker/lifecycle',
  'hub/queue-sqlite',
  'workspace/sources',
  'solving/executors/ollama-executor',
  'solving/loop/prepared-loop',
  'worker/resume-killed',
  'worker/servers-down',
  'cli/screen',
  'workspace/source-configuration',
  'solving/task/toolset/toolset',
  'hub/mcp/mcp',
  'chaos/soak',
  'cli/inspection',
  'workspace/commands/programs',
  'workspace/hostile-repositories',
  'workspace/follow-ups',
  'corpus/files/files',
  'cli/hub-access',
  'solving/solve/proof/proof',
  'worker/lifecycle-public-hub',
  'worker/stopping',
  'solving/loop/loop-modes',
  'solving/drafts/resumed-drafts',
  'workspace/check-tree',
  'worker/settings',
  'solving/task/limits',
  'cli/evaluate/validate',
  'workspace/commands/sandbox',
  'parsing/answers/fuzz',
  'parsing/answers/real/real-answers',
  'workspace/dependencies',
  'solving/loop/final-answers',
  'tools/apply-patch',
  'worker/reporting',
  'solving/ways/planned/planned-resume',
  'solving/solve/solve',
  'solving/executors/slots',
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
