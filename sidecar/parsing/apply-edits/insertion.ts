/**
 * Finds the place of a new definition: next to its neighbour in the answer, or else at the end of its
 * container, or else after the last definition. Without the neighbours, 14 of 126 solutions given as changed
 * definitions have another result.
 */
import { listDefinitions, flattenDefinitions, type Definition } from '../definitions/index.ts';
import { indentAt, type Renderer } from './rendering.ts';
import { comesFirst, type Sides } from './sides.ts';
import { readRestOfLine } from './texts.ts';

export interface NewDefinition {
  definition: Definition;
  /** Counterparts in the file of the answer's definitions directly before and after this one. */
  after?: Definition | undefined;
  before?: Definition | undefined;
}

export class Insertion {
  readonly #sides: Sides;
  readonly #renderer: Renderer;

  constructor(sides: Sides, renderer: Renderer) {
    this.#sides = sides;
    this.#renderer = renderer;
  }

  /** Inserts a definition. Returns false if the class of a member is uncertain. */
  put(fresh: NewDefinition, wanted: Definition | undefined): boolean {
    const { file, block } = this.#sides;
    const all = flattenDefinitions(file.definitions);
    const isMember = wanted !== undefined || block.areMembers || needsClass(fresh.definition);
    const neighbour = fresh.after ?? fresh.before;
    const home = neighbour && ownerOf(neighbour, all);
    if (neighbour && (home !== undefined) === isMember) {
      if (fresh.after) this.#insertAfter(fresh, fresh.after, home);
      else this.#insertBefore(fresh, neighbour, home);
      return true;
    }
    const [only, another] = all.filter(({ kind, items }) => kind === 'class' && items.length > 0);
    const owner = wanted ?? (another ? undefined : only);
    if (!isMember) this.#insertAtTop(fresh);
    else if (owner) this.#insertIntoContainer(fresh, owner);
    return !isMember || owner !== undefined;
  }

  #insertAfter(fresh: NewDefinition, sibling: Definition, owner?: Definition): void {
    const { text, edits } = this.#sides;
    const indent = indentAt(text, sibling.start);
    const gap = '\n'.repeat(this.#blankLinesBetween(fresh, sibling, owner));
    const rest = readRestOfLine(text, sibling.end);
    const line = `\n${gap}${indent}${this.#renderer.renderNew(fresh.definition, indent)}`;
    if (owner?.separator !== ',') return edits.insert(sibling.end + rest.length, line);
    edits.insert(sibling.end + rest.length, rest.startsWith(',') ? `${line},` : `,${line}`);
  }

  #insertBefore(fresh: NewDefinition, sibling: Definition, owner?: Definition): void {
    const indent = indentAt(this.#sides.text, sibling.start);
    const comma = owner?.separator ?? '';
    const gap = comma === '' ? this.#blankLinesBetween(fresh, sibling, owner) : 0;
    const rendered = this.#renderer.renderNew(fresh.definition, indent);
    this.#sides.edits.insert(sibling.start, `${rendered}${comma}\n${'\n'.repeat(gap)}${indent}`);
  }

  #insertIntoContainer(fresh: NewDefinition, owner: Definition): void {
    const last = listDefinitions(owner.items).at(-1);
    if (last) this.#insertAfter(fresh, last, owner);
  }

  /** Inserts a definition after the last one, or else after the imports. */
  #insertAtTop(fresh: NewDefinition): void {
    const { file, text, edits } = this.#sides;
    const last = listDefinitions(file.items).findLast(isUsual);
    if (last) return this.#insertAfter(fresh, last);
    const rendered = this.#renderer.renderNew(fresh.definition, '');
    const first = file.items.find((item) => item.type !== 'import' && !comesFirst(item, text));
    if (first)
      edits.insert((first.type === 'definition' ? first.definition : first).start, `${rendered}\n\n`);
    else edits.insert(text.trimEnd().length, `${text.trim() === '' ? '' : '\n\n'}${rendered}`);
  }

  /** Returns the number of blank lines between the definition and its neighbour. */
  #blankLinesBetween({ definition }: NewDefinition, sibling: Definition, owner?: Definition): number {
    const { file, text, block } = this.#sides;
    const isShort = isShortIn(block.text, definition) && isShortIn(text, sibling);
    return isShort ? 0 : !owner && file.language === 'python' ? 2 : 1;
  }
}

/** Whether a definition is spaced like a definition of one line. A function with a body never is. */
const isShortIn = (text: string, { decoratorsStart, end, kind, form, hasBody }: Definition): boolean =>
  !(hasBody && form === 'declaration' && (kind === 'function' || kind === 'method')) &&
  !text.slice(decoratorsStart, end).trim().includes('\n');

/** Reports whether a definition is a method given without its class. */
const needsClass = ({ kind, form, parameters = '' }: Definition): boolean =>
  (kind === 'method' && form === 'method') ||
  (kind === 'function' && /^\(\s*(?:self|cls)\b/u.test(parameters));

/** Whether a definition is neither an export nor a test module. By custom, these come last. */
const isUsual = ({ name, kind }: Definition): boolean =>
  name !== 'module.exports' &&
  name !== 'default' &&
  kind !== 'call' &&
  !(kind === 'module' && /^tests?$/u.test(name));

/** Returns the container of a definition, or undefined at the top level. */
function ownerOf(definition: Definition, all: readonly Definition[]): Definition | undefined {
  const owner = all.find(({ items }) => listDefinitions(items).includes(definition));
  return owner?.kind === 'group' ? ownerOf(owner, all) : owner;
}
