/**
 * Merges the definitions of a code block into a file. Each definition replaces its counterpart. Members of a
 * class are merged one by one, so that omitted members remain.
 */
import type { Definition, SourceItem } from '../definitions/index.ts';
import { TextEdits } from './text-edits.ts';
import { hasNewMark, restoreElided } from './restore-elided.ts';
import { DefinitionInserter, type NewDefinition } from './insertion.ts';
import { hasElisionMark } from './elision-marks.ts';
import { CALLABLE_KINDS, findTarget, selectLatest } from './find-target.ts';
import { rejectionOf } from './new-definitions.ts';
import { DefinitionRenderer } from './render-definition.ts';
import type { MergeContext } from './merge-context.ts';
import { mergeStatements } from './statements.ts';
import { listFilledLines, collapseSpace, wordsOf } from './code-text.ts';
import { createOmittedPart, type OmittedPart } from './types.ts';

export interface MergeRequest extends Pick<MergeContext, 'path' | 'file' | 'text' | 'block'> {
  /** Text of the file before the answer. */
  original: string;
  /** Whether an object without methods is replaced as a whole if the new one looks complete. */
  replacesWholeObjects: boolean;
}

export interface MergeResult {
  text: string;
  /** Number of definitions that were merged or that the file already had. */
  placedCount: number;
  omittedParts: OmittedPart[];
}

const CONTAINER_KINDS: ReadonlySet<string> = new Set([
  'class',
  'interface',
  'module',
  'enum',
  'object',
  'group',
]);

export const mergeDefinitions = (request: MergeRequest): MergeResult => new DefinitionMerger(request).merge();

interface DefinitionPair {
  definition: Definition;
  target?: Definition | undefined;
}

class DefinitionMerger {
  readonly #context: MergeContext;
  readonly #renderer: DefinitionRenderer;
  readonly #inserter: DefinitionInserter;
  readonly #replacesWholeObjects: boolean;
  /** Text of the file before the answer, without blank lines. */
  readonly #original: string;
  readonly #omittedParts: OmittedPart[] = [];
  #placedCount = 0;

  constructor({ original, replacesWholeObjects, ...sides }: MergeRequest) {
    this.#context = { ...sides, edits: new TextEdits() };
    this.#renderer = new DefinitionRenderer(this.#context);
    this.#inserter = new DefinitionInserter(this.#context, this.#renderer);
    this.#replacesWholeObjects = replacesWholeObjects;
    this.#original = normalizeLines(original);
  }

  merge(): MergeResult {
    const { block, text, edits } = this.#context;
    this.#mergeLevel(block.items);
    if (!block.areMembers) this.#mergeStatements(block.items);
    return { text: edits.apply(text), placedCount: this.#placedCount, omittedParts: this.#omittedParts };
  }

  /** Merges the definitions of one level of the block into the file or into `owner`. */
  #mergeLevel(items: readonly SourceItem[], owner?: Definition): void {
    const pairings = selectLatest(items, this.#context.block).flatMap((definition) =>
      this.#pair(definition, owner),
    );
    for (const { definition, target } of pairings) if (target) this.#merge(definition, target);
    for (const [index, { definition, target }] of pairings.entries()) {
      if (target) continue;
      const previousSibling = pairings.slice(0, index).findLast((pairing) => pairing.target)?.target;
      const nextSibling = pairings.slice(index + 1).find((pairing) => pairing.target)?.target;
      this.#insert({ definition, previousSibling, nextSibling }, owner);
    }
  }

  #pair(definition: Definition, owner?: Definition): DefinitionPair[] {
    const match = findTarget(this.#context, definition, owner);
    if (!match || 'target' in match) return [{ definition, target: match?.target }];
    const lineNumbers = match.ambiguous.map(({ startLine }) => startLine).join(', ');
    this.#refuse(definition, `${definition.name} is defined in several places, at lines ${lineNumbers}`);
    return [];
  }

