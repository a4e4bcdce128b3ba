/** Where a new definition goes, and how it is parted from its neighbours: as those of its kind are in that file. */
import type { Definition, SourceItem } from '../definitions/index.ts';
import type { TextEdits } from '../values/text-edits.ts';
import { indentAt } from './indentation.ts';

export interface Scope {
  /** The file's container; undefined at the top. */
  owner?: Definition;
  items: readonly SourceItem[];
}

export interface NewDefinition {
  /** Its text at the given indentation. */
  render(indent: string): string;
  isShort: boolean;
  isData: boolean;
  /** Something registered by a call: a route, a test. */
  isCall: boolean;
  /** Blank lines between it and the one before, as the answer has them; undefined where it follows none. */
  gap?: number;
}

interface Neighbours {
  after?: Definition;
  before?: Definition;
}

interface Gaps {
  ofShort: number | undefined;
  ofLong: number | undefined;
}

export class Insertion {
  readonly #text: string;
  readonly #edits: TextEdits;
  readonly #unit: string;
  readonly #defaultGap: number;
  readonly #gaps = new Map<readonly SourceItem[], Gaps>();

  constructor(text: string, edits: TextEdits, unit: string, defaultGap: number) {
    this.#text = text;
    this.#edits = edits;
    this.#unit = unit;
    this.#defaultGap = defaultGap;
  }

  put(fresh: NewDefinition, scope: Scope, { after, before }: Neighbours): void {
    if (after) return this.#after(fresh, scope, after);
    if (before) return this.#before(fresh, scope, before);
    const siblings = scope.items.flatMap((item) => (item.type === 'definition' ? [item.definition] : []));
    if (scope.owner) return this.#inContainer(fresh, scope, scope.owner, siblings);
    this.#atTop(fresh, scope, siblings);
  }

  #after(fresh: NewDefinition, scope: Scope, sibling: Definition): void {
    const indent = indentAt(this.#text, sibling.start);
    const gap = this.#gap(fresh, scope, sibling);
    if (scope.owner?.separator === ',') return this.#listed(fresh, scope.owner, sibling, gap);
    this.#edits.insert(this.#lineEnd(sibling.end), `\n${'\n'.repeat(gap)}${indent}${fresh.render(indent)}`);
  }

  #before(fresh: NewDefinition, scope: Scope, sibling: Definition): void {
    const indent = indentAt(this.#text, sibling.start);
    const comma = scope.owner?.separator ?? '';
    const gap = comma === ',' ? 0 : this.#gap({ ...fresh, gap: undefined }, scope, sibling);
    const at = this.#text.lastIndexOf('\n', sibling.start - 1) + 1;
    const isAlone = this.#text.slice(at, sibling.start).trim() === '';
    const text = `${fresh.render(indent)}${comma}`;
    if (isAlone) this.#edits.insert(at, `${indent}${text}\n${'\n'.repeat(gap)}`);
    else this.#edits.insert(sibling.start, `${text} `);
  }

