/**
 * Puts the definitions of one block of code into one file. Each takes the place of the one that it stands for; members
 * of a class are put in one by one, so that what the answer leaves out stays. Works on plain line feeds.
 */
import {
  withNested,
  type Definition,
  type Language,
  type SourceFile,
  type SourceItem,
} from '../definitions/index.ts';
import { readSource } from '../definitions/source-file.ts';
import { TextEdits } from '../values/text-edits.ts';
import type { CodeBlock } from './code-block.ts';
import { hasOwnMark, isAllLeftOut, withLeftOut } from './elided.ts';
import { Insertion, isShortIn, type Scope } from './insertion.ts';
import { hasMark, isMark } from './marks.ts';
import { CALLABLE, latestOf, TargetFinder } from './matching.ts';
import { indentAt, Renderer } from './rendering.ts';
import { whyNotNew } from './new-definitions.ts';
import { mergeStatements } from './statements.ts';
import { folded, partsOf } from './texts.ts';
import { excerptOf, type LeftOut } from './types.ts';
import { isWholeContainer } from './whole-file.ts';

export interface SpliceRequest {
  language: Language;
  path: string;
  /** The file as it is now. */
  text: string;
  /** As it was before the answer. */
  original: string;
  block: CodeBlock;
  /** A class that looks whole is taken as it is written. */
  takesWhole: boolean;
}

export interface Spliced {
  text: string;
  /** Definitions that were put in, or that stand there already. */
  placed: number;
  leftOut: LeftOut[];
}

const CONTAINERS: ReadonlySet<string> = new Set(['class', 'interface', 'module', 'enum', 'object', 'group']);
const DATA: ReadonlySet<string> = new Set(['constant', 'property', 'type', 'group']);

export async function mergeDefinitions(request: SpliceRequest): Promise<Spliced> {
  const source = await readSource(request.language, request.text);
  if (!source)
    return {
      text: request.text,
      placed: 0,
      leftOut: [
        { excerpt: excerptOf(request.block.text), reason: 'the file is too long to read', kind: 'limit' },
      ],
    };
  const first = await readSource(request.language, request.original);
  const originals = withNested(first?.definitions ?? []).map(({ bareStart, end }) =>
    folded(request.original.slice(bareStart, end)),
  );
  return new Splicer(request, source, new Set(originals)).run();
}

interface Pairing {
  definition: Definition;
  index: number;
  target?: Definition;
}

/** The file and the block that goes into it, and the changes so far. */
export interface Sides {
  file: SourceFile;
  path: string;
  /** The file's. */
  text: string;
  block: CodeBlock;
  edits: TextEdits;
  /** Whether a part stands in the file. */
  isOld: (part: string) => boolean;
}

class Splicer {
  readonly #request: SpliceRequest;
  readonly #file: SourceFile;
  readonly #block: CodeBlock;
  readonly #edits = new TextEdits();
  readonly #renderer: Renderer;
  readonly #insertion: Insertion;
  readonly #finder: TargetFinder;
  readonly #sides: Sides;
  /** Definitions as they were before the answer. */
  readonly #originals: ReadonlySet<string>;
  readonly #leftOut: LeftOut[] = [];
  #placed = 0;

  constructor(request: SpliceRequest, file: SourceFile, originals: ReadonlySet<string>) {
    this.#originals = originals;
    this.#request = request;
    this.#file = file;
    this.#block = request.block;
    const { text, path, block } = request;
    this.#finder = new TargetFinder(file, text, block);
    this.#renderer = new Renderer(block, text);
    this.#sides = { file, text, path, block, edits: this.#edits, isOld: partsOf(text) };
    this.#insertion = new Insertion(file, text, this.#edits, this.#renderer.unit);
  }

