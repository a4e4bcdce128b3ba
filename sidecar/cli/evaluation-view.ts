/** Shows an evaluation on the terminal: a line when a run ends. */
import { outcomeWordOf, formatPercent } from './evaluate/report.ts';
import type { RunRecord } from './evaluate/record.ts';
import type { WrittenProfile } from './evaluate/write-profile.ts';
import type { EvaluationProgress } from './evaluate/run-all.ts';
import { duration, type Terminal } from './terminal.ts';
import { toPrintableLine } from '../base/values/printable.ts';

const MAX_WHY_CHARS = 100;

/** Prints `[12/90] js-duration-days run 1: solved, 23.1 s, 1200 + 300 tokens, 3 calls; 14 min 02 s left`. */
export function showRun(
  terminal: Terminal,
  record: RunRecord,
  { done, total, leftMs }: EvaluationProgress,
): void {
  const { color } = terminal;
  const word = outcomeWordOf(record);
  const painted = record.solved
    ? color.green(word)
    : record.falseSuccess
      ? color.red(word)
      : color.yellow(word);
  const figures = `${duration(record.seconds * 1000)}, ${record.tokensIn} + ${record.tokensOut} tokens, ${record.calls} ${record.calls === 1 ? 'call' : 'calls'}`;
  const left = done < total ? color.dim(`; ${duration(leftMs)} left`) : '';
  const why = record.solved ? '' : color.dim(` – ${toPrintableLine(record.why, MAX_WHY_CHARS)}`);
  const who = `${record.task} run ${record.run}`;
  terminal.line(`[${done}/${total}] ${who}: ${painted}, ${figures}${left}${why}`);
}

/** Prints the settings written to a profile, or why none were. */
export function showProfile({ line, prose }: Terminal, written: WrittenProfile, file: string): void {
  const { model, keys, solved, candidates } = written;
  const texts = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  const compared = candidates === 1 ? 'the only settings measured' : `the best of ${candidates} settings`;
  line();
  if (texts.length === 0)
    prose(`${model}: nothing written; ${compared} were the defaults (${formatPercent(solved)} solved).`, '');
  else
    prose(
      `${model}: wrote ${texts.join(', ')} into ${file}: ${compared}, ${formatPercent(solved)} solved.`,
      '',
    );
}
