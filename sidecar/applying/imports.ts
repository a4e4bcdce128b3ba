/**
 * Brings the imports of an answer, and its lists of what is exported, into a file that has the answer's definitions already.
 * Statements of one kind and module are joined: a name that the file has and nothing uses any more goes with the old
 * statement, one that only the answer has comes where something uses it.
 */
import { sourceOf, type Language, type SourceFile, type SourceItem } from '../definitions/index.ts';
import { TextEdits } from '../values/text-edits.ts';
import type { CodeBlock } from './code-block.ts';
import { isUsed } from './texts.ts';

/** One statement that imports or exports names. */
interface NameList {
  start: number;
  end: number;
  text: string;
  /** Kind of statement and module: lists of one key stand for each other. */
  key: string;
  exports: boolean;
  entries: readonly Entry[];
  /** Where names may be added: before the bracket that closes the list, from its start; undefined where there is no list. */
  closing?: number | undefined;
}

interface Entry {
  /** As the file knows it; empty for what is only run. */
  name: string;
  text: string;
}

/** All names that a file imports. */
export const importedNames = (source: SourceFile, text: string): ReadonlySet<string> =>
  new Set(
    listsIn(source, text)
      .filter((list) => !list.exports)
      .flatMap(namesOf),
  );

/** The file with the lists of the block. What it exports from another file goes where the block leaves it out, unless it `keeps`. */
export async function withNameLists(
  { path, text, keeps }: { path: string; text: string; keeps: boolean },
  block: CodeBlock,
): Promise<string> {
  const file = block.areMembers ? undefined : await sourceOf(path, text);
  const given = file ? listsIn(block.source, block.text) : [];
  return file && given.length > 0 ? new Joiner({ file, text, given, keeps }).join() : text;
}

interface Sides {
  file: SourceFile;
  text: string;
  given: readonly NameList[];
  keeps: boolean;
}

const namesOf = ({ entries }: NameList): string[] => entries.map(({ name }) => name);
const without = ({ entries }: NameList, other: NameList): Entry[] =>
  entries.filter(({ text }) => !other.entries.some((entry) => entry.text === text));

class Joiner {
  readonly #file: SourceFile;
  readonly #text: string;
  readonly #own: readonly NameList[];
  readonly #given: readonly NameList[];
  /** The file without its imports, with what the answer exports. */
  readonly #rest: string;
  /** All that the file or the answer defines or imports. */
  readonly #known: ReadonlySet<string>;
  readonly #keeps: boolean;
  readonly #edits = new TextEdits();

