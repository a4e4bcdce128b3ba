/** Lists of what a file exports: `module.exports = { … }`, `export { … }`, `__all__ = [ … ]`. */
import type { SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import type { Edits } from './edits.ts';
import { insertedInList } from './imports.ts';

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

/** A new function of a file that exports all its functions, and that nothing in it uses, is there to be exported. */
export function exportNewNames({
  file,
  text,
  edits,
  names,
  block,
}: Request & { names: readonly string[] }): void {
  const [list, second] = listsIn(file.items, text);
  if (!list || second) return;
  const given = listsIn(block.items, block.text).flatMap((each) => each.names);
  const functions = file.definitions.filter(
    ({ kind, form }) => (kind === 'function' || kind === 'class') && form !== 'assignment',
  );
  const listed = new Set(list.names.map(nameOf));
  if (functions.length === 0 || !functions.every(({ name }) => listed.has(name))) return;
  const fresh = names.filter((name) => {
    const definition = block.source.definitions.find((each) => each.name === name);
    const isUsed = new RegExp(`(?<![\\w$.])${name.replaceAll('$', String.raw`\$`)}(?![\\w$])`, 'g');
    const others = block.source.definitions
      .filter((each) => each !== definition)
      .map((each) => block.text.slice(each.start, each.end));
    const isHelper = others.some((code) => code.match(isUsed) !== null) || name.startsWith('_');
    return (
      definition !== undefined &&
      (definition.kind === 'function' || definition.kind === 'class') &&
      !isHelper &&
      !given.includes(name) &&
      !listed.has(name)
    );
  });
  extend(list, fresh, text, edits);
}

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
