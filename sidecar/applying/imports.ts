/**
 * What a file and an answer import, and what of it the file lacks. Named imports of one module are joined; what nothing
 * uses is left out, since the module may not even exist.
 */
import type { SourceFile } from '../definitions/index.ts';
import type { Language } from '../definitions/languages.ts';
import { isUsed } from './texts.ts';

export interface ImportLine {
  text: string;
  /** What kind of statement, module included: imports of one key are joined. */
  key: string;
  /** Names that it brings in; empty for one that is only run. */
  names: readonly string[];
  /** The list of named ones: `{ a, b as c }`. */
  named?: { name: string; text: string }[];
}

export function readImport(language: Language, text: string): ImportLine[] {
  const line = text.trim();
  switch (language) {
    case 'javascript':
    case 'typescript':
    case 'tsx':
      return [readEsm(line) ?? readRequire(line) ?? plain(line)];
    case 'python':
      return [readPython(line)];
    case 'go':
      return readGo(line);
    case 'java':
    case 'csharp':
    case 'php':
    case 'rust':
      return [
        {
          text: line,
          key: folded(line),
          names: /\*\s*;?$/.test(line) || language === 'csharp' ? [] : lastNames(line),
        },
      ];
    default:
      return [plain(line)];
  }
}

/** All names that a file imports. */
export const importedNames = ({ items, language }: SourceFile, text: string): ReadonlySet<string> =>
  new Set(
    items
      .flatMap((item) =>
        item.type === 'import' ? readImport(language, text.slice(item.start, item.end)) : [],
      )
      .flatMap(({ names }) => names),
  );

const folded = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replace(/\s*;$/, '').replaceAll("'", '"');
const plain = (text: string): ImportLine => ({ text, key: folded(text), names: [] });

function readEsm(line: string): ImportLine | undefined {
  const match = /^import\s+(type\s+)?([\s\S]*?)\s*from\s*['"]([^'"]+)['"]/.exec(line);
  if (!match) return undefined;
  const [, type = '', clause = '', from = ''] = match;
  const list = /\{([\s\S]*)\}/.exec(clause)?.[1];
  const others = clause
    .replace(/\{[\s\S]*\}/, '')
    .split(',')
    .map((other) => other.trim())
    .filter(Boolean);
  const names = others.map((other) => other.replace(/^\*\s*as\s+/, ''));
  const named = list === undefined ? undefined : namedIn(list, /\s+as\s+/);
  return {
    text: line,
    key: `esm ${type.trim()} ${from}`,
    names: [...names, ...(named ?? []).map(({ name }) => name)],
    named: others.length > 0 && named === undefined ? undefined : named,
  };
}

const namedIn = (list: string, as: RegExp): { name: string; text: string }[] =>
  list
    .split(',')
    .map((each) => each.replace(/\/\/.*$/gm, '').trim())
    .filter(Boolean)
    .map((text) => ({ text, name: (text.split(as).at(-1) ?? text).replace(/^type\s+/, '').trim() }));

