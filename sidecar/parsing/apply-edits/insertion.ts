/**
 * Finds the place of a new definition: next to its neighbour in the answer, or else at the end of its container, or else after the last
 * definition. If neighbours were ignored, 14 of 126 solutions given as changed definitions would have another result.
 */
import { listDefinitions, flattenDefinitions, type Definition } from '../definitions/index.ts';
import { indentAt, type DefinitionRenderer } from './render-definition.ts';
import { mustComeFirst, type MergeContext } from './merge-context.ts';
import { readRestOfLine } from './code-text.ts';

export interface NewDefinition {
  definition: Definition;
  /** Counterpart in the file of the definition that stands directly before this one in the answer. */
  previousSibling?: Definition | undefined;
  /** Counterpart in the file of the definition that stands directly after this one in the answer. */
  nextSibling?: Definition | undefined;
}

export class DefinitionInserter {
  readonly #context: MergeContext;
  readonly #renderer: DefinitionRenderer;

  constructor(sides: MergeContext, renderer: DefinitionRenderer) {
    this.#context = sides;
    this.#renderer = renderer;
  }

  /** Inserts a definition. Returns false if it is a member whose class is uncertain. */
  insert(newDefinition: NewDefinition, wantedOwner: Definition | undefined): boolean {
    const { file, block } = this.#context;
    const definitions = flattenDefinitions(file.definitions);
    const isMember = wantedOwner !== undefined || block.areMembers || needsClass(newDefinition.definition);
    const neighbour = newDefinition.previousSibling ?? newDefinition.nextSibling;
    const home = neighbour && ownerOf(neighbour, definitions);
    if (neighbour && (home !== undefined) === isMember) {
      if (newDefinition.previousSibling)
        this.#insertAfter(newDefinition, newDefinition.previousSibling, home);
      else this.#insertBefore(newDefinition, neighbour, home);
      return true;
    }
    const [only, another] = definitions.filter(({ kind, items }) => kind === 'class' && items.length > 0);
    const owner = wantedOwner ?? (another ? undefined : only);
    if (!isMember) this.#insertAtTop(newDefinition);
    else if (owner) this.#insertIntoContainer(newDefinition, owner);
    return !isMember || owner !== undefined;
  }

  #insertAfter(newDefinition: NewDefinition, sibling: Definition, owner?: Definition): void {
    const { text, edits } = this.#context;
    const indent = indentAt(text, sibling.start);
    const gap = '\n'.repeat(this.#countBlankLines(newDefinition, sibling, owner));
    const lineEnd = readRestOfLine(text, sibling.end);
    const line = `\n${gap}${indent}${this.#renderer.renderNew(newDefinition.definition, indent)}`;
    if (owner?.separator !== ',') return edits.insert(sibling.end + lineEnd.length, line);
    edits.insert(sibling.end + lineEnd.length, lineEnd.startsWith(',') ? `${line},` : `,${line}`);
  }

  #insertBefore(newDefinition: NewDefinition, sibling: Definition, owner?: Definition): void {
    const indent = indentAt(this.#context.text, sibling.start);
    const comma = owner?.separator ?? '';
    const gap = comma === '' ? this.#countBlankLines(newDefinition, sibling, owner) : 0;
    const rendered = this.#renderer.renderNew(newDefinition.definition, indent);
    this.#context.edits.insert(sibling.start, `${rendered}${comma}\n${'\n'.repeat(gap)}${indent}`);
  }

  #insertIntoContainer(newDefinition: NewDefinition, owner: Definition): void {
    const last = listDefinitions(owner.items).at(-1);
    if (last) this.#insertAfter(newDefinition, last, owner);
  }

  /** Inserts a definition at the top level, after the last definition, or else after the imports. */
  #insertAtTop(newDefinition: NewDefinition): void {
    const { file, text, edits } = this.#context;
    const last = listDefinitions(file.items).findLast(isOrdinary);
    if (last) return this.#insertAfter(newDefinition, last);
    const rendered = this.#renderer.renderNew(newDefinition.definition, '');
    const first = file.items.find((item) => item.type !== 'import' && !mustComeFirst(item, text));
    if (first)
      edits.insert((first.type === 'definition' ? first.definition : first).start, `${rendered}\n\n`);
    else edits.insert(text.trimEnd().length, `${text.trim() === '' ? '' : '\n\n'}${rendered}`);
  }

  /** Returns the number of blank lines to insert between the definition and its neighbour. */
  #countBlankLines({ definition }: NewDefinition, sibling: Definition, owner?: Definition): number {
    const { file, text, block } = this.#context;
    const isShort = isShortIn(block.text, definition) && isShortIn(text, sibling);
    return isShort ? 0 : !owner && file.language === 'python' ? 2 : 1;
  }
}

/** Returns whether a definition has the spacing of definitions of one line. A function with a body never has it. */
const isShortIn = (text: string, { decoratorsStart, end, kind, form, hasBody }: Definition): boolean =>
  !(hasBody && form === 'declaration' && (kind === 'function' || kind === 'method')) &&
  !text.slice(decoratorsStart, end).trim().includes('\n');

/** Returns whether a definition is a method that was given without its class. */
const needsClass = ({ kind, form, parameters = '' }: Definition): boolean =>
  (kind === 'method' && form === 'method') ||
  (kind === 'function' && /^\(\s*(?:self|cls)\b/u.test(parameters));

/** Returns whether a definition is neither an export nor a test module, which usually come last. */
const isOrdinary = ({ name, kind }: Definition): boolean =>
  name !== 'module.exports' &&
  name !== 'default' &&
  kind !== 'call' &&
  !(kind === 'module' && /^tests?$/u.test(name));

/** Returns the container of a definition, or undefined at the top level. */
function ownerOf(definition: Definition, definitions: readonly Definition[]): Definition | undefined {
  const owner = definitions.find(({ items }) => listDefinitions(items).includes(definition));
  return owner?.kind === 'group' ? ownerOf(owner, definitions) : owner;
}
