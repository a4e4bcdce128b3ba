/**
 * Builds the message before a corrective round: the essence of the failures, the changes since the previous round, and the checks that must
 * keep passing.
 */
import { compareTestOutcomes } from '../../parsing/test-output/compare-outcomes.ts';
import { CHECKED_PREFIX } from '../prompt/loop-messages.ts';
import type { CheckEssence, CheckResult, VerificationReport } from '../../base/protocol/result.ts';
import { shorten } from '../../base/values/shortening.ts';
import { splitPrintedText } from './printed-text.ts';

const MAX_CHECKS_SHOWN = 10;
/** Maximum length of the essences of all failing checks together. */
const MAX_ESSENCE_CHARS = 2_700;
/** Maximum length of the essence of one check. */
const MAX_ONE_ESSENCE_CHARS = 1_800;
const MIN_ONE_ESSENCE_CHARS = 360;
/** Maximum length of the output of a check that runs no command. */
const MAX_PLAIN_CHARS = 1_500;
const MAX_NAME_CHARS = 200;
const UNCHANGED_TEXT =
  'No file was changed for your last answer. Change it with a tool, or answer with the function that has to change, in full, as code, with its file named in a comment above it.';

type NamedCheck = Pick<CheckResult, 'type' | 'target' | 'description'>;

/** Returns the name of a check in all messages: its description or its command. */
export const formatCheckName = ({ type, target, description }: NamedCheck): string =>
  description || (type === 'command_succeeds' && target) || [type, target].filter(Boolean).join(' ');

/** Returns the result of a check in another report. */
export const findSameCheck = (
  report: VerificationReport | undefined,
  { type, target }: CheckResult,
): CheckResult | undefined => report?.checks.find((check) => check.type === type && check.target === target);

/** Returns the checks of a report that do not pass. */
export const listFailingChecks = (report: VerificationReport | undefined): CheckResult[] =>
  (report?.checks ?? []).filter(({ status }) => status !== 'pass');

/** Returns whether a check was started. When the time is used up, checks that were not started also count as timed out. */
export const hasRun = ({ status, duration_ms: ms }: CheckResult): boolean =>
  status !== 'skip' && (status !== 'timeout' || ms > 0);

/** Returns the names of the checks that pass in a report. */
export const listPassingChecks = (report: VerificationReport | undefined): string[] =>
  (report?.checks ?? []).filter(({ status }) => status === 'pass').map(formatCheckName);

export interface CorrectionOptions {
  /** The previous report. A check that passed there and fails now is reported as broken. */
  previous?: VerificationReport;
  /** Whether the answer changed no file, although the task requires a change. */
  isUnchanged?: boolean;
}