  #merge(definition: Definition, target: Definition): void {
    if (this.#isMergeable(definition, target)) return this.#mergeContainer(definition, target);
    const newText = this.#context.block.text.slice(definition.startAfterExport, definition.end);
    const current = this.#context.text.slice(target.startAfterExport, target.end);
    this.#placedCount += 1;
    // The model only shows a definition whose text is that of the original file, and does not change it.
    if (collapseSpace(current) !== collapseSpace(newText) && this.#original.includes(normalizeLines(newText)))
      return;
    this.#replace(definition, target);
  }

  /** Returns whether a container is merged member by member. A data object without elision marks is replaced as a whole. */
  #isMergeable(definition: Definition, target: Definition): boolean {
    const areContainers = [definition, target].every(({ kind, body }) => CONTAINER_KINDS.has(kind) && body);
    if (!areContainers || target.children.length === 0) return false;
    const areObjects = [definition, target].filter(({ kind }) => kind === 'object').length;
    if (areObjects < 2) return areObjects === 0;
    const hasMethods = target.children.some(({ kind }) => CALLABLE_KINDS.has(kind));
    const isMarked = hasElisionMark(this.#context.block.text.slice(definition.start, definition.end));
    return hasMethods || isMarked || !this.#replacesWholeObjects;
  }

  #replace(definition: Definition, target: Definition): void {
    const { text, edits } = this.#context;
    const oldText = text.slice(target.start, target.end);
    const written = this.#renderer.renderReplacement(definition, target);
    const rendered = hasNewMark(written, oldText) ? restoreElided(written, oldText) : written;
    if (rendered !== undefined) return edits.replace(target.start, target.end, rendered);
    this.#placedCount -= 1;
    this.#refuse(definition, `the omitted part of ${definition.name} cannot be located`);
  }

  #mergeContainer(definition: Definition, target: Definition): void {
    if (definition.kind !== 'group') this.#mergeHead(definition, target);
    const countBefore = this.#omittedParts.length;
    this.#mergeLevel(definition.items, target);
    this.#mergeStatements(definition.items, target);
    if (definition.children.length === 0 || this.#omittedParts.length === countBefore) this.#placedCount += 1;
  }

  /**
   * Merges the comments, decorators and declaration of a definition. If the declaration omits words of the old one, it is only an outline
   * and changes nothing.
   */
  #mergeHead(definition: Definition, target: Definition): void {
    const { text, block, edits } = this.#context;
    const prefix = this.#renderer.renderPrefix(definition, target);
    if (prefix !== text.slice(target.start, target.startAfterExport))
      edits.replace(target.start, target.startAfterExport, prefix);
    const oldHead = stripComments(text.slice(target.startAfterExport, target.body?.start));
    const newHead = stripComments(block.text.slice(definition.startAfterExport, definition.body?.start));
    const words = new Set(wordsOf(newHead));
    const isComplete = wordsOf(oldHead).every((word) => words.has(word));
    if (definition.form === target.form && collapseSpace(oldHead) !== collapseSpace(newHead) && isComplete)
      edits.replace(target.startAfterExport, target.startAfterExport + oldHead.length, newHead);
  }

  /** Merges the statements of the block. */
  #mergeStatements(items: readonly SourceItem[], owner?: Definition): void {
    const fileItems = (owner ?? this.#context.file).items;
    const { placedCount, omittedParts } = mergeStatements(this.#context, {
      blockItems: items,
      fileItems,
      isTop: !owner,
    });
    this.#omittedParts.push(...omittedParts);
    this.#placedCount += owner ? 0 : placedCount;
  }

  #insert(newDefinition: NewDefinition, owner?: Definition): void {
    const { definition } = newDefinition;
    const refusal = rejectionOf(definition, this.#context);
    if (refusal) this.#refuse(definition, refusal.reason, refusal.kind);
    else if (this.#inserter.insert(newDefinition, owner)) this.#placedCount += 1;
    else this.#refuse(definition, `the class of ${definition.name} is ambiguous in the file`);
  }

  #refuse({ start, end }: Definition, reason: string, kind?: OmittedPart['kind']): void {
    this.#omittedParts.push(createOmittedPart(this.#context.block.text.slice(start, end), reason, kind));
  }
}

/** Removes comments between a declaration and its body. */
const stripComments = (head: string): string => head.replace(/(\n[ \t]*(#|\/\/)[^\n]*)*\s*$/, '');

/** Returns the text as trimmed lines, so that a part can be found in it line by line. */
const normalizeLines = (text: string): string => `${listFilledLines(text).join('\n')}\n`;