  constructor({ file, text, given, keeps }: Sides) {
    this.#file = file;
    this.#text = text;
    this.#own = listsIn(file, text);
    this.#given = given;
    this.#keeps = keeps;
    const imports = this.#own.filter((list) => !list.exports);
    const rest = imports.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
    const exported = given.flatMap((list) => (list.exports ? [list.text] : []));
    this.#rest = [rest, ...exported].join('\n');
    this.#known = new Set([
      ...file.definitions.flatMap(({ names }) => names),
      ...[...this.#own, ...given].flatMap((list) => (list.exports ? [] : namesOf(list))),
    ]);
  }

  join(): string {
    const added = this.#given.flatMap((given) => {
      const same = this.#own.find(({ key }) => key === given.key);
      if (same) this.#joinOne(same, given);
      return same || given.exports ? [] : this.#newImport(given);
    });
    if (added.length > 0) this.#edits.insert(...this.#placeOf(added.join('\n')));
    return this.#edits.apply(this.#text);
  }

  #joinOne(own: NameList, given: NameList): void {
    const others = without(own, given);
    const fresh = without(given, own);
    const isGivenWhole = others.length > 0 || (fresh.length > 0 && !this.#keeps);
    if (isGivenWhole && !others.some((entry) => this.#isNeeded(own, entry)))
      return this.#edits.replace(own.start, own.end, given.text);
    const missing = fresh.filter((entry) => this.#isMissing(given, entry));
    if (missing.length > 0) this.#edits.replace(own.start, own.end, withEntries(own, missing, given));
  }

  /** In place of all that imports the same from elsewhere; else to be added, where something needs it. */
  #newImport(given: NameList): string[] {
    const names = new Set(namesOf(given));
    const isMoved = (own: NameList): boolean =>
      !own.exports && own.entries.length > 0 && own.entries.every(({ name }) => names.has(name));
    const [first, ...others] = this.#own.filter(isMoved);
    for (const { start, end } of others) this.#edits.replace(start - 1, end, '');
    if (first) this.#edits.replace(first.start, first.end, given.text);
    else if (given.entries.length === 0 || given.entries.some((entry) => this.#isMissing(given, entry)))
      return [given.text];
    return [];
  }

  /** Whether what only the file lists has to stay. */
  #isNeeded({ exports, key }: NameList, { name }: Entry): boolean {
    if (key.startsWith('export from')) return this.#keeps;
    if (exports) return this.#known.has(name);
    const isGiven = this.#given.some((list) => namesOf(list).includes(name));
    return !isGiven && (name === '' || isUsed(this.#rest, name));
  }

  /** Whether what only the answer lists has to come. */
  #isMissing({ exports }: NameList, { name }: Entry): boolean {
    if (exports || name === '') return true;
    const isDefined = this.#file.definitions.some(({ names }) => names.includes(name));
    const isThere = (own: NameList): boolean =>
      namesOf(own).includes(name) && !this.#given.some(({ key }) => key === own.key);
    return !isDefined && !this.#own.some(isThere) && isUsed(this.#rest, name);
  }

  /** Behind the last import, or behind what must come first: an interpreter line, a license, the package, documentation. */
  #placeOf(lines: string): [at: number, text: string] {
    const last = this.#file.items.findLast(({ type }) => type === 'import');
    if (last?.type === 'import') return [last.end, `\n${lines}`];
    let at = 0;
    for (const item of this.#file.items) {
      if (item.type === 'definition' || !isFirst(item, this.#text)) break;
      at = item.end;
    }
    return at === 0 ? [0, `${lines}\n\n`] : [at, `\n\n${lines}`];
  }
}

const isFirst = (item: Exclude<SourceItem, { type: 'definition' }>, text: string): boolean =>
  item.type === 'statement'
    ? item.role === 'package' || item.role === 'documentation' || /^['"]use /u.test(text.slice(item.start))
    : item.type === 'comment' && item.start === 0;

/** The list with more entries at its end, in its own layout; where there is none, the given statement or lines behind it. */
function withEntries({ text, key, closing }: NameList, added: readonly Entry[], given: NameList): string {
  const entries = added.map((entry) => entry.text);
  const isPython = key.startsWith('from');
  if (closing === undefined && key === 'go')
    return [text, ...entries.map((entry) => `import ${entry}`)].join('\n');
  if (closing === undefined && isPython) return `${text}, ${entries.join(', ')}`;
  if (closing === undefined || (given.closing === undefined && key !== 'go' && !isPython))
    return `${text}\n${given.text}`;
  const before = text.slice(0, closing).trimEnd();
  const space = text.slice(before.length, closing);
  const rest = text.slice(closing);
  const comma = key === 'go' ? '' : ',';
  const first = /[,{[(]$/u.test(before) ? '' : comma;
  if (!space.includes('\n'))
    return `${before}${first} ${entries.join(', ')}${space || (first === '' ? ' ' : '')}${rest}`;
  const indent = /\n([ \t]*)[^\n]*$/u.exec(before)?.[1] ?? '  ';
  const lines = entries.map((entry) => `\n${indent}${entry}`).join(comma);
  return `${before}${first}${lines}${before.endsWith(',') ? ',' : ''}${space}${rest}`;
}

function listsIn({ items, language }: Pick<SourceFile, 'items' | 'language'>, text: string): NameList[] {
  return items.flatMap((item) => {
    if (item.type === 'definition' || item.type === 'comment') return [];
    const statement = text.slice(item.start, item.end);
    const read = item.type === 'import' ? readImport(language, statement) : readExport(statement);
    return read ? [{ start: item.start, end: item.end, text: statement, ...read }] : [];
  });
}

type Read = Pick<NameList, 'key' | 'exports' | 'entries' | 'closing'>;

const EXPORTS: readonly [key: string, start: RegExp][] = [
  ['common', /^module\.exports\s*=\s*\{/u],
  ['export', /^export\s*(?:type\s*)?\{/u],
  ['all', /^__all__\s*=\s*[[(]/u],
];

function readExport(text: string): Read | undefined {
  const [key] = EXPORTS.find(([, start]) => start.test(text)) ?? [];
  const list =
    key === undefined
      ? undefined
      : (bracketsIn(text, '{}') ?? bracketsIn(text, '[]') ?? bracketsIn(text, '()'));
  if (key === undefined || !list) return undefined;
  const from = moduleIn(text.slice(list.closing));
  const entries = entriesIn(list.inner).map((entry) => ({
    text: entry,
    name: /^['"]?([\w$]+)/u.exec(entry)?.[1] ?? entry,
  }));
  return { key: from === '' ? key : `export from ${from}`, exports: true, entries, closing: list.closing };
}

function readImport(language: Language, text: string): Read {
  const plain: Read = { key: folded(text), exports: false, entries: [] };
  const list = bracketsIn(text, language === 'python' || language === 'go' ? '()' : '{}');
  const named = (of: string, name = lastName): Entry[] =>
    entriesIn(of).map((entry) => ({ text: entry, name: name(entry) }));
  switch (language) {
    case 'javascript':
    case 'typescript':
    case 'tsx': {
      const module = moduleIn(text);
      const kind = /^(?:import(?:\s+type\b)?|export|const|let|var)/u.exec(text)?.[0] ?? '';
      const head = text.slice(kind.length, list ? text.indexOf('{') : undefined);
      const others = named(head.split(/\bfrom\b|=/u, 1)[0] ?? '').filter(({ name }) => name !== '');
      const inList = list ? named(list.inner) : [];
      const member = /\)(\.\w+)?;?$/u.exec(text)?.[1] ?? '';
      return {
        key: `${kind.startsWith('import') ? folded(kind) : 'require'} ${module}${member}`,
        exports: false,
        entries: [...others, ...inList],
        closing: list?.closing,
      };
    }
    case 'python': {
      const [, from, rest = ''] = /^from\s+(\S+)\s+import\s([\s\S]*)$/u.exec(text) ?? [];
      const names = list?.inner ?? (from === undefined ? text.slice('import'.length) : rest);
      if (from !== undefined && names.trim() === '*') return plain;
      const first = (entry: string): string =>
        /\sas\s/u.test(entry) ? lastName(entry) : (entry.split('.')[0] ?? '');
      return {
        ...plain,
        key: from === undefined ? plain.key : `from ${from}`,
        entries: named(names, first),
        closing: list?.closing,
      };
    }
    case 'go': {
      const entries = text.split('\n').flatMap((line) => readGo(line.replace(/^import\s*\(?/u, '')));
      return { key: 'go', exports: false, entries, closing: list?.closing };
    }
    case 'java':
    case 'php':
    case 'rust':
      return /\*\s*;?$/u.test(text)
        ? plain
        : { ...plain, entries: named(list?.inner ?? text.replace(/;$/u, '')) };
    default:
      return plain;
  }
}

function readGo(line: string): Entry[] {
  const [text, alias = '', path = ''] = /(?:([\w.]+)\s+)?"([^"]+)"/u.exec(line) ?? [];
  // A version is no part of the package's name.
  const name =
    alias ||
    (path
      .replace(/[/.]v\d+$/u, '')
      .split('/')
      .at(-1) ??
      path);
  return text === undefined ? [] : [{ text, name: /^\w+$/u.test(name) && name !== '_' ? name : '' }];
}

/** What stands between the first bracket that opens a list and the last that closes one, without comments. */
function bracketsIn(
  text: string,
  [opens = '', closes = '']: string,
): { inner: string; closing: number } | undefined {
  const open = text.indexOf(opens);
  const closing = text.lastIndexOf(closes);
  return open < 0 || closing < open ? undefined : { inner: text.slice(open + 1, closing), closing };
}

const entriesIn = (list: string): string[] =>
  list
    .replaceAll(/(?:\/\/|#).*$/gmu, '')
    .split(',')
    .map((entry) => entry.replaceAll(/\s+/gu, ' ').trim())
    .filter(Boolean);

/** What an entry is called in the file: `b` of `a as b`, `a: b`, `type b`, `x.y.b`. */
const lastName = (entry: string): string =>
  entry
    .trim()
    .split(/[^\w$]/u)
    .at(-1) ?? '';

/** The text in the last quotes. */
const moduleIn = (text: string): string => /["'`]([^"'`\n]*)["'`][^"'`]*$/u.exec(text)?.[1] ?? '';

const folded = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').replace(/ ?;$/u, '').replaceAll("'", '"');
