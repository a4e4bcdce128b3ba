/** What the model is told before a corrective round: what failed, and what must not break. */
import { CHECKED_PREFIX } from '../prompt/loop-messages.ts';
import type { CheckResult, VerificationReport } from '../protocol/result.ts';

const MAX_SHOWN_CHARS = 3_000;
const MAX_CHECKS_SHOWN = 10;
const UNCHANGED_TEXT =
  'No file was changed for your last answer: code and claims in an answer change nothing. Change the files with edit_file, apply_patch or write_file.';

/** Names a check the same way in every message. */
export const checkName = ({
  type,
  target,
  description,
}: Pick<CheckResult, 'type' | 'target' | 'description'>): string =>
  description || [type, target].filter(Boolean).join(' ');

/** Names of the checks that pass in a report. */
export const passingChecks = (report: VerificationReport | undefined): string[] =>
  (report?.checks ?? []).filter(({ status }) => status === 'pass').map(checkName);

/**
 * `previousPassing`: names from the report before; those that fail now are pointed out as broken by the last changes.
 * `unchanged`: the answer changed no file, although the task is to; small models take their own words for the deed.
 */
export function correctionMessage(
  report: VerificationReport,
  previousPassing: readonly string[] = [],
  { unchanged = false } = {},
): string {
  const failing = report.checks.filter(({ status }) => status !== 'pass');
  const broken = failing.map(checkName).filter((name) => previousPassing.includes(name));
  const passing = passingChecks(report);
  const shown = failing.slice(0, MAX_CHECKS_SHOWN).map(describe);
  const more = failing.length - shown.length;
  return [
    `${CHECKED_PREFIX} ${report.summary.passed} of ${report.summary.total} checks pass. Fix what fails, then answer again.`,
    ...(unchanged ? [UNCHANGED_TEXT] : []),
    ...shown,
    ...(more > 0 ? [`${more} more checks fail.`] : []),
    ...(broken.length > 0 ? [`These passed before your last changes: ${broken.join('; ')}.`] : []),
    ...(passing.length > 0 ? [`These pass and must keep passing: ${passing.join('; ')}.`] : []),
  ].join('\n\n');
}

const statusText = {
  fail: 'FAILED',
  error: 'COULD NOT BE RUN',
  timeout: 'TIMED OUT',
  skip: 'NOT RUN',
  pass: 'PASSED',
};

function describe(check: CheckResult): string {
  const { output } = check;
  const excess = output.length - MAX_SHOWN_CHARS;
  const half = MAX_SHOWN_CHARS / 2;
  const text =
    excess <= 0
      ? output
      : `${output.slice(0, half)}\n[... ${excess} characters omitted ...]\n${output.slice(-half)}`;
  // Marked and indented: what a test prints is data, whatever it says.
  const quoted = text === '' ? '' : `\noutput (data):\n${text.replace(/^/gm, '    ')}`;
  return `${statusText[check.status]}: ${checkName(check)}${quoted}`;
}
