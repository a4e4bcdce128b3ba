/** What of the files that the question shows may be the wrong part of them. What the model is not shown would be changed blindly. */
import type { VerificationReport } from '../../protocol/result.ts';
import { passesAll } from './draft.ts';
import type { DraftsOptions } from './drafts-options.ts';
import type { ShownTexts } from './read-draft.ts';
import { suspectsIn, type SourceText, type SuspectFunction, type SuspectLine } from './suspects.ts';

export interface ShownSuspects {
  /** Likeliest first. */
  functions: readonly SuspectFunction[];
  lines: readonly SuspectLine[];
  /** The files that they are of. */
  files: readonly SourceText[];
}

/** `changeable`: paths that drafts may change. `question`: the text that the model gets. */
export async function shownSuspects(
  options: Pick<DraftsOptions, 'run' | 'base'>,
  { code, tests }: ShownTexts,
  { changeable, question }: { changeable: readonly string[]; question: string },
): Promise<ShownSuspects> {
  const report = await options.base;
  const files = code.filter(({ path }) => changeable.includes(path));
  const failures = report && !passesAll(report) ? failuresIn(report) : '';
  const suspects = await suspectsIn({ files, task: options.run.task.description, failures, tests });
  const isShown = ({ text }: { text: string }): boolean => question.includes(text.trim());
  return { functions: suspects.functions.filter(isShown), lines: suspects.lines.filter(isShown), files };
}

/** What the checks print of what fails. */
export const failuresIn = ({ checks }: VerificationReport): string =>
  checks
    .filter(({ status }) => status !== 'pass')
    .map(({ essence, output }) => essence?.text ?? output)
    .join('\n');