function readRequire(line: string): ImportLine | undefined {
  const match = /^(?:const|let|var)\s+([\s\S]*?)\s*=\s*require\s*\(\s*['"`]([^'"`]+)['"`]\s*\)(\.\w+)?/.exec(
    line,
  );
  if (!match) return undefined;
  const [, left = '', from = '', member = ''] = match;
  const list = /^\{([\s\S]*)\}$/.exec(left)?.[1];
  const named = list === undefined ? undefined : namedIn(list, /\s*:\s*/);
  return {
    text: line,
    key: `require ${from}${member}`,
    names: named?.map(({ name }) => name) ?? [left],
    named,
  };
}

function readPython(line: string): ImportLine {
  const from = /^from\s+(\S+)\s+import\s+\(?([\s\S]*?)\)?$/.exec(line);
  if (from) {
    const [, module = '', list = ''] = from;
    if (list.trim() === '*') return { text: line, key: `from ${module}`, names: [] };
    const named = namedIn(list.replaceAll(/#.*$/gm, ''), /\s+as\s+/);
    return { text: line, key: `from ${module}`, names: named.map(({ name }) => name), named };
  }
  const list = namedIn(line.replace(/^import\s+/, ''), /\s+as\s+/);
  return { text: line, key: folded(line), names: list.map(({ name }) => name.split('.')[0] ?? name) };
}

function readGo(line: string): ImportLine[] {
  const lines = line
    .replace(/^import\s*\(?/, '')
    .replace(/\)\s*$/, '')
    .split(/[\n;]/);
  return lines.flatMap((each) => {
    const [, alias = '', path = ''] = /^\s*([\w.]*)\s*"([^"]+)"/.exec(each) ?? [];
    if (path === '') return [];
    // A version is no part of the package's name.
    const last = /([^/]+?)(?:[/.]v\d+)?$/.exec(path)?.[1] ?? path;
    const name = alias === '' ? last : alias;
    const isKnown = /^\w+$/.test(name) && name !== '_';
    return [{ text: each.trim(), key: `go ${path}`, names: isKnown ? [name] : [] }];
  });
}

/** `use a::{b, c as d};`, `import a.b.C;`, `use A\B as C;`. */
function lastNames(line: string): string[] {
  const list = /\{([\s\S]*)\}/.exec(line)?.[1];
  const parts = list === undefined ? [line] : list.split(',');
  return parts.flatMap((part) => {
    const name = /([\w$]+)\s*;?\s*$/.exec(part.trim())?.[1];
    return name === undefined || name === 'self' ? [] : [name];
  });
}

export interface ImportChange {
  /** An import of the file that becomes another. */
  replace?: { index: number; text: string };
  /** A line that is added. */
  add?: string;
}

/** What must become of the file's imports so that it has those of the answer that `code` uses. */
export function missingImports(
  file: readonly ImportLine[],
  answer: readonly ImportLine[],
  code: string,
  isDefined: (name: string) => boolean,
): ImportChange[] {
  const brought = new Set(file.flatMap(({ names }) => names));
  const current = file.map((line) => line);
  const changes: ImportChange[] = [];
  for (const wanted of answer) {
    if (wanted.names.length === 0) {
      if (!current.some(({ key }) => key === wanted.key)) changes.push({ add: wanted.text });
      continue;
    }
    const lacking = wanted.names.filter(
      (name) => !brought.has(name) && !isDefined(name) && isUsed(code, name),
    );
    if (lacking.length === 0) continue;
    for (const name of lacking) brought.add(name);
    const index = current.findIndex(({ key, named }) => key === wanted.key && named !== undefined);
    const found = current[index];
    const isNamed = lacking.every((name) => wanted.named?.some((each) => each.name === name));
    if (found?.named && wanted.named && isNamed) {
      const added = wanted.named.filter(({ name }) => lacking.includes(name));
      const text = joined(
        found.text,
        added.map((each) => each.text),
      );
      current[index] = { ...found, text, named: [...found.named, ...added] };
      changes.push({ replace: { index, text } });
    } else changes.push({ add: wanted.text });
  }
  return changes;
}

/** A list of names with more names at its end. */
function joined(text: string, added: readonly string[]): string {
  const closing = text.includes('}')
    ? text.lastIndexOf('}')
    : text.includes(')') && text.startsWith('from')
      ? text.lastIndexOf(')')
      : -1;
  if (closing < 0) return `${text}, ${added.join(', ')}`;
  return insertedInList(text, closing, added);
}

/** `added` at the end of the list that is closed at `closing`, in the list's own layout. */
export function insertedInList(text: string, closing: number, added: readonly string[]): string {
  const before = text.slice(0, closing).trimEnd();
  const space = text.slice(before.length, closing);
  const hasComma = before.endsWith(',');
  const isEmpty = /[{[(]$/.test(before);
  if (space.includes('\n') && !isEmpty) {
    const indent = /\n([ \t]*)[^\n]*$/.exec(before)?.[1] ?? '  ';
    const lines = added.map((each) => `\n${indent}${each}`).join(',');
    return `${before}${hasComma ? '' : ','}${lines}${hasComma ? ',' : ''}${text.slice(before.length)}`;
  }
  return `${before}${isEmpty ? ' ' : hasComma ? ' ' : ', '}${added.join(', ')}${isEmpty && space === '' ? ' ' : space}${text.slice(closing)}`;
}
