/** What a file exports: by lists (`module.exports = { … }`, `export { … }`, `__all__ = [ … ]`) or by the keyword. */
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import type { Edits } from './edits.ts';
import { insertedInList } from './imports.ts';
import { isUsed } from './texts.ts';

interface Request {
  file: SourceFile;
  text: string;
  block: CodeBlock;
  edits: Edits;
}

interface List {
  start: number;
  end: number;
  kind: string;
  names: string[];
}

/** Adds the names that the answer's list has and the file's has not, if they are defined; renamed ones follow. */
export function mergeExportLists(
  { file, text, block, edits }: Request,
  renames: ReadonlyMap<string, string>,
): void {
  const lists = listsIn(file.items, text).filter((list) => !followRenames(list, renames, text, edits));
  const defined = new Set([...file.definitions, ...block.source.definitions].flatMap(({ names }) => names));
  for (const given of listsIn(block.items, block.text)) {
    const list = lists.find(({ kind }) => kind === given.kind);
    if (!list) continue;
    const lacking = given.names.filter((name) => !list.names.includes(name) && defined.has(nameOf(name)));
    extend(list, lacking, text, edits);
  }
}

/** The new definitions that are to be exported go into the file's list, where it has one. */
export function exportNewNames({
  definitions,
  ...request
}: Request & { definitions: readonly Definition[] }): void {
  const { file, text, block, edits } = request;
  const [list, second] = listsIn(file.items, text);
  if (!list || second) return;
  const known = new Set([...list.names, ...listsIn(block.items, block.text).flatMap((each) => each.names)]);
  const fresh = definitions.filter((each) => !known.has(each.name) && isForOthers(each, request));
  extend(
    list,
    fresh.map(({ name }) => name),
    text,
    edits,
  );
}

/** Whether a new definition is to be exported by a keyword, as those of the file are, and the answer has left that out. */
export function lacksExport(definition: Definition, request: Omit<Request, 'edits'>): boolean {
  const { file, text, block } = request;
  const hasList = [...listsIn(file.items, text), ...listsIn(block.items, block.text)].length > 0;
  if (hasList || isMarked(definition, block.text)) return false;
  return file.definitions.some((each) => isMarked(each, text)) && isForOthers(definition, request);
}

const isMarked = ({ exportStart, bareStart }: Definition, text: string): boolean =>
  /^export\s+$/.test(text.slice(exportStart, bareStart));

const isCode = ({ kind, form }: Definition): boolean =>
  (kind === 'function' || kind === 'class') && form !== 'assignment';

/** A new function that nothing uses is there to be exported, where the file exports all that it does not use itself. */
function isForOthers(definition: Definition, { file, text, block }: Omit<Request, 'edits'>): boolean {
  if (!isCode(definition) || definition.name.startsWith('_')) return false;
  const listed = new Set(listsIn(file.items, text).flatMap(({ names }) => names.map(nameOf)));
  const functions = file.definitions.filter(isCode);
  const isExported = (each: Definition): boolean => listed.has(each.name) || isMarked(each, text);
  const isUsedBy = (others: readonly Definition[]): boolean =>
    others.some(({ start, end }) => isUsed(block.text.slice(start, end), definition.name));
  return (
    functions.some(isExported) &&
    functions.every((each) => isExported(each) || isUsed(without(each, text), each.name)) &&
    !isUsed(text, definition.name) &&
    !isUsedBy(block.source.definitions.filter((each) => each !== definition))
  );
}

const without = ({ start, end }: Definition, text: string): string => text.slice(0, start) + text.slice(end);

/** Whether the list had a name that was renamed, and now has the new one. */
function followRenames(
  list: List,
  renames: ReadonlyMap<string, string>,
  text: string,
  edits: Edits,
): boolean {
  const old = text.slice(list.start, list.end);
  let renamed = old;
  for (const [from, to] of renames) {
    const name = new RegExp(`(?<![\\w$.])${from.replaceAll('$', String.raw`\$`)}(?![\\w$])`, 'g');
    renamed = renamed.replaceAll(name, () => to);
  }
  if (renamed !== old) edits.replace(list.start, list.end, renamed);
  return renamed !== old;
}

const nameOf = (entry: string): string => /^['"]?([\w$]+)/.exec(entry)?.[1] ?? entry;

function extend(list: List, names: readonly string[], text: string, edits: Edits): void {
  if (names.length === 0) return;
  const old = text.slice(list.start, list.end);
  const closing =
    list.kind === 'all' ? Math.max(old.lastIndexOf(']'), old.lastIndexOf(')')) : old.lastIndexOf('}');
  if (closing < 0) return;
  const quote = old.includes('"') ? '"' : "'";
  const entries = names.map((name) => (list.kind === 'all' ? `${quote}${nameOf(name)}${quote}` : name));
  if (edits.covers(list.start, list.end)) return;
  edits.replace(list.start, list.end, insertedInList(old, closing, entries));
}

function listsIn(items: SourceFile['items'], text: string): List[] {
  return items.flatMap((item) => {
    if (item.type !== 'statement' || item.role !== 'exports') return [];
    const given = text.slice(item.start, item.end);
    const [, common = ''] = /^module\.exports\s*=\s*\{([\s\S]*)\}/.exec(given) ?? [];
    const [, clause = ''] = /^export\s*\{([\s\S]*)\}\s*;?$/.exec(given) ?? [];
    const [, all = ''] = /^__all__\s*=\s*[[(]([\s\S]*)[\])]/.exec(given) ?? [];
    const kind = common !== '' ? 'common' : clause !== '' ? 'clause' : all !== '' ? 'all' : '';
    if (kind === '') return [];
    const names = (common + clause + all)
      .replaceAll(/\/\/.*$/gm, '')
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
    return [{ start: item.start, end: item.end, kind, names }];
  });
}
