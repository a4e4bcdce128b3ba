/** Collects non-overlapping changes to a text and applies them at once. */
interface Edit {
  /** The characters from `from` up to (not including) `to` become `text`. */
  from: number;
  to: number;
  text: string;
}

const isInsertion = ({ from, to }: Edit): boolean => from === to;

export class TextEdits {
  readonly #edits: Edit[] = [];

  replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text });
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  /** Reports whether a replacement already touches the range. */
  covers(from: number, to: number): boolean {
    return this.#edits.some((edit) => !isInsertion(edit) && edit.from < to && edit.to > from);
  }

  apply(text: string): string {
    // Changes at equal positions retain their order. Changes inside an earlier one are skipped.
    const edits = this.#edits.toSorted(
      (a, b) => a.from - b.from || Number(isInsertion(b)) - Number(isInsertion(a)),
    );
    const parts: string[] = [];
    let at = 0;
    for (const edit of edits) {
      if (edit.from < at) continue;
      parts.push(text.slice(at, edit.from), edit.text);
      at = edit.to;
    }
    parts.push(text.slice(at));
    return parts.join('');
  }
}
