/** Shows an evaluation on the terminal: a line when a run ends. */
import { outcomeWordOf, formatPercent } from './evaluate/report.ts';
import type { RunRecord } from './evaluate/record.ts';
import type { WrittenProfile } from './evaluate/write-profile.ts';
import type { EvaluationProgress } from './evaluate/run-all.ts';
import { formatDuration, type Terminal } from './terminal.ts';
import { toPrintableLine } from '../base/values/printable.ts';

const MAX_REASON_CHARS = 100;

/** Prints `[12/90] js-duration-days run 1: solved, 23.1 s, 1200 + 300 tokens, 3 calls; 14 min 02 s left`. */
export function showRun(
  terminal: Terminal,
  record: RunRecord,
  { done, total, leftMs }: EvaluationProgress,
): void {
  const { color } = terminal;
  const word = outcomeWordOf(record);
  const coloredWord = record.solved
    ? color.green(word)
    : record.falseSuccess
      ? color.red(word)
      : color.yellow(word);
  const figures = `${formatDuration(record.seconds * 1000)}, ${record.tokensIn} + ${record.tokensOut} tokens, ${record.calls} ${record.calls === 1 ? 'call' : 'calls'}`;
  const remainingTime = done < total ? color.dim(`; ${formatDuration(leftMs)} left`) : '';
  const reasonText = record.solved ? '' : color.dim(` – ${toPrintableLine(record.why, MAX_REASON_CHARS)}`);
  const runName = `${record.task} run ${record.run}`;
  terminal.line(`[${done}/${total}] ${runName}: ${coloredWord}, ${figures}${remainingTime}${reasonText}`);
}

/** Prints the settings written to a profile, or why none were. */
export function showProfile({ line, prose }: Terminal, profile: WrittenProfile, file: string): void {
  const { model, keys, solved, candidates } = profile;
  const texts = Object.entries(keys).map(([key, value]) => `${key} = ${value}`);
  const comparison =
    candidates === 1 ? 'the only measured combination' : `the best of ${candidates} measured combinations`;
  line();
  if (texts.length === 0)
    prose(
      `${model}: no settings were written, because the defaults were ${comparison} (${formatPercent(solved)} solved).`,
      '',
    );
  else
    prose(
      `${model}: wrote ${texts.join(', ')} into ${file}: ${comparison}, ${formatPercent(solved)} solved.`,
      '',
    );
}
