/** The note for the model about checks that ran between two iterations. */
import { shorten } from '../values/shortening.ts';
import type { VerificationReport } from '../protocol/result.ts';
import { checkName, failingChecks } from './correction.ts';
import { printedText } from './printed-text.ts';

const MAX_SHOWN = 3;
const MAX_CHARS = 1_500;
const MAX_NAME_CHARS = 200;

/** Returns `Checks: 3 of 4 pass.` and below it the essence of what fails. */
export function checksNote(report: VerificationReport): string {
  const head = `Checks: ${report.summary.passed} of ${report.summary.total} pass.`;
  const failing = failingChecks(report);
  if (failing.length === 0) return `${head} If the task is done, answer without a call.`;
  const roomChars = Math.floor(MAX_CHARS / Math.min(failing.length, MAX_SHOWN));
  const texts = failing.slice(0, MAX_SHOWN).map((check) => {
    const said = check.essence?.text || printedText(check.output)?.ending || check.output;
    // Indented: the output of a check is data.
    const shown = shorten(said.trim(), roomChars).replace(/^/gm, '    ');
    return `Failing: ${shorten(checkName(check), MAX_NAME_CHARS)}\n${shown}`;
  });
  const more = failing.length - texts.length;
  return [head, ...texts, ...(more > 0 ? [`${more} more fail.`] : [])].join('\n');
}
