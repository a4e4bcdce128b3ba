/**
 * Where a new definition goes: beside what the answer gives it beside, else to the end of what it is a member of, else
 * behind the definitions of its kind. It is parted from its neighbours as others are in that file.
 */
import { withNested, type Definition, type SourceFile, type SourceItem } from '../definitions/index.ts';
import type { TextEdits } from '../values/text-edits.ts';
import { indentAt } from './rendering.ts';

export interface Scope {
  /** The file's container; undefined at the top. */
  owner?: Definition | undefined;
  items: readonly SourceItem[];
}

export interface NewDefinition {
  /** Its text at the given indentation. */
  render(indent: string): string;
  isShort: boolean;
  isData: boolean;
  /** It has its place in a class, though the answer may give it without one. */
  isMember: boolean;
  /** Definitions of the file that stand for what the answer has right before it and behind it. */
  after?: Definition | undefined;
  before?: Definition | undefined;
  /** Blank lines before it in the answer. */
  gap?: number | undefined;
}

const DATA: ReadonlySet<string> = new Set(['constant', 'object', 'group', 'type']);

export class Insertion {
  readonly #file: SourceFile;
  readonly #text: string;
  readonly #edits: TextEdits;
  readonly #unit: string;

  constructor(file: SourceFile, text: string, edits: TextEdits, unit: string) {
    this.#file = file;
    this.#text = text;
    this.#edits = edits;
    this.#unit = unit;
  }

  /** False where no class is certain to be that of a member. */
  put(fresh: NewDefinition, wanted: Scope): boolean {
    const { after } = fresh;
    const before = after ? undefined : fresh.before;
    const neighbour = after ?? before;
    const home = neighbour && scopeOf(neighbour, this.#file.items);
    const isInside = wanted.owner !== undefined || fresh.isMember;
    if (home && (home.owner !== undefined) === isInside) {
      if (after) this.#after(fresh, home, after);
      else if (before) this.#before(fresh, home, before);
      return true;
    }
    const scope = wanted.owner ? wanted : fresh.isMember ? this.#onlyClass() : this.#topOrModule(wanted);
    if (scope?.owner) this.#inContainer(fresh, scope, scope.owner);
    else if (scope) this.#atTop(fresh, scope);
    return scope !== undefined;
  }

  #onlyClass(): Scope | undefined {
    const [owner, another] = withNested(this.#file.definitions).filter(
      ({ kind, items }) => kind === 'class' && items.length > 0,
    );
    return owner && !another ? { owner, items: owner.items } : undefined;
  }

