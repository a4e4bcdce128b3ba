/** Brings the imports of an answer into a file. */
import { posix } from 'node:path';
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { TextEdits } from '../values/text-edits.ts';
import { isUsed } from './texts.ts';
import { missingImports, readImport, type ImportLine } from './imports.ts';

export interface ImportRequest {
  file: SourceFile;
  text: string;
  path: string;
  block: CodeBlock;
  edits: TextEdits;
  /** Definitions of the block that are not put in. */
  refused: ReadonlySet<Definition>;
}

interface FileImport {
  line: ImportLine;
  start: number;
  end: number;
}

/** How many imports of a block that holds nothing else were put in: there a changed import is what it is about. */
export function mergeImports(request: ImportRequest): number {
  const { file, text, block, edits, refused } = request;
  const { language } = file;
  const present: FileImport[] = file.items.flatMap((item) =>
    item.type === 'import'
      ? readImport(language, text.slice(item.start, item.end)).map((line) => ({
          line,
          start: item.start,
          end: item.end,
        }))
      : [],
  );
  const wanted = block.items
    .flatMap((item) =>
      item.type === 'import' ? readImport(language, block.text.slice(item.start, item.end)) : [],
    )
    .filter((line) => !isOfItself(line, request.path));
  if (block.items.every(({ type }) => type === 'import' || type === 'comment'))
    return replaceImports(request, present, wanted);
  const code = block.items
    .flatMap((item): { start: number; end: number }[] => {
      if (item.type === 'definition') return refused.has(item.definition) ? [] : [item.definition];
      return item.type === 'statement' && item.role === 'exports' ? [item] : [];
    })
    .map(({ start, end }) => block.text.slice(start, end))
    .join('\n');
  const defined = new Set(file.definitions.flatMap(({ names }) => names));
  const changes = missingImports(
    present.map(({ line }) => line),
    wanted,
    code,
    (name) => defined.has(name),
  );
  apply(
    request,
    changes.map(({ replace, add }) => ({
      target: replace ? present[replace.index] : undefined,
      text: replace?.text ?? add ?? '',
    })),
    edits,
  );
  return 0;
}

/** An import from another place than now. */
function replaceImports(
  request: ImportRequest,
  present: readonly FileImport[],
  wanted: readonly ImportLine[],
): number {
  const changes = wanted
    .filter(
      ({ key, names }) =>
        !present.some(({ line }) => line.key === key && names.every((name) => line.names.includes(name))),
    )
    .map((line) => ({
      target: present.find((each) => line.names.length > 0 && line.names.join() === each.line.names.join()),
      text: line.text,
    }));
  apply(request, changes, request.edits);
  return changes.length;
}

/**
 * The file with the imports of the block as they are written there, where nothing uses any more what those of the file bring
 * in besides: what was renamed may not be there to import.
 */
export function withGivenImports({ language, items }: SourceFile, text: string, block: CodeBlock): string {
  const own = importsIn(language, items, text);
  const rest = own.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
  const edits = new TextEdits();
  for (const given of importsIn(language, block.items, block.text)) {
    const same = own.find(({ key }) => key === given.key);
    if (!same || given.names.some((name) => !same.names.includes(name))) continue;
    const others = same.names.filter((name) => !given.names.includes(name));
    if (others.length > 0 && !others.some((name) => isUsed(rest, name)))
      edits.replace(same.start, same.end, block.text.slice(given.start, given.end));
  }
  return edits.apply(text);
}

/** Import statements with all names that they bring in; those of one key stand for each other, as all of Go do. */
function importsIn(
  language: SourceFile['language'],
  items: SourceFile['items'],
  text: string,
): { key: string; names: readonly string[]; start: number; end: number }[] {
  return items.flatMap((item) => {
    if (item.type !== 'import') return [];
    const { start, end } = item;
    const lines = readImport(language, text.slice(start, end));
    const key = language === 'go' ? 'go' : (lines[0]?.key ?? '');
    return [{ key, names: lines.flatMap(({ names }) => names), start, end }];
  });
}

function apply(
  { file, text }: ImportRequest,
  changes: readonly { target?: FileImport; text: string }[],
  edits: TextEdits,
): void {
  const replaced = new Map<FileImport, string>();
  const added: string[] = [];
  for (const change of changes) {
    if (change.target && file.language !== 'go') replaced.set(change.target, change.text);
    else added.push(change.text);
  }
  for (const [target, line] of replaced) {
    const old = text.slice(target.start, target.end);
    edits.replace(
      target.start,
      target.end,
      old.endsWith(';') || !line.endsWith(';') ? line : line.slice(0, -1),
    );
  }
  if (added.length > 0) addImports(file, text, added, edits);
}

/** Behind the last import, or where a first one stands. In Go `added` are paths in quotes. */
export function addImports(file: SourceFile, text: string, added: readonly string[], edits: TextEdits): void {
  if (file.language === 'go') return addGo(file, text, added, edits);
  const last = file.items.findLast((item) => item.type === 'import');
  const lines = added.join('\n');
  if (last?.type === 'import') edits.insert(last.end, `\n${lines}`);
  else insertFirst(file, text, lines, edits);
}

function addGo(file: SourceFile, text: string, added: readonly string[], edits: TextEdits): void {
  const group = file.items.find(
    (item) => item.type === 'import' && text.slice(item.start, item.end).includes('('),
  );
  if (group?.type === 'import') {
    const closing = text.slice(group.start, group.end).lastIndexOf(')') + group.start;
    edits.insert(closing, added.map((line) => `\t${line}\n`).join(''));
    return;
  }
  const lines =
    added.length === 1
      ? `import ${added[0] ?? ''}`
      : `import (\n${added.map((line) => `\t${line}\n`).join('')})`;
  const single = file.items.findLast((item) => item.type === 'import');
  if (single?.type === 'import') edits.insert(single.end, `\n${lines}`);
  else insertFirst(file, text, lines, edits);
}

/** Behind what must come first: an interpreter line, a license, the package, documentation, `'use strict'`. */
function insertFirst(file: SourceFile, text: string, lines: string, edits: TextEdits): void {
  let at = 0;
  for (const item of file.items) {
    const [start, end] =
      item.type === 'definition' ? [item.definition.start, item.definition.end] : [item.start, item.end];
    const isFirst =
      (item.type === 'statement' &&
        (item.role === 'package' ||
          item.role === 'documentation' ||
          /^['"]use /.test(text.slice(start, end)))) ||
      (item.type === 'comment' && at === 0 && start === 0);
    if (!isFirst) break;
    at = end;
  }
  if (at === 0) edits.insert(0, `${lines}\n\n`);
  else edits.insert(at, `\n${lines.startsWith('\n') ? '' : '\n'}${lines}`);
}

/** Examples import the file that they are an example of. */
export function isOfItself({ key }: ImportLine, path: string): boolean {
  const from = /^(?:esm|require|from)\s+(?:type\s+)?(\S+)/.exec(key)?.[1];
  if (from === undefined) return false;
  const own = path.replace(/\.\w+$/, '');
  const name = posix.basename(own);
  if (key.startsWith('from'))
    return from === own.replaceAll('/', '.') || from === name || from === `.${name}`;
  if (!from.startsWith('.')) return false;
  const target = posix.join(posix.dirname(path), from).replace(/\.\w+$/, '');
  return target === own || target === `./${own}`;
}
