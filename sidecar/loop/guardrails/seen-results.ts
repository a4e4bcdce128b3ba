/**
 * What calls have shown in a loop, by their lines. It is learned from results alone, so that a resumed task, whose results
 * come from the journal, knows the same.
 */
import { createHash } from 'node:crypto';
import { printedIn } from '../../tools/command-report.ts';
import type { ToolCallResult } from '../../tools/types.ts';

export class SeenResults {
  readonly #lines = new Set<string>();

  /** Whether a call that succeeded showed a line that was not seen before; all are seen from then on. */
  add(results: readonly ToolCallResult[]): boolean {
    const before = this.#lines.size;
    for (const { isError, output, details } of results)
      if (!isError && !details?.foundNothing) this.#see(printedIn(output, details));
    return this.#lines.size > before;
  }

  #see(text: string): void {
    const lines = text.split('\n').map((line) => line.trim());
    for (const line of lines)
      if (line !== '') this.#lines.add(createHash('sha256').update(line).digest('base64'));
  }
}