  run(): Spliced {
    const { text } = this.#request;
    this.#level(this.#block.items, { items: this.#file.items });
    if (!this.#block.areMembers) {
      const { placed, leftOut } = mergeStatements(this.#sides);
      this.#leftOut.push(...leftOut);
      this.#placed += placed;
    }
    return { text: this.#edits.apply(text), placed: this.#placed, leftOut: this.#leftOut };
  }

  /** The definitions of one level of the block, in one level of the file. */
  #level(items: readonly SourceItem[], scope: Scope): void {
    const pairings = this.#pair(latestOf(items, this.#block), scope);
    for (const pairing of pairings) if (pairing.target) this.#merge(pairing.definition, pairing.target);
    for (const [at, pairing] of pairings.entries()) {
      const after = pairings.slice(0, at).findLast(({ target }) => target)?.target;
      const before = pairings.slice(at + 1).find(({ target }) => target)?.target;
      if (!pairing.target) this.#insert(pairing, { after, before }, scope, items);
    }
  }

  #pair(wanted: readonly { definition: Definition; index: number }[], scope: Scope): Pairing[] {
    const pairings: Pairing[] = [];
    for (const { definition, index } of wanted) {
      const match = this.#finder.find(definition, scope);
      if (match && 'ambiguous' in match) {
        const places = match.ambiguous.map(({ startLine }) => startLine).join(', ');
        this.#refuse(
          definition,
          `${definition.name} is defined in several places, at lines ${places}`,
          'ambiguous',
        );
        continue;
      }
      pairings.push({ definition, index, target: match?.target });
    }
    return pairings;
  }

  #merge(definition: Definition, target: Definition): void {
    const given = this.#block.text.slice(definition.bareStart, definition.end);
    const current = this.#request.text.slice(target.bareStart, target.end);
    if (this.#isMergeable(definition, target)) return this.#mergeContainer(definition, target);
    this.#placed += 1;
    // What stood there from the beginning is shown, not given.
    if (this.#originals.has(folded(given)) && folded(current) !== folded(given)) return;
    if (!isAllLeftOut(given) || isAllLeftOut(current)) this.#replace(definition, target);
  }

  /** A container is put in by member, data only where it is marked or to keep what is left out; one that is whole takes the place. */
  #isMergeable(definition: Definition, target: Definition): boolean {
    const areContainers = [definition, target].every(({ kind, body }) => CONTAINERS.has(kind) && body);
    if (!areContainers || (this.#request.takesWhole && this.#isWhole(definition, target))) return false;
    const areObjects = [definition, target].filter(({ kind }) => kind === 'object').length;
    if (areObjects < 2) return areObjects === 0;
    const behaves = target.children.some(({ kind }) => CALLABLE.has(kind));
    const isMarked = hasMark(this.#block.text.slice(definition.start, definition.end));
    return behaves || isMarked || !this.#request.takesWhole;
  }

  /** A class with all of its methods, its first line and half of the others: what it leaves out is to go. */
  #isWhole(definition: Definition, target: Definition): boolean {
    if (!definition.body || !target.body) return false;
    const names = new Set(definition.children.map(({ name }) => name));
    const lost = target.children.filter(({ name }) => !names.has(name));
    const old = this.#request.text.slice(target.body.start, target.body.end);
    const given = this.#block.text.slice(definition.body.start, definition.body.end);
    return !lost.some(({ hasBody }) => hasBody) && isWholeContainer(old, given);
  }

  #replace(definition: Definition, target: Definition): void {
    const old = this.#request.text.slice(target.start, target.end);
    const written = this.#renderer.replacing(definition, target);
    const rendered = hasOwnMark(written, old) ? withLeftOut(written, old) : written;
    if (rendered !== undefined) {
      this.#edits.dropWithin(target.start, target.end);
      return this.#edits.replace(target.start, target.end, rendered);
    }
    this.#placed -= 1;
    this.#refuse(definition, `what it leaves out of ${definition.name} cannot be located`, 'ambiguous');
  }

  #mergeContainer(definition: Definition, target: Definition): void {
    this.#head(definition, target);
    const before = this.#leftOut.length;
    this.#level(definition.items, { owner: target, items: target.items });
    this.#memberStatements(definition, target);
    if (definition.children.length === 0 || this.#leftOut.length === before) this.#placed += 1;
  }

  /** Comments, decorators and the declaration up to the first member; one that says less than the file's is only an outline. */
  #head(definition: Definition, target: Definition): void {
    const { text } = this.#request;
    if (!definition.body || !target.body || definition.kind === 'group') return;
    const prefix = this.#renderer.prefixFor(definition, target);
    if (prefix !== text.slice(target.start, target.bareStart))
      this.#edits.replace(target.start, target.bareStart, prefix);
    const old = withoutRemarks(text.slice(target.bareStart, target.body.start));
    const given = withoutRemarks(this.#block.text.slice(definition.bareStart, definition.body.start));
    const words = new Set(given.match(/[\w$]+/gu));
    const saysAll = (old.match(/[\w$]+/gu) ?? []).every((word) => words.has(word));
    if (definition.form === target.form && folded(old) !== folded(given) && saysAll)
      this.#edits.replace(target.bareStart, target.bareStart + old.length, given);
  }

  /** What stands in a class and is no definition goes before its first member; documentation in place of the old one. */
  #memberStatements(definition: Definition, target: Definition): void {
    const { text } = this.#request;
    const known = new Set(
      target.items.map((item) => folded(item.type === 'definition' ? '' : text.slice(item.start, item.end))),
    );
    const [old] = target.items.filter(isDocumentation);
    const first = target.items.find((item) => item.type !== 'comment' && item !== old);
    const at = first && (first.type === 'definition' ? first.definition : first).start;
    for (const item of definition.items) {
      if (item.type !== 'statement' && item.type !== 'import') continue;
      const given = this.#block.text.slice(item.start, item.end);
      if (known.has(folded(given)) || /^(?:pass|\.\.\.)$/u.test(given.trim()) || isMark(given)) continue;
      const indent = indentAt(text, old?.start ?? at ?? target.bareStart);
      const rendered = this.#renderer.part(item.start, item.end, indent);
      if (isDocumentation(item) && old) this.#edits.replace(old.start, old.end, rendered);
      else if (at === undefined) this.#note(given, 'it has no certain place in the class', 'ambiguous');
      else this.#edits.insert(at, `${rendered}\n${isDocumentation(item) ? '\n' : ''}${indent}`);
    }
  }

  #insert(
    { definition, index }: Pairing,
    neighbours: { after: Definition | undefined; before: Definition | undefined },
    scope: Scope,
    items: readonly SourceItem[],
  ): void {
    const refusal = whyNotNew(definition, this.#sides);
    if (refusal) return this.#refuse(definition, refusal.reason, refusal.kind);
    const { text, areMembers } = this.#block;
    const { kind, form, start, decoratorsStart } = definition;
    const previous = items[index - 1];
    const end = previous?.type === 'definition' ? previous.definition.end : undefined;
    // A mark above it is no comment of its own.
    const isMarked = hasMark(text.slice(start, decoratorsStart));
    const isPut = this.#insertion.put(
      {
        ...neighbours,
        render: (indent) => this.#renderer.fresh(definition, indent),
        isShort: isShortIn(text, isMarked ? { ...definition, start: decoratorsStart } : definition),
        isData: DATA.has(kind) || form === 'field',
        isMember: areMembers || (kind === 'method' && form === 'method') || takesSelf(definition),
        gap:
          neighbours.after && end !== undefined ? text.slice(end, start).split('\n').length - 2 : undefined,
      },
      scope,
    );
    if (isPut) this.#placed += 1;
    else
      this.#refuse(
        definition,
        `no class of the file is certain to be that of ${definition.name}`,
        'ambiguous',
      );
  }

  #refuse(definition: Definition, reason: string, kind: LeftOut['kind']): void {
    this.#note(this.#block.text.slice(definition.start, definition.end), reason, kind);
  }

  #note(text: string, reason: string, kind: LeftOut['kind']): void {
    this.#leftOut.push({ excerpt: excerptOf(text), reason, kind });
  }
}

/** Comments between a declaration and its block are no part of it. */
const withoutRemarks = (head: string): string => head.replace(/(\n[ \t]*(#|\/\/)[^\n]*)*\s*$/, '');

const isDocumentation = (item: SourceItem): item is SourceItem & { type: 'statement' } =>
  item.type === 'statement' && item.role === 'documentation';

/** A method of Python that the answer gives without its class. */
const takesSelf = ({ kind, parameters = '' }: Definition): boolean =>
  kind === 'function' && /^\(\s*(?:self|cls)\b/u.test(parameters);