  /** The namespace that holds all of the file, where there is one. */
  #topOrModule(top: Scope): Scope {
    const [only, another] = this.#file.definitions;
    return only?.kind === 'module' && !another ? { owner: only, items: only.items } : top;
  }

  #after(fresh: NewDefinition, scope: Scope, sibling: Definition): void {
    const indent = indentAt(this.#text, sibling.start);
    const gap = '\n'.repeat(this.#gap(fresh, scope, sibling));
    const at = sibling.end + this.#restOfLine(sibling.end).length;
    if (scope.owner?.separator === ',') this.#listed(fresh, scope.owner, sibling, gap);
    else this.#edits.insert(at, `\n${gap}${indent}${fresh.render(indent)}`);
  }

  #before(fresh: NewDefinition, { owner, items }: Scope, sibling: Definition): void {
    const indent = indentAt(this.#text, sibling.start);
    const comma = owner?.separator ?? '';
    const gap = comma === '' ? this.#gap({ ...fresh, gap: undefined }, { owner, items }, sibling) : 0;
    this.#edits.insert(sibling.start, `${fresh.render(indent)}${comma}\n${'\n'.repeat(gap)}${indent}`);
  }

  /** A member of a list that is parted by commas. */
  #listed(fresh: NewDefinition, { body, start, end }: Definition, sibling: Definition, gap: string): void {
    const indent = indentAt(this.#text, sibling.start);
    if (!this.#text.slice(body?.start ?? start, body?.end ?? end).includes('\n'))
      return this.#edits.insert(sibling.end, `, ${fresh.render('')}`);
    const line = `\n${gap}${indent}${fresh.render(indent)}`;
    const rest = this.#restOfLine(sibling.end);
    this.#edits.insert(sibling.end + rest.length, rest.startsWith(',') ? `${line},` : `,${line}`);
  }

  /** Fields stand together where there are any. */
  #inContainer(fresh: NewDefinition, scope: Scope, owner: Definition): void {
    const siblings = definitionsIn(scope.items);
    const fields = siblings.filter(({ kind }) => kind === 'property');
    const [first] = siblings;
    const last = (fresh.isData ? fields.at(-1) : undefined) ?? siblings.at(-1);
    if (fresh.isData && fields.length === 0 && first && owner.separator === '')
      this.#before(fresh, scope, first);
    else if (last) this.#after(fresh, scope, last);
    else if (owner.body) this.#intoEmpty(fresh, owner, owner.body);
  }

  #intoEmpty(fresh: NewDefinition, owner: Definition, { start, end }: { start: number; end: number }): void {
    const outer = indentAt(this.#text, owner.bareStart);
    const indent = outer + this.#unit;
    const inner = this.#text.slice(start, end);
    const text = `${fresh.render(indent)}${owner.separator}`;
    if (inner.trim() === '') return this.#edits.replace(start, end, `\n${indent}${text}\n${outer}`);
    const to = start + inner.trimEnd().length;
    const isEmpty = /^(?:pass|\.\.\.)$/u.test(inner.trim()) && !this.#edits.covers(start, to);
    if (isEmpty) this.#edits.replace(to - inner.trim().length, to, text);
    else this.#edits.insert(to, `\n${fresh.isShort ? '' : '\n'}${indent}${text}`);
  }

  /** Data behind the data that stands first, all else behind the last definition, or behind the imports. */
  #atTop(fresh: NewDefinition, scope: Scope): void {
    const usual = definitionsIn(scope.items).filter(isUsual);
    const others = usual.findIndex(({ kind }) => !DATA.has(kind));
    const last = (fresh.isData && others >= 0 ? usual.slice(0, others) : usual).at(-1);
    if (last) return this.#after(fresh, scope, last);
    const [first] = scope.items.filter((item) => item.type === 'definition' || !comesFirst(item));
    const text = fresh.render('');
    const before = scope.items.findLast((item) => item !== first && item.type !== 'definition');
    if (first)
      this.#edits.insert(first.type === 'definition' ? first.definition.start : first.start, `${text}\n\n`);
    else if (before && before.type !== 'definition') this.#edits.insert(before.end, `\n\n${text}`);
    else this.#edits.insert(this.#text.trimEnd().length, text);
  }

  /** What ends the line behind a definition: a comma, a remark. */
  #restOfLine(offset: number): string {
    const end = this.#text.indexOf('\n', offset);
    const rest = this.#text.slice(offset, end < 0 ? undefined : end).trimEnd();
    return /^[ \t]*[,;]?[ \t]*(?:(?:\/\/|#).*|\/\*.*\*\/)?$/u.test(rest) ? rest : '';
  }

  /** Blank lines between it and the one beside it: as between two others of the file, else as in the answer. */
  #gap(fresh: NewDefinition, { owner, items }: Scope, sibling: Definition): number {
    const isShort = fresh.isShort && isShortIn(this.#text, sibling);
    const usual = this.#usualGap(items, isShort);
    const own = fresh.gap === undefined ? undefined : Math.min(fresh.gap, 3);
    const atTop = this.#file.language === 'python' ? 2 : 1;
    return Math.max(0, usual ?? own ?? (isShort ? 0 : owner ? 1 : atTop));
  }

  /** The first gap between two short definitions, or between others. */
  #usualGap(items: readonly SourceItem[], isShort: boolean): number | undefined {
    for (const [index, item] of items.entries()) {
      const next = items[index + 1];
      if (item.type !== 'definition' || next?.type !== 'definition') continue;
      const [one, other] = [item.definition, next.definition];
      if ((isShortIn(this.#text, one) && isShortIn(this.#text, other)) === isShort)
        return this.#text.slice(one.end, other.start).split('\n').length - 2;
    }
    return undefined;
  }
}

const definitionsIn = (items: readonly SourceItem[]): Definition[] =>
  items.flatMap((item) => (item.type === 'definition' ? [item.definition] : []));

/** A function with a body is parted like one, even on one line. */
export const isShortIn = (text: string, { start, end, kind, form, hasBody }: Definition): boolean =>
  !(hasBody && form === 'declaration' && (kind === 'function' || kind === 'method')) &&
  !text.slice(start, end).trim().includes('\n');

/** Neither exports nor a test module: what comes last by custom. */
const isUsual = ({ name, kind }: Definition): boolean =>
  name !== 'module.exports' &&
  name !== 'default' &&
  kind !== 'call' &&
  !(kind === 'module' && /^tests?$/u.test(name));

const comesFirst = (item: Exclude<SourceItem, { type: 'definition' }>): boolean =>
  item.type === 'import' ||
  item.type === 'comment' ||
  (item.type === 'statement' && (item.role === 'package' || item.role === 'documentation'));

function scopeOf(
  definition: Definition,
  items: readonly SourceItem[],
  owner?: Definition,
): Scope | undefined {
  for (const item of items) {
    if (item.type !== 'definition') continue;
    if (item.definition === definition) return { owner, items };
    const inner = scopeOf(definition, item.definition.items, item.definition);
    if (inner) return inner.owner?.kind === 'group' ? { owner, items } : inner;
  }
  return undefined;
}
