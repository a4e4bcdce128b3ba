import type { Replacement } from '../editing/text-document.ts';

const isInsertion = ({ from, to }: Replacement): boolean => from === to;

/** Collects non-overlapping changes to a text and applies them at once. */
export class TextEdits {
  readonly #edits: Replacement[] = [];

  replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text });
  }

  insert(offset: number, text: string): void {
    this.replace(offset, offset, text);
  }

  /** Returns whether an earlier replacement already touches the range. */
  overlaps(from: number, to: number): boolean {
    return this.#edits.some((edit) => !isInsertion(edit) && edit.from < to && edit.to > from);
  }

  apply(text: string): string {
    // Changes at the same position stay in order. A change inside of an earlier one is skipped.
    const edits = this.#edits.toSorted(
      (a, b) => a.from - b.from || Number(isInsertion(b)) - Number(isInsertion(a)),
    );
    const parts: string[] = [];
    let offset = 0;
    for (const edit of edits) {
      if (edit.from < offset) continue;
      parts.push(text.slice(offset, edit.from), edit.text);
      offset = edit.to;
    }
    parts.push(text.slice(offset));
    return parts.join('');
  }
}
