/** What a file exports: by lists (`module.exports = { … }`, `export { … }`, `__all__ = [ … ]`) or by the keyword. */
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import type { TextEdits } from '../values/text-edits.ts';
import { insertedInList } from './imports.ts';
import { isUsed } from './texts.ts';

interface Sides {
  file: SourceFile;
  /** The file's. */
  text: string;
  block: CodeBlock;
  edits: TextEdits;
}

interface List {
  start: number;
  end: number;
  kind: string;
  names: string[];
}

export class Exports {
  readonly #sides: Sides;
  readonly #lists: readonly List[];
  readonly #given: readonly List[];
  /** Whether the file exports all functions and classes that it does not use itself. */
  readonly #exportsAll: boolean;

  constructor(sides: Sides) {
    const { file, text, block } = sides;
    this.#sides = sides;
    this.#lists = listsIn(file.items, text);
    this.#given = listsIn(block.items, block.text);
    const listed = new Set(this.#lists.flatMap(({ names }) => names.map(nameOf)));
    const code = file.definitions.filter(isCode);
    const isExported = (each: Definition): boolean => listed.has(each.name) || isMarked(each, text);
    this.#exportsAll =
      code.some(isExported) &&
      code.every((each) => isExported(each) || isUsed(without(each, text), each.name));
  }

  /** Adds the names that the answer's list has and the file's has not, if they are defined; renamed ones follow. */
  mergeLists(renames: ReadonlyMap<string, string>): void {
    const { file, block } = this.#sides;
    const lists = this.#lists.filter((list) => !this.#followRenames(list, renames));
    const defined = new Set([...file.definitions, ...block.source.definitions].flatMap(({ names }) => names));
    for (const given of this.#given) {
      const list = lists.find(({ kind }) => kind === given.kind);
      if (!list) continue;
      const known = new Set(list.names);
      this.#extend(
        list,
        given.names.filter((name) => !known.has(name) && defined.has(nameOf(name))),
      );
    }
  }

  /** The new definitions that are to be exported go into the file's list, where it has one. */
  exportNew(definitions: readonly Definition[]): void {
    const [list, second] = this.#lists;
    if (!list || second) return;
    const known = new Set([...list.names, ...this.#given.flatMap(({ names }) => names)]);
    const fresh = definitions.filter((each) => !known.has(each.name) && this.#isForOthers(each));
    this.#extend(
      list,
      fresh.map(({ name }) => name),
    );
  }

  /** Whether a new definition is to be exported by a keyword, as those of the file are, and the answer has left that out. */
  lacksKeyword(definition: Definition): boolean {
    const { file, text, block } = this.#sides;
    const hasList = this.#lists.length + this.#given.length > 0;
    if (hasList || isMarked(definition, block.text)) return false;
    return file.definitions.some((each) => isMarked(each, text)) && this.#isForOthers(definition);
  }

  /** A new function that nothing uses is there to be exported, where the file exports all that it does not use itself. */
  #isForOthers(definition: Definition): boolean {
    const { text, block } = this.#sides;
    const { name } = definition;
    if (!this.#exportsAll || !isCode(definition) || name.startsWith('_') || isUsed(text, name)) return false;
    return !block.source.definitions.some(
      (each) => each !== definition && isUsed(block.text.slice(each.start, each.end), name),
    );
  }

  /** Whether the list had a name that was renamed, and now has the new one. */
  #followRenames({ start, end }: List, renames: ReadonlyMap<string, string>): boolean {
    const old = this.#sides.text.slice(start, end);
    let renamed = old;
    for (const [from, to] of renames) {
      const name = new RegExp(`(?<![\\w$.])${from.replaceAll('$', String.raw`\$`)}(?![\\w$])`, 'g');
      renamed = renamed.replaceAll(name, () => to);
    }
    if (renamed !== old) this.#sides.edits.replace(start, end, renamed);
    return renamed !== old;
  }

  #extend({ start, end, kind }: List, names: readonly string[]): void {
    const { text, edits } = this.#sides;
    const old = text.slice(start, end);
    const closing =
      kind === 'all' ? Math.max(old.lastIndexOf(']'), old.lastIndexOf(')')) : old.lastIndexOf('}');
    if (names.length === 0 || closing < 0 || edits.covers(start, end)) return;
    const quote = old.includes('"') ? '"' : "'";
    const entries = names.map((name) => (kind === 'all' ? `${quote}${nameOf(name)}${quote}` : name));
    edits.replace(start, end, insertedInList(old, closing, entries));
  }
}

const isMarked = ({ exportStart, bareStart }: Definition, text: string): boolean =>
  /^export\s+$/.test(text.slice(exportStart, bareStart));

const isCode = ({ kind, form }: Definition): boolean =>
  (kind === 'function' || kind === 'class') && form !== 'assignment';

const without = ({ start, end }: Definition, text: string): string => text.slice(0, start) + text.slice(end);

const nameOf = (entry: string): string => /^['"]?([\w$]+)/.exec(entry)?.[1] ?? entry;

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
