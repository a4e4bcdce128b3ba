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
  /** Blank lines between it and the one before, as the answer has them; undefined where it follows none. */
  gap?: number;
}

interface Neighbours {
  after?: Definition;
  before?: Definition;
}

export class Insertion {
  readonly #text: string;
  readonly #edits: TextEdits;
  readonly #unit: string;
  readonly #defaultGap: number;

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
    const gap = '\n'.repeat(this.#gap(fresh, scope, sibling));
    if (scope.owner?.separator === ',') return this.#listed(fresh, scope.owner, sibling, gap);
    this.#edits.insert(this.#lineEnd(sibling.end), `\n${gap}${indent}${fresh.render(indent)}`);
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
  #listed(fresh: NewDefinition, owner: Definition, sibling: Definition, gap: string): void {
    const indent = indentAt(this.#text, sibling.start);
    const { start, end } = owner.body ?? owner;
    if (!this.#text.slice(start, end).includes('\n'))
      return this.#edits.insert(sibling.end, `, ${fresh.render('')}`);
    const line = `\n${gap}${indent}${fresh.render(indent)}`;
    const [comma] =
      /^\s*,[ \t]*(\/\/[^\n]*|\/\*[^\n]*\*\/)?/.exec(this.#text.slice(sibling.end, sibling.end + 500)) ?? [];
    if (comma === undefined) this.#edits.insert(sibling.end, `,${line}`);
    else this.#edits.insert(sibling.end + comma.trimEnd().length, `${line},`);
  }

  #inContainer(fresh: NewDefinition, scope: Scope, owner: Definition, siblings: readonly Definition[]): void {
    const fields = siblings.filter((each) => each.kind === 'property');
    const last = fresh.isData && fields.length > 0 ? fields.at(-1) : siblings.at(-1);
    const [first] = siblings;
    if (fresh.isData && fields.length === 0 && first && owner.separator === '')
      return this.#before(fresh, scope, first);
    if (last) return this.#after(fresh, scope, last);
    if (owner.body) this.#intoEmpty(fresh, owner, owner.body);
  }

  #intoEmpty(fresh: NewDefinition, owner: Definition, body: { start: number; end: number }): void {
    const outer = indentAt(this.#text, owner.bareStart);
    const indent = outer + this.#unit;
    const inner = this.#text.slice(body.start, body.end);
    const text = `${fresh.render(indent)}${owner.separator}`;
    if (inner.trim() === '') return this.#edits.replace(body.start, body.end, `\n${indent}${text}\n${outer}`);
    const [from, to] = [body.start + inner.search(/\S/), body.start + inner.trimEnd().length];
    if (/^\s*(?:pass|\.\.\.)\s*$/.test(inner) && !this.#edits.covers(from, to))
      this.#edits.replace(from, to, text);
    else this.#edits.insert(to, `\n${fresh.isShort ? '' : '\n'}${indent}${text}`);
  }

  /** Data behind the data that stands first, all else behind the last definition, or behind the imports. */
  #atTop(fresh: NewDefinition, scope: Scope, siblings: readonly Definition[]): void {
    const usual = siblings.filter(isUsual);
    const others = usual.findIndex(({ kind }) => !DATA.has(kind));
    const data = usual.slice(0, others < 0 ? undefined : others);
    const last = fresh.isData ? data.at(-1) : usual.at(-1);
    if (last) return this.#after(fresh.isData ? { ...fresh, gap: fresh.gap ?? 0 } : fresh, scope, last);
    const head = headOf(scope.items);
    const [first] = usual;
    if (head !== undefined) this.#edits.insert(this.#lineEnd(head), `\n\n${fresh.render('')}`);
    else if (first) this.#before({ ...fresh, isShort: false }, scope, first);
    else this.#inFrontOf(scope.items, fresh.render(''));
  }

  /** Before what the file does, or at its end. */
  #inFrontOf(items: readonly SourceItem[], text: string): void {
    const [tail] = items.filter((item) => item.type === 'statement' || item.type === 'definition');
    if (tail)
      return this.#edits.insert(
        tail.type === 'definition' ? tail.definition.start : tail.start,
        `${text}\n\n`,
      );
    const end = this.#text.trimEnd().length;
    this.#edits.insert(end, `${end > 0 ? '\n\n' : ''}${text}`);
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
    const usual = this.#usualGap(items, isShort) ?? own;
    return Math.max(0, usual ?? (isShort ? 0 : owner ? 1 : this.#defaultGap));
  }

  /** The first gap between two short definitions, or between others. */
  #usualGap(items: readonly SourceItem[], isShort: boolean): number | undefined {
    for (const [index, item] of items.entries()) {
      const next = items[index + 1];
      if (item.type !== 'definition' || next?.type !== 'definition') continue;
      const [one, other] = [item.definition, next.definition];
      if ((isShortIn(this.#text, one) && isShortIn(this.#text, other)) !== isShort) continue;
      return this.#text.slice(one.end, other.start).split('\n').length - 2;
    }
    return undefined;
  }
}

const DATA: ReadonlySet<string> = new Set(['constant', 'object', 'group', 'type']);

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

/** The end of imports and of what else comes first. */
function headOf(items: readonly SourceItem[]): number | undefined {
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
