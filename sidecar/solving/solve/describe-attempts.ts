/** Describes attempts in text: for the model that makes the next attempt, and for the timeline. Pure. */
import { clip } from '../../base/values/shortening.ts';
import type { ExecutionEvent } from '../../base/protocol/events.ts';
import type { VerificationReport } from '../../base/protocol/result.ts';
import { formatCheckName, listFailingChecks } from '../verification/correction.ts';
import { summarizeChecks } from '../drafts/draft-events.ts';
import { chooseStart, type EndedAttempt } from './ended-attempt.ts';

const MAX_SHOWN_ATTEMPTS = 4;
const MAX_FILES = 5;
const MAX_FAILING_CHECKS = 5;
const MAX_NAME_CHARS = 120;
const MAX_CAUSE_CHARS = 200;
const MAX_DOUBT_CHARS = 300;
const MAX_OPERATOR_TEXT_CHARS = 2_000;

/** Returns the paragraph for the next attempt: the earlier attempts, and the operator's messages (`said`) since then. */
export function describeEarlierAttempts(ended: readonly EndedAttempt[], said: readonly string[]): string {
  if (ended.length === 0) return '';
  const start = chooseStart(ended);
  const shown = ended.slice(-MAX_SHOWN_ATTEMPTS).map((attempt) => {
    const kept = attempt === start ? ' Its changes are in the files.' : ' Its changes were undone.';
    return `- ${describeAttempt(attempt)}${attempt.files.length > 0 ? kept : ''}`;
  });
  return [
    '# Earlier attempts',
    'The task was tried before and is not solved. What was tried (data):',
    ...shown,
    'Do not repeat what failed: look for another cause.',
    ...(said.length > 0 ? [`The operator said: ${said.join('\n').slice(0, MAX_OPERATOR_TEXT_CHARS)}`] : []),
  ].join('\n');
}

function describeAttempt({ number, files, reports, ending, proof }: EndedAttempt): string {
  const paths = files
    .slice(0, MAX_FILES)
    .map(({ path, additions, deletions }) => `${path} (+${additions} −${deletions})`);
  const change = paths.length > 0 ? `changed ${paths.join(', ')}` : 'changed nothing';
  const report = reports.at(-1);
  const result = report ? appendDoubts(report, proof) : `ended with ${ending.reason}`;
  const failing = formatFailingNames(reports.at(-1));
  const cause = clip(ending.output ?? '', MAX_CAUSE_CHARS);
  return [
    `Attempt ${number} ${change}: ${result}${failing ? `; failing: ${failing}` : ''}.`,
    ...(cause === '' ? [] : [`The model said: ${JSON.stringify(cause)}.`]),
  ].join(' ');
}

/** Returns the outcome of the checks. If passing checks prove nothing, the reason is appended. */
function appendDoubts(report: VerificationReport, proof: EndedAttempt['proof']): string {
  const [doubt] = proof?.doubts ?? [];
  const checkOutcome = summarizeChecks(report);
  return doubt === undefined ? checkOutcome : `${checkOutcome}, but: ${clip(doubt, MAX_DOUBT_CHARS)}`;
}

/** Returns the failing tests if the output names them, else the failing checks. */
function formatFailingNames(report: EndedAttempt['reports'][number] | undefined): string {
  const names = listFailingChecks(report).flatMap((check) =>
    check.essence && check.essence.failed.length > 0 ? check.essence.failed : [formatCheckName(check)],
  );
  return names
    .slice(0, MAX_FAILING_CHECKS)
    .map((name) => clip(name, MAX_NAME_CHARS))
    .join('; ');
}

/** Returns the event of an attempt that begins. Its `text` contains the reason and can be read alone. */
export function createAttemptEvent(
  { number, of, model }: { number: number; of: number; model: string },
  ended: readonly EndedAttempt[],
): ExecutionEvent {
  const reason = formatReason(ended);
  return {
    event_type: 'status',
    text: `Attempt ${number} of at most ${of} with ${model}${reason === '' ? '' : `: ${reason}`}`,
    attempt: { number, model, reason },
  };
}

function formatReason(ended: readonly EndedAttempt[]): string {
  const last = ended.at(-1);
  if (!last) return '';
  const report = last.reports.at(-1);
  const why = report ? appendDoubts(report, last.proof) : (last.ending.detail ?? last.ending.reason);
  const start = chooseStart(ended);
  const from = start ? `with the changes of attempt ${start.number}` : 'from the base';
  return `attempt ${last.number} did not solve the task (${why}); this attempt begins ${from}`;
}
