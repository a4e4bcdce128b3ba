/**
 * Reads a unified diff, git's or diff's, as the patch that it stands for: models that know only those write them for
 * `apply_patch`. File headers become those of v4a, hunks stay: their line numbers are wrong more often than not, so
 * they are located by their lines.
 */

/** One line of a patch; `number` counts from 1 in the text as it came. */
export interface PatchLine {
  number: number;
  text: string;
}

const DEV_NULL = '/dev/null';
/** Lines between the files of a diff that add nothing to its `---` and `+++` lines. */
const BETWEEN_FILES =
  /^(diff |index [0-9a-f]+\.\.|Index: |={20,}$|(old|new) mode |(new|deleted) file mode |(dis)?similarity index |rename (from|to) |Only in )/;
const RENAME = /^rename (from|to) (.+)$/;
const NO_NEWLINE = /^\\ No newline at end of file/;

/** The same lines with v4a headers; undefined when they are not a unified diff from the first one on. */
export function fromUnifiedDiff(lines: readonly PatchLine[]): PatchLine[] | undefined {
  const first = lines.find(({ text }) => text.trim() !== '');
  const startsFile = first && (BETWEEN_FILES.test(first.text) || isFileHeader(lines, lines.indexOf(first)));
  return startsFile ? new DiffReader(lines).read() : undefined;
}

class DiffReader {
  readonly #lines: readonly PatchLine[];
  readonly #patch: PatchLine[] = [];
  /** The file of the hunks that are being read. */
  #hunksOf: 'none' | 'added' | 'deleted' | 'updated' = 'none';
  #renamedFrom = '';

  constructor(lines: readonly PatchLine[]) {
    this.#lines = lines;
  }

  read(): PatchLine[] {
    for (let at = 0; at < this.#lines.length; at += 1) {
      const line = this.#lines[at];
      if (!line) break;
      if (isFileHeader(this.#lines, at)) {
        this.#file(line, this.#lines[at + 1]);
        at += 1;
      } else if (BETWEEN_FILES.test(line.text)) this.#between(line);
      else this.#hunkLine(line);
    }
    return this.#patch;
  }

  #between({ number, text }: PatchLine): void {
    const [, side, path = ''] = RENAME.exec(text.trimEnd()) ?? [];
    if (side === 'from') this.#renamedFrom = path;
    if (side === 'to' && this.#renamedFrom !== '') {
      this.#put(number, `*** Update File: ${this.#renamedFrom}`);
      this.#put(number, `*** Move to: ${path}`);
    }
    this.#hunksOf = 'none';
  }

  #file({ number, text: before }: PatchLine, after: PatchLine | undefined): void {
    const from = pathIn(before, 'a/');
    const to = pathIn(after?.text ?? '', 'b/');
    const isRenamed = this.#renamedFrom !== '';
    this.#renamedFrom = '';
    this.#hunksOf = from === DEV_NULL ? 'added' : to === DEV_NULL ? 'deleted' : 'updated';
    if (isRenamed) return;
    if (this.#hunksOf === 'added') this.#put(number, `*** Add File: ${to}`);
    else if (this.#hunksOf === 'deleted') this.#put(number, `*** Delete File: ${from}`);
    else this.#put(number, `*** Update File: ${to}`);
  }

  #hunkLine(line: PatchLine): void {
    if (NO_NEWLINE.test(line.text)) return;
    // A deleted file needs no lines, an added one only those with a sign.
    if (this.#hunksOf === 'deleted' || (this.#hunksOf === 'added' && line.text.startsWith('@@'))) return;
    if (this.#hunksOf === 'none' && line.text.trim() === '') return;
    this.#patch.push(line);
  }

  #put(number: number, text: string): void {
    this.#patch.push({ number, text });
  }
}

/** `--- path` and `+++ path`, with a hunk below or nothing to say of it: a removed line may begin with `-- ` too. */
function isFileHeader(lines: readonly PatchLine[], at: number): boolean {
  const [before, after] = [lines[at]?.text ?? '', lines[at + 1]?.text ?? ''];
  if (!before.startsWith('--- ') || !after.startsWith('+++ ')) return false;
  return (
    pathIn(before, '') === DEV_NULL ||
    pathIn(after, '') === DEV_NULL ||
    lines[at + 2]?.text.startsWith('@@') === true
  );
}

/** Without git's prefix and without the time that diff adds. */
function pathIn(header: string, prefix: string): string {
  const path = header
    .slice(4)
    .replace(/\t.*$/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
