/**
 * Merges the definitions of a code block into a file. Each definition replaces its counterpart. Members of a
 * class are merged one by one, so that omitted members remain.
 */
import type { Definition, SourceItem } from '../definitions/index.ts';
import { TextEdits } from './text-edits.ts';
import { hasOwnMark, restoreElided } from './elided.ts';
import { Insertion, type NewDefinition } from './insertion.ts';
import { hasMark } from './marks.ts';
import { CALLABLE, findTarget, latestOf } from './matching.ts';
import { rejectionOf } from './new-definitions.ts';
import { Renderer } from './rendering.ts';
import type { Sides } from './sides.ts';
import { mergeStatements } from './statements.ts';
import { filledLines, collapseSpace, wordsOf } from './texts.ts';
import { toLeftOut, type LeftOut } from './types.ts';

export interface MergeRequest extends Pick<Sides, 'path' | 'file' | 'text' | 'block'> {
  /** Text of the file before the answer. */
  original: string;
  /** Whether an object without methods replaces the old object if it looks complete. */
  takesWhole: boolean;
}

export interface MergeResult {
  text: string;
  /** Number of definitions that were merged or already present. */
  placed: number;
  leftOut: LeftOut[];
}

const CONTAINERS: ReadonlySet<string> = new Set(['class', 'interface', 'module', 'enum', 'object', 'group']);

export const mergeDefinitions = (request: MergeRequest): MergeResult => new Merger(request).run();

interface Pairing {
  definition: Definition;
  target?: Definition | undefined;
}

class Merger {
  readonly #sides: Sides;
  readonly #renderer: Renderer;
  readonly #insertion: Insertion;
  readonly #takesWhole: boolean;
  /** Non-blank lines of the file before the answer. */
  readonly #original: string;
  readonly #leftOut: LeftOut[] = [];
  #placed = 0;

  constructor({ original, takesWhole, ...sides }: MergeRequest) {
    this.#sides = { ...sides, edits: new TextEdits() };
    this.#renderer = new Renderer(this.#sides);
    this.#insertion = new Insertion(this.#sides, this.#renderer);
    this.#takesWhole = takesWhole;
    this.#original = linesOf(original);
  }

  run(): MergeResult {
    const { block, text, edits } = this.#sides;
    this.#mergeLevel(block.items);
    if (!block.areMembers) this.#mergeStatements(block.items);
    return { text: edits.apply(text), placed: this.#placed, leftOut: this.#leftOut };
  }

  /** Merges the definitions of one level of the block into the file or into `owner`. */
  #mergeLevel(items: readonly SourceItem[], owner?: Definition): void {
    const pairings = latestOf(items, this.#sides.block).flatMap((each) => this.#pair(each, owner));
    for (const { definition, target } of pairings) if (target) this.#merge(definition, target);
    for (const [at, { definition, target }] of pairings.entries()) {
      if (target) continue;
      const after = pairings.slice(0, at).findLast((each) => each.target)?.target;
      const before = pairings.slice(at + 1).find((each) => each.target)?.target;
      this.#insert({ definition, after, before }, owner);
    }
  }

  #pair(definition: Definition, owner?: Definition): Pairing[] {
    const match = findTarget(this.#sides, definition, owner);
    if (!match || 'target' in match) return [{ definition, target: match?.target }];
    const places = match.ambiguous.map(({ startLine }) => startLine).join(', ');
    this.#refuse(definition, `${definition.name} is defined in several places, at lines ${places}`);
    return [];
  }

  #merge(definition: Definition, target: Definition): void {
    if (this.#isMergeable(definition, target)) return this.#mergeContainer(definition, target);
    const given = this.#sides.block.text.slice(definition.bareStart, definition.end);
    const current = this.#sides.text.slice(target.bareStart, target.end);
    this.#placed += 1;
    // A definition with the text of the original file is only shown, not changed.
    if (collapseSpace(current) !== collapseSpace(given) && this.#original.includes(linesOf(given))) return;
    this.#replace(definition, target);
  }

  /** Whether a container is merged member by member. Data objects without elisions are replaced. */
  #isMergeable(definition: Definition, target: Definition): boolean {
    const areContainers = [definition, target].every(({ kind, body }) => CONTAINERS.has(kind) && body);
    if (!areContainers || target.children.length === 0) return false;
    const areObjects = [definition, target].filter(({ kind }) => kind === 'object').length;
    if (areObjects < 2) return areObjects === 0;
    const behaves = target.children.some(({ kind }) => CALLABLE.has(kind));
    const isMarked = hasMark(this.#sides.block.text.slice(definition.start, definition.end));
    return behaves || isMarked || !this.#takesWhole;
  }

  #replace(definition: Definition, target: Definition): void {
    const { text, edits } = this.#sides;
    const old = text.slice(target.start, target.end);
    const written = this.#renderer.renderReplacement(definition, target);
    const rendered = hasOwnMark(written, old) ? restoreElided(written, old) : written;
    if (rendered !== undefined) return edits.replace(target.start, target.end, rendered);
    this.#placed -= 1;
    this.#refuse(definition, `the omitted part of ${definition.name} cannot be located`);
  }

  #mergeContainer(definition: Definition, target: Definition): void {
    if (definition.kind !== 'group') this.#mergeHead(definition, target);
    const before = this.#leftOut.length;
    this.#mergeLevel(definition.items, target);
    this.#mergeStatements(definition.items, target);
    if (definition.children.length === 0 || this.#leftOut.length === before) this.#placed += 1;
  }

  /**
   * Merges comments, decorators and the declaration. A declaration that omits words of the old one is only an
   * outline and changes nothing.
   */
  #mergeHead(definition: Definition, target: Definition): void {
    const { text, block, edits } = this.#sides;
    const prefix = this.#renderer.prefixFor(definition, target);
    if (prefix !== text.slice(target.start, target.bareStart))
      edits.replace(target.start, target.bareStart, prefix);
    const old = stripRemarks(text.slice(target.bareStart, target.body?.start));
    const given = stripRemarks(block.text.slice(definition.bareStart, definition.body?.start));
    const words = new Set(wordsOf(given));
    const isComplete = wordsOf(old).every((word) => words.has(word));
    if (definition.form === target.form && collapseSpace(old) !== collapseSpace(given) && isComplete)
      edits.replace(target.bareStart, target.bareStart + old.length, given);
  }

  /** Merges the statements of the block. */
  #mergeStatements(given: readonly SourceItem[], owner?: Definition): void {
    const own = (owner ?? this.#sides.file).items;
    const { placed, leftOut: left } = mergeStatements(this.#sides, { given, own, isTop: !owner });
    this.#leftOut.push(...left);
    this.#placed += owner ? 0 : placed;
  }

  #insert(fresh: NewDefinition, owner?: Definition): void {
    const { definition } = fresh;
    const refusal = rejectionOf(definition, this.#sides);
    if (refusal) this.#refuse(definition, refusal.reason, refusal.kind);
    else if (this.#insertion.put(fresh, owner)) this.#placed += 1;
    else this.#refuse(definition, `the class of ${definition.name} is ambiguous in the file`);
  }

  #refuse({ start, end }: Definition, reason: string, kind?: LeftOut['kind']): void {
    this.#leftOut.push(toLeftOut(this.#sides.block.text.slice(start, end), reason, kind));
  }
}

/** Removes comments between a declaration and its body. */
const stripRemarks = (head: string): string => head.replace(/(\n[ \t]*(#|\/\/)[^\n]*)*\s*$/, '');

/** Returns the text as whole lines, for searching a part in it. */
const linesOf = (text: string): string => `${filledLines(text).join('\n')}\n`;