export function buildCorrection(
  report: VerificationReport,
  { previous, isUnchanged = false }: CorrectionOptions = {},
): string {
  const { passed, total } = report.summary;
  const failing = listFailingChecks(report);
  const passedBefore = listPassingChecks(previous);
  const broken = failing.map(formatCheckName).filter((name) => passedBefore.includes(name));
  const passing = listPassingChecks(report);
  const shown = failing.slice(0, MAX_CHECKS_SHOWN);
  const shareChars = Math.floor(MAX_ESSENCE_CHARS / Math.max(1, shown.length));
  const maxChars = Math.min(MAX_ONE_ESSENCE_CHARS, Math.max(MIN_ONE_ESSENCE_CHARS, shareChars));
  const more = failing.length - shown.length;
  return [
    `${CHECKED_PREFIX} ${passed} of ${total} checks pass. Fix what fails, then answer again.`,
    isUnchanged && UNCHANGED_TEXT,
    ...shown.map((check) => describeCheck(check, findSameCheck(previous, check), maxChars)),
    more > 0 && `${more} more checks fail.`,
    broken.length > 0 && `These passed before your last changes: ${broken.join('; ')}.`,
    passing.length > 0 && `These pass and must keep passing: ${passing.join('; ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Returns the message after a round that changed nothing, so that the checks were not run again. */
export function buildUnchangedCorrection(report: VerificationReport): string {
  const failing = listFailingChecks(report).slice(0, MAX_CHECKS_SHOWN);
  const names = failing.map((check) => formatCheckName(check).slice(0, MAX_NAME_CHARS)).join('; ');
  return `${CHECKED_PREFIX} nothing has changed since, so the same checks still fail: ${names}.\n\n${UNCHANGED_TEXT}`;
}

const MAX_NOTED_CHECKS = 3;
const MAX_NOTE_CHARS = 1_500;
/** Indents the output of a check, so that it cannot look like an instruction. */
const indent = (text: string): string => text.replace(/^/gm, '    ');

/** Returns a note such as `Checks: 3 of 4 pass.` followed by the essence of the failures. */
export function formatChecksNote(report: VerificationReport): string {
  const head = `Checks: ${report.summary.passed} of ${report.summary.total} pass.`;
  const failing = listFailingChecks(report);
  if (failing.length === 0) return `${head} If the task is done, answer without a call.`;
  const roomChars = Math.floor(MAX_NOTE_CHARS / Math.min(failing.length, MAX_NOTED_CHECKS));
  const texts = failing.slice(0, MAX_NOTED_CHECKS).map((check) => {
    const said = check.essence?.text || splitPrintedText(check.output)?.endLine || check.output;
    const name = shorten(formatCheckName(check), MAX_NAME_CHARS);
    return `Failing: ${name}\n${indent(shorten(said.trim(), roomChars))}`;
  });
  const more = failing.length - texts.length;
  return [head, ...texts, ...(more > 0 ? [`${more} more fail.`] : [])].join('\n');
}

const STATUS_TEXTS = {
  fail: 'FAILED',
  error: 'COULD NOT BE RUN',
  timeout: 'TIMED OUT',
  skip: 'NOT RUN',
  pass: 'PASSED',
};

function describeCheck(check: CheckResult, before: CheckResult | undefined, maxChars: number): string {
  const { essence, output } = check;
  const earlier = before?.status === 'pass' ? undefined : before?.essence;
  return [
    `${STATUS_TEXTS[check.status]}: ${formatCheckName(check)}`,
    splitPrintedText(output)?.endLine ?? output.slice(0, MAX_PLAIN_CHARS),
    essence?.text && `output (data):\n${indent(shorten(essence.text, maxChars))}`,
    ...(earlier && essence ? describeChanges(earlier, essence) : []),
  ]
    .filter(Boolean)
    .join('\n');
}

/** Describes which tests passed before and fail now, and the reverse. */
function describeChanges(before: CheckEssence, after: CheckEssence): (string | false)[] {
  const isSame = before.text === after.text;
  if (before.failed.length === 0 && after.failed.length === 0)
    return [isSame && after.text !== '' && 'This is the same as before your last changes.'];
  const { fixed, broken, still } = compareTestOutcomes(before, after);
  const namesIn = (tests: readonly string[]): string =>
    formatNames(tests, { max: 12, chars: 800, by: '; ', min: 0 });
  return [
    fixed.length > 0 && `Your last changes fixed: ${namesIn(fixed)}.`,
    broken.length > 0 && `Your last changes broke: ${namesIn(broken)}.`,
    still.length > 0 && fixed.length > 0 && `Still failing: ${namesIn(still)}.`,
    fixed.length === 0 && broken.length === 0 && isSame && 'Your last changes made no difference to this.',
  ];
}

/** Joins the first names within a limit of characters, but at least `min` names. */
export function formatNames(
  all: readonly string[],
  { max = 8, chars = 120, by = ', ', min = 1 } = {},
): string {
  let left = chars;
  const shown = all.slice(0, max).filter(({ length }, at) => (left -= length) >= 0 || at < min);
  const more = all.length - shown.length;
  return shown.join(by) + (more > 0 ? ` and ${more} more` : '');
}
