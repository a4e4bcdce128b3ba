/** Decides the outcome of a task. No other file sets `solved`. */
import {
  matchesAnswer,
  haveAllPassed,
  runHiddenCommands,
  type CommandOutcome,
  type CheckOptions,
} from './judge.ts';
import type { RunRecord } from './record.ts';
import type { EvaluationTask } from './suite.ts';

/** Outcome of a run, which is still to be judged. */
export interface FinishedWork {
  /** Separate tree with the finished work. */
  dir: string;
  changed: boolean;
  claimed: RunRecord['claimed'];
  output: string;
}

export interface Verdict {
  solved: boolean;
  falseSuccess: boolean;
  /** Reason why the run is not solved, in one line; empty if it is solved. */
  why: string;
}

const MAX_REASON_CHARS = 240;

/** Judges a run by the hidden checks. The checks run in the finished tree and change it. */
export async function decideVerdict(
  task: EvaluationTask,
  finished: FinishedWork,
  options: CheckOptions,
): Promise<Verdict> {
  const hidden = await runHiddenCommands(task, finished.dir, options);
  const why = failureReasonOf(task, finished, hidden);
  const solved = why === undefined;
  return { solved, falseSuccess: !solved && finished.claimed === 'success', why: why ?? '' };
}

function failureReasonOf(
  task: EvaluationTask,
  { changed, output }: FinishedWork,
  hidden: readonly CommandOutcome[],
): string | undefined {
  if (task.kind === 'question') {
    if (changed) return 'changed files although the task was a question';
    if (!matchesAnswer(task, output)) return `answer does not match: ${toSingleLine(output) || '(none)'}`;
  } else if (task.readOnly && changed) return 'changed files although the task is read-only';
  if (haveAllPassed(hidden)) return undefined;
  if (!changed) return 'changed nothing';
  return (
    toSingleLine(hidden.find(({ passed }) => !passed)?.output ?? '', findFirstError) ||
    'a hidden check failed'
  );
}

/** Returns the most informative line of a test runner's output. */
const findFirstError = (lines: readonly string[]): string | undefined =>
  lines.find((line) => /SyntaxError|ReferenceError|TypeError|Cannot find|ModuleNotFound/u.test(line)) ??
  lines.find((line) => /^not ok|^✖ (?!failing)|^FAIL|--- FAIL|AssertionError|\berror\b/iu.test(line));

function toSingleLine(
  text: string,
  choose: (lines: readonly string[]) => string | undefined = (lines) => lines.join(' '),
): string {
  const lines = text.split('\n').map((line) => line.trim());
  return (choose(lines) ?? lines.find((line) => line !== '') ?? '').slice(0, MAX_REASON_CHARS);
}
