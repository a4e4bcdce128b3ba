/**
 * Converts a unified diff (of git or diff) to a v4a patch, because some models write only unified diffs. File
 * headers become v4a headers. Hunks are located by their lines, because their line numbers are usually wrong.
 */

/** A line of a patch. `number`: its position in the original text, from 1. */
export interface PatchLine {
  number: number;
  text: string;
}

const DEV_NULL = '/dev/null';
/** Matches lines between the files of a diff that add no information to the `---` and `+++` lines. */
const BETWEEN_FILES =
  /^(diff |index [0-9a-f]+\.\.|Index: |={20,}$|(old|new) mode |(new|deleted) file mode |(dis)?similarity index |rename (from|to) |Only in )/;
const RENAME_LINE = /^rename (from|to) (.+)$/;
const NO_NEWLINE_LINE = /^\\ No newline at end of file/;

/** Returns the lines with v4a headers. Returns undefined if the text does not begin as a unified diff. */
export function convertUnifiedDiff(lines: readonly PatchLine[]): PatchLine[] | undefined {
  const first = lines.find(({ text }) => text.trim() !== '');
  const isFileStart = first && (BETWEEN_FILES.test(first.text) || isFileHeader(lines, lines.indexOf(first)));
  return isFileStart ? new DiffReader(lines).read() : undefined;
}

class DiffReader {
  readonly #lines: readonly PatchLine[];
  readonly #patch: PatchLine[] = [];
  /** Kind of the file to which the hunks being read belong. */
  #fileKind: 'none' | 'added' | 'deleted' | 'updated' = 'none';
  #renamedFrom = '';

  constructor(lines: readonly PatchLine[]) {
    this.#lines = lines;
  }

  read(): PatchLine[] {
    for (let index = 0; index < this.#lines.length; index += 1) {
      const line = this.#lines[index];
      if (!line) break;
      if (isFileHeader(this.#lines, index)) {
        this.#readFileHeader(line, this.#lines[index + 1]);
        index += 1;
      } else if (BETWEEN_FILES.test(line.text)) this.#readFileInfo(line);
      else this.#readHunkLine(line);
    }
    return this.#patch;
  }

  #readFileInfo({ number, text }: PatchLine): void {
    const [, side, path = ''] = RENAME_LINE.exec(text.trimEnd()) ?? [];
    if (side === 'from') this.#renamedFrom = path;
    if (side === 'to' && this.#renamedFrom !== '') {
      this.#addLine(number, `*** Update File: ${this.#renamedFrom}`);
      this.#addLine(number, `*** Move to: ${path}`);
    }
    this.#fileKind = 'none';
  }

  #readFileHeader({ number, text: oldHeader }: PatchLine, newHeader: PatchLine | undefined): void {
    const oldPath = parseHeaderPath(oldHeader, 'a/');
    const newPath = parseHeaderPath(newHeader?.text ?? '', 'b/');
    const isRenamed = this.#renamedFrom !== '';
    this.#renamedFrom = '';
    this.#fileKind = oldPath === DEV_NULL ? 'added' : newPath === DEV_NULL ? 'deleted' : 'updated';
    if (isRenamed) return;
    if (this.#fileKind === 'added') this.#addLine(number, `*** Add File: ${newPath}`);
    else if (this.#fileKind === 'deleted') this.#addLine(number, `*** Delete File: ${oldPath}`);
    else this.#addLine(number, `*** Update File: ${newPath}`);
  }

  #readHunkLine(line: PatchLine): void {
    if (NO_NEWLINE_LINE.test(line.text)) return;
    // Of a deleted file, no lines are needed; of an added file, only the lines with a sign.
    if (this.#fileKind === 'deleted' || (this.#fileKind === 'added' && line.text.startsWith('@@'))) return;
    if (this.#fileKind === 'none' && line.text.trim() === '') return;
    this.#patch.push(line);
  }

  #addLine(number: number, text: string): void {
    this.#patch.push({ number, text });
  }
}

/** Returns whether a line `--- path` is a file header, and not a removed line that begins with `-- `. */
function isFileHeader(lines: readonly PatchLine[], index: number): boolean {
  const [before, after] = [lines[index]?.text ?? '', lines[index + 1]?.text ?? ''];
  if (!before.startsWith('--- ') || !after.startsWith('+++ ')) return false;
  return (
    parseHeaderPath(before, '') === DEV_NULL ||
    parseHeaderPath(after, '') === DEV_NULL ||
    lines[index + 2]?.text.startsWith('@@') === true
  );
}

/** Returns the path in a file header, without the prefix of git and the time stamp of diff. */
function parseHeaderPath(header: string, prefix: string): string {
  const path = header
    .slice(4)
    .replace(/\t.*$/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
