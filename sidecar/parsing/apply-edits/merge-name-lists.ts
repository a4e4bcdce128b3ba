/**
 * Merges the imports and export lists of an answer into a file that already has the answer's definitions. Statements of the same kind and
 * module are merged: unused names of the file are removed, and names of the answer are added if they are used. Without this merge, 25 of
 * 126 solutions given as changed definitions would have another result (`npm run bench -- reading`).
 */
import { listDefinitions, sourceOf, type SourceFile } from '../definitions/index.ts';
import { TextEdits } from './text-edits.ts';
import type { CodeBlock } from './code-block.ts';
import { readNameLists, namesOf, type NameEntry, type NameList } from './name-lists.ts';
import { mustComeFirst } from './merge-context.ts';
import { isUsed } from './code-text.ts';

/**
 * Returns the file with the block's name lists merged in. Unless `keepsUnmentioned` is set, removes re-exports that the
 * block omits, and imports that only `originalText` used.
 */
export async function mergeNameLists(
  {
    path,
    text,
    originalText,
    keepsUnmentioned,
  }: Record<'path' | 'text' | 'originalText', string> & { keepsUnmentioned: boolean },
  block: CodeBlock,
): Promise<string> {
  const file = block.areMembers ? undefined : await sourceOf(path, text);
  const blockLists = readNameLists(block.source, block.text);
  const movedNames = new Set(
    listDefinitions(block.items).flatMap((definition) => (definition.hasBody ? definition.names : [])),
  );
  return file
    ? new NameListMerger({
        file,
        text,
        originalText,
        blockLists,
        keepsUnmentioned,
        movedNames,
      }).merge()
    : text;
}

interface NameListMergeInput {
  file: SourceFile;
  text: string;
  /** Text of the file before the block was merged. */
  originalText: string;
  blockLists: readonly NameList[];
  keepsUnmentioned: boolean;
  /** Names that the block defines, so that the file must no longer import them. */
  movedNames: ReadonlySet<string>;
}

const isImport = ({ kind }: NameList): boolean => kind === 'import';
const subtractEntries = ({ entries }: NameList, other: NameList): NameEntry[] =>
  entries.filter(({ text }) => !other.entries.some((entry) => entry.text === text));

class NameListMerger {
  readonly #input: NameListMergeInput;
  readonly #fileLists: readonly NameList[];
  /** Text of the file without its imports, with the export lists of the answer added. */
  readonly #otherText: string;
  readonly #definedNames: ReadonlySet<string>;
  readonly #edits = new TextEdits();

