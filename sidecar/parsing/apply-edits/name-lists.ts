/** Reads import and export statements as lists of names. */
import type { Language, SourceFile } from '../definitions/index.ts';

export interface NameList {
  start: number;
  end: number;
  text: string;
  /** Kind and module of the statement. Lists with the same key correspond to each other. */
  key: string;
  kind: 'import' | 'export' | 're-export';
  entries: readonly NameEntry[];
  /** Offset of the closing bracket from the list's start, before which names are added; undefined if there are no brackets. */
  closingOffset?: number | undefined;
}

export interface NameEntry {
  /** Name that the file uses; empty for an import without a name. */
  name: string;
  text: string;
}

export const namesOf = ({ entries }: NameList): string[] => entries.map(({ name }) => name);

/** Returns all names that a file imports. */
export const listImportedNames = (source: SourceFile, text: string): ReadonlySet<string> =>
  new Set(readNameLists(source, text).flatMap((list) => (list.kind === 'import' ? namesOf(list) : [])));

export function readNameLists({ items, language }: SourceFile, text: string): NameList[] {
  return items.flatMap((item) => {
    if (item.type === 'definition' || item.type === 'comment') return [];
    const statement = text.slice(item.start, item.end);
    const parsed = item.type === 'import' ? readImport(language, statement) : readExport(statement);
    return parsed ? [{ start: item.start, end: item.end, text: statement, ...parsed }] : [];
  });
}

type ParsedList = Pick<NameList, 'key' | 'kind' | 'entries' | 'closingOffset'>;

function readExport(text: string): ParsedList | undefined {
  const [, key] = /^(module\.exports\s*=|export(?:\s+type)?|__all__\s*=)\s*[{[(]/u.exec(text) ?? [];
  const list = key === undefined ? undefined : findBracketed(text, /[{[(]/u);
  if (key === undefined || !list) return undefined;
  const module = moduleOf(text.slice(list.closing));
  const entries = splitEntries(list.inner, (entry) => /[\w$]+/u.exec(entry)?.[0] ?? '');
  const kind = module === '' ? 'export' : 're-export';
  return { key: `${normalizeStatement(key)} ${module}`, kind, entries, closingOffset: list.closing };
}

function readImport(language: Language, text: string): ParsedList {
  const list = findBracketed(text, language === 'python' || language === 'go' ? /\(/u : /\{/u);
  const plain: ParsedList = { key: normalizeStatement(text), kind: 'import', entries: [] };
  switch (language) {
    case 'javascript':
    case 'typescript':
    case 'tsx': {
      const keyword = /^(?:import(?:\s+type\b)?|\w+)/u.exec(text)?.[0] ?? '';
      const head = text.slice(keyword.length, list?.opening).split(/\bfrom\b|=/u, 1)[0] ?? '';
      return {
        ...plain,
        key: `${keyword.startsWith('import') ? normalizeStatement(keyword) : 'require'} ${moduleOf(text)}`,
        entries: [...splitEntries(head), ...splitEntries(list?.inner ?? '')].filter(
          ({ name }) => name !== '',
        ),
        closingOffset: list?.closing,
      };
    }
    case 'python': {
      const [, module, names = ''] = /^from\s+(\S+)\s+import\s([\s\S]*)$/u.exec(text) ?? [];
      if (module === undefined)
        return { ...plain, entries: splitEntries(text.slice('import'.length), boundNameOf) };
      const entries = names.trim() === '*' ? [] : splitEntries(list?.inner ?? names, boundNameOf);
      return { ...plain, key: `from ${module}`, entries, closingOffset: list?.closing };
    }
    case 'go':
      return {
        ...plain,
        key: 'go',
        entries: text.split('\n').flatMap(readGoImport),
        closingOffset: list?.closing,
      };
    case 'java':
    case 'php':
    case 'rust':
      return /\*\s*;?$/u.test(text)
        ? plain
        : { ...plain, entries: splitEntries(list?.inner ?? text.replace(/;$/u, '')) };
    default:
      return plain;
  }
}

/** Reads a line of a Go import. A version suffix of the path is not part of the package's name. */
function readGoImport(line: string): NameEntry[] {
  const [text, alias, path = ''] = /(?:([\w.]+)\s+)?"([^"]+)"/u.exec(line.replace(/^import\b/u, '')) ?? [];
  const name = alias ?? path.replace(/[/.]v\d+$/u, '').replace(/^.*\//u, '');
  return text === undefined ? [] : [{ text, name: /^\w+$/u.test(name) && name !== '_' ? name : '' }];
}

/** Returns the text between the first opening bracket and its closing bracket. */
function findBracketed(
  text: string,
  opens: RegExp,
): { inner: string; opening: number; closing: number } | undefined {
  const opening = text.search(opens);
  const closing = text.lastIndexOf({ '{': '}', '[': ']', '(': ')' }[text[opening] ?? ''] ?? '\0');
  return closing < 0 ? undefined : { inner: text.slice(opening + 1, closing), opening, closing };
}

/** Splits a list into entries, without comments. */
const splitEntries = (list: string, nameOf = lastNameOf): NameEntry[] =>
  list
    .replaceAll(/(?:\/\/|#).*$/gmu, '')
    .split(',')
    .map((entry) => entry.replaceAll(/\s+/gu, ' ').trim())
    .filter(Boolean)
    .map((text) => ({ text, name: nameOf(text) }));

/** Returns the local name of an entry: `b` of `a as b`, `a: b`, `type b`, `x.y.b`. */
const lastNameOf = (entry: string): string => /[\w$]*$/u.exec(entry)?.[0] ?? '';

/** Returns the local name of a Python import: `a` for `import a.b`. */
const boundNameOf = (entry: string): string =>
  / as /u.test(entry) ? lastNameOf(entry) : (entry.split('.')[0] ?? '');

/** Returns the module of a statement: the text in its last quotes. */
const moduleOf = (text: string): string => /["'`]([^"'`\n]*)["'`][^"'`]*$/u.exec(text)?.[1] ?? '';

const normalizeStatement = (text: string): string =>
  text.replaceAll(/\s+/gu, ' ').replace(/ ?;$/u, '').replaceAll("'", '"');