  /** In a list with commas: whether the last one has one is kept. */
  #listed(fresh: NewDefinition, owner: Definition, sibling: Definition, gap: number): void {
    const indent = indentAt(this.#text, sibling.start);
    const line = `\n${'\n'.repeat(gap)}${indent}${fresh.render(indent)}`;
    const isOneLine = !this.#text
      .slice(owner.body?.start ?? owner.start, owner.body?.end ?? owner.end)
      .includes('\n');
    const [comma] =
      /^\s*,[ \t]*(\/\/[^\n]*|\/\*[^\n]*\*\/)?/.exec(this.#text.slice(sibling.end, sibling.end + 500)) ?? [];
    if (isOneLine) this.#edits.insert(sibling.end, `, ${fresh.render('')}`);
    else if (comma === undefined) this.#edits.insert(sibling.end, `,${line}`);
    else this.#edits.insert(sibling.end + comma.trimEnd().length, `${line},`);
  }

  #inContainer(fresh: NewDefinition, scope: Scope, owner: Definition, siblings: readonly Definition[]): void {
    const fields = siblings.filter((each) => each.kind === 'property');
    const last = fresh.isData && fields.length > 0 ? fields.at(-1) : siblings.at(-1);
    const [first] = siblings;
    if (fresh.isData && fields.length === 0 && first && owner.separator === '')
      return this.#before(fresh, scope, first);
    if (last) return this.#after(fresh, scope, last);
    const { body } = owner;
    if (!body) return;
    const outer = indentAt(this.#text, owner.bareStart);
    const indent = outer + this.#unit;
    const inner = this.#text.slice(body.start, body.end);
    if (/^\s*(pass|\.\.\.)?\s*$/.test(inner)) {
      const isBlock = inner.trim() !== '';
      const [from, to] = isBlock
        ? [body.start + inner.search(/\S/), body.start + inner.trimEnd().length]
        : [body.start, body.end];
      const text = `${fresh.render(indent)}${owner.separator}`;
      if (this.#edits.covers(from, to)) this.#edits.insert(to, `\n\n${indent}${text}`);
      else this.#edits.replace(from, to, isBlock ? text : `\n${indent}${text}\n${outer}`);
      return;
    }
    const at = body.start + inner.trimEnd().length;
    this.#edits.insert(at, `\n${'\n'.repeat(fresh.isShort ? 0 : 1)}${indent}${fresh.render(indent)}`);
  }

  #atTop(fresh: NewDefinition, scope: Scope, siblings: readonly Definition[]): void {
    const data = leadingData(scope.items);
    const calls = siblings.filter(({ kind }) => kind === 'call');
    const usual = fresh.isCall && calls.length > 0 ? calls : siblings.filter(isUsual);
    if (fresh.isData) {
      const last = data.at(-1);
      if (last) return this.#after({ ...fresh, gap: fresh.gap ?? 0 }, scope, last);
      const head = headOf(scope.items);
      const [first] = usual;
      if (head !== undefined) return this.#edits.insert(this.#lineEnd(head), `\n\n${fresh.render('')}`);
      if (first) return this.#before({ ...fresh, isShort: false }, scope, first);
    }
    const last = usual.at(-1);
    if (last) return this.#after(fresh, scope, last);
    const head = headOf(scope.items);
    if (head !== undefined) return this.#edits.insert(this.#lineEnd(head), `\n\n${fresh.render('')}`);
    const [tail] = scope.items.filter((item) => item.type === 'statement' || item.type === 'definition');
    const at =
      tail?.type === 'statement'
        ? tail.start
        : tail?.type === 'definition'
          ? tail.definition.start
          : this.#text.trimEnd().length;
    if (tail) this.#edits.insert(at, `${fresh.render('')}\n\n`);
    else this.#edits.insert(at, `${at > 0 ? '\n\n' : ''}${fresh.render('')}`);
  }

  /** After what ends the line: a comma, a remark. */
  #lineEnd(offset: number): number {
    const end = this.#text.indexOf('\n', offset);
    const rest = this.#text.slice(offset, end < 0 ? undefined : end);
    return /^[ \t]*[,;]?[ \t]*((\/\/|#).*|\/\*.*\*\/)?[ \t\r]*$/.test(rest)
      ? offset + rest.trimEnd().length
      : offset;
  }

  /** Blank lines between it and the one beside it. */
  #gap(fresh: NewDefinition, { owner, items }: Scope, sibling: Definition): number {
    const isShort = fresh.isShort && isShortIn(this.#text, sibling);
    const own = fresh.gap === undefined ? undefined : Math.min(fresh.gap, 3);
    return Math.max(0, this.#usualGap(items, isShort) ?? own ?? (isShort ? 0 : owner ? 1 : this.#defaultGap));
  }

  /** The most frequent gap between two short definitions, or between others. */
  #usualGap(items: readonly SourceItem[], isShort: boolean): number | undefined {
    const known = this.#gaps.get(items) ?? this.#gapsIn(items);
    this.#gaps.set(items, known);
    return isShort ? known.ofShort : known.ofLong;
  }

  #gapsIn(items: readonly SourceItem[]): Gaps {
    const [ofShort, ofLong] = [new Map<number, number>(), new Map<number, number>()];
    for (const [index, item] of items.entries()) {
      const next = items[index + 1];
      if (item.type !== 'definition' || next?.type !== 'definition') continue;
      const areShort = isShortIn(this.#text, item.definition) && isShortIn(this.#text, next.definition);
      const counts = areShort ? ofShort : ofLong;
      const gap = this.#text.slice(item.definition.end, next.definition.start).split('\n').length - 2;
      counts.set(gap, (counts.get(gap) ?? 0) + 1);
    }
    const usual = (counts: Map<number, number>) => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
    return { ofShort: usual(ofShort), ofLong: usual(ofLong) };
  }
}

/** A function with a body is parted like one, even on one line. */
export const isShortIn = (text: string, { start, end, kind, form, hasBody }: Definition): boolean =>
  !(hasBody && form === 'declaration' && (kind === 'function' || kind === 'method')) &&
  !text.slice(start, end).trim().includes('\n');

/** Neither exports nor a test module: what comes last by custom. */
const isUsual = (definition: Definition): boolean =>
  definition.name !== 'module.exports' &&
  definition.name !== 'default' &&
  definition.kind !== 'call' &&
  !(definition.kind === 'module' && /^tests?$/.test(definition.name));

/** Constants before the first function. */
function leadingData(items: readonly SourceItem[]): Definition[] {
  const data: Definition[] = [];
  for (const item of items) {
    if (item.type !== 'definition') continue;
    const { kind } = item.definition;
    if (kind !== 'constant' && kind !== 'object' && kind !== 'group' && kind !== 'type') break;
    data.push(item.definition);
  }
  return data.filter(isUsual);
}

/** The end of imports and of what else comes first. */
export function headOf(items: readonly SourceItem[]): number | undefined {
  let end: number | undefined;
  for (const item of items) {
    if (
      item.type === 'import' ||
      (item.type === 'statement' && (item.role === 'package' || item.role === 'documentation'))
    )
      end = item.end;
    else if (item.type === 'definition') break;
  }
  return end;
}