  constructor(input: NameListMergeInput) {
    const { file, text, blockLists } = input;
    this.#input = input;
    this.#fileLists = readNameLists(file, text);
    const otherText = this.#fileLists
      .filter(isImport)
      .reduceRight(
        (remainingText, { start, end }) => remainingText.slice(0, start) + remainingText.slice(end),
        text,
      );
    this.#otherText = [
      otherText,
      ...blockLists.filter((list) => !isImport(list)).map((list) => list.text),
    ].join('\n');
    this.#definedNames = new Set(file.definitions.flatMap(({ names }) => names));
  }

  merge(): string {
    const added = this.#input.blockLists.flatMap((given) => {
      const same = this.#fileLists.find(({ key }) => key === given.key);
      if (same) this.#mergeList(same, given);
      return same || !isImport(given) ? [] : this.#addImport(given);
    });
    const dropped = this.#input.keepsUnmentioned ? [] : this.#dropUnused(added.length > 0);
    if (added.length > 0) this.#edits.insert(...this.#findPlace(added.join('\n'), dropped));
    return this.#edits.apply(this.#input.text);
  }

  #mergeList(fileList: NameList, blockList: NameList): void {
    const others = subtractEntries(fileList, blockList);
    const newEntries = subtractEntries(blockList, fileList);
    const isGivenWhole = others.length > 0 || (newEntries.length > 0 && !this.#input.keepsUnmentioned);
    if (isGivenWhole && !others.some((entry) => this.#isNeeded(fileList, entry)))
      return this.#edits.replace(fileList.start, fileList.end, blockList.text);
    const missing = newEntries.filter((entry) => this.#isMissing(blockList, entry));
    if (missing.length > 0)
      this.#edits.replace(fileList.start, fileList.end, addEntries(fileList, missing, blockList));
  }

  /** Replaces imports of the same names from another module. If there are none, returns the statement to add, if its names are used. */
  #addImport(blockList: NameList): string[] {
    const names = new Set(namesOf(blockList));
    const [first, ...others] = this.#fileLists.filter(
      (fileList) =>
        isImport(fileList) &&
        fileList.entries.length > 0 &&
        fileList.entries.every(({ name }) => names.has(name)),
    );
    for (const { start, end } of others) this.#edits.replace(start - 1, end, '');
    if (first) this.#edits.replace(first.start, first.end, blockList.text);
    else if (
      blockList.entries.length === 0 ||
      blockList.entries.some((entry) => this.#isMissing(blockList, entry))
    )
      return [blockList.text];
    return [];
  }

  /**
   * Removes imports that the block does not mention, if the file no longer uses them or the block now defines their names. In Go, unused
   * imports are errors. Returns the positions of the removed statements.
   */
  #dropUnused(keepsHead: boolean): number[] {
    const { text, originalText, blockLists } = this.#input;
    const dropped: number[] = [];
    const originalRest = this.#fileLists.reduce((left, list) => left.replace(list.text, ''), originalText);
    const isUnused = ({ name }: NameEntry): boolean =>
      this.#input.movedNames.has(name) || (isUsed(originalRest, name) && !isUsed(this.#otherText, name));
    for (const { key, kind, start, end, entries } of this.#fileLists) {
      if (kind !== 'import' || blockLists.some((list) => list.key === key)) continue;
      const unused = entries.filter(isUnused);
      if (unused.length > 0 && unused.length === entries.length) {
        const isHead = start === 0 && !keepsHead;
        const to = isHead ? text.length - text.slice(end).trimStart().length : end + 1;
        this.#edits.replace(start, to, '');
        dropped.push(start);
      } else if (key === 'go')
        for (const entry of unused) {
          const offset = text.indexOf(entry.text, start);
          this.#edits.replace(text.lastIndexOf('\n', offset), offset + entry.text.length, '');
        }
    }
    return dropped;
  }

  /** Returns whether a name that only the file lists must remain. */
  #isNeeded({ kind }: NameList, { name }: NameEntry): boolean {
    const { blockLists, keepsUnmentioned } = this.#input;
    if (kind === 're-export') return keepsUnmentioned;
    const isGiven = blockLists.some((list) => isImport(list) && namesOf(list).includes(name));
    if (kind === 'export') return isGiven || this.#definedNames.has(name) || this.#isImported(name);
    return !isGiven && (name === '' || isUsed(this.#otherText, name));
  }

  /** Returns whether a name that only the answer lists must be added. */
  #isMissing(blockList: NameList, { name }: NameEntry): boolean {
    if (!isImport(blockList) || name === '') return true;
    return (
      !this.#definedNames.has(name) &&
      !this.#isImported(name, this.#input.blockLists) &&
      isUsed(this.#otherText, name)
    );
  }

  /** Returns whether a statement of the file, other than those in `excluded`, imports the name. */
  #isImported(name: string, excluded: readonly NameList[] = []): boolean {
    return this.#fileLists.some(
      (fileList) =>
        isImport(fileList) &&
        namesOf(fileList).includes(name) &&
        !excluded.some(({ key }) => key === fileList.key),
    );
  }

  /** Returns the place for new imports: after the last import, or after the lines that must come first (interpreter, license, package). */
  #findPlace(lines: string, dropped: readonly number[]): [at: number, text: string] {
    const { file, text } = this.#input;
    const last = file.items.findLast(({ type }) => type === 'import');
    if (last?.type === 'import')
      return dropped.includes(last.start) ? [last.start, `${lines}\n`] : [last.end, `\n${lines}`];
    const firstIndex = file.items.findIndex((item) => !mustComeFirst(item, text));
    const lastHeader = file.items.at(firstIndex < 0 ? -1 : firstIndex - 1);
    if (firstIndex === 0 || !lastHeader || lastHeader.type === 'definition') return [0, `${lines}\n\n`];
    return [lastHeader.end, `\n\n${lines}`];
  }
}

/** Adds entries to a list, formatted like the list. If the list has no brackets, appends the given statement or new lines. */
function addEntries(
  { text, key, closingOffset }: NameList,
  added: readonly NameEntry[],
  blockList: NameList,
): string {
  const entries = added.map((entry) => entry.text);
  if (key === 'go') {
    if (closingOffset === undefined) return [text, ...entries.map((entry) => `import ${entry}`)].join('\n');
    const newLines = entries.map((entry) => `\t${entry}\n`).join('');
    return `${text.slice(0, closingOffset).trimEnd()}\n${newLines}${text.slice(closingOffset)}`;
  }
  const isPython = key.startsWith('from ');
  if (closingOffset === undefined && isPython) return `${text}, ${entries.join(', ')}`;
  if (closingOffset === undefined || (blockList.closingOffset === undefined && !isPython))
    return `${text}\n${blockList.text}`;
  const listText = text.slice(0, closingOffset).trimEnd();
  const space = text.slice(listText.length, closingOffset);
  const isOnLines = space.includes('\n');
  const indent = isOnLines ? `\n${/\n([ \t]*)[^\n]*$/u.exec(listText)?.[1] ?? '  '}` : ' ';
  const comma = /[,{[(]$/u.test(listText) ? '' : ',';
  const end = isOnLines && listText.endsWith(',') ? ',' : '';
  return (
    listText +
    comma +
    entries.map((entry) => indent + entry).join(',') +
    end +
    space +
    text.slice(closingOffset)
  );
}
