/**
 * Puts the definitions of one block of code into one file. Each takes the place of the one that it stands for; members
 * of a class are put in one by one, so that what the answer leaves out stays. Works on plain line feeds.
 */
import { withNested } from '../definitions/index.ts';
import type { Definition, SourceFile, SourceItem } from '../definitions/index.ts';
import type { Language } from '../definitions/languages.ts';
import { readSource } from '../definitions/source-file.ts';
import type { CodeBlock } from './code-block.ts';
import { hasOwnMark, isAllLeftOut, withLeftOut } from './elided.ts';
import { TextEdits } from '../values/text-edits.ts';
import { Insertion, isShortIn, type Scope } from './insertion.ts';
import { hasMark, isMark } from './marks.ts';
import { latestOf } from './matching.ts';
import { indentAt } from './indentation.ts';
import { placeForNew } from './place-for-new.ts';
import { Renderer } from './rendering.ts';
import { whyNotNew } from './new-definitions.ts';
import { mergeStatements, type Sides } from './statements.ts';
import { TargetFinder } from './target-finder.ts';
import { isWholeContainer } from './whole-file.ts';
import { definesName, folded, isUsed, partsOf } from './texts.ts';
import { excerptOf, type LeftOut } from './types.ts';

export interface SpliceRequest {
  language: Language;
  path: string;
  /** The file as it is now. */
  text: string;
  /** As it was before the answer. */
  original: string;
  block: CodeBlock;
  /** What the answer says around its blocks. */
  prose: string;
  /** A class that looks whole is taken as it is written. */
  takesWhole: boolean;
}

export interface Spliced {
  text: string;
  /** Definitions that were put in, or that stand there already. */
  placed: number;
  leftOut: LeftOut[];
}

const CONTAINERS = new Set(['class', 'interface', 'module', 'enum', 'object', 'group']);

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
    this.#finder = new TargetFinder({ file, block: request.block, text: request.text, prose: request.prose });
    const { language, text, path, block } = request;
    const isCommonJs =
      /^[^\S\n]*(module\.)?exports\b|\brequire\s{0,5}\(/m.test(text) && !/^(import|export)\b/m.test(text);
    this.#renderer = new Renderer(request.block, {
      text,
      definitions: file.definitions,
      isModule: !isCommonJs,
    });
    this.#sides = { file, text, path, block, edits: this.#edits, isOld: partsOf(text) };
    this.#insertion = new Insertion(text, this.#edits, this.#renderer.unit, language === 'python' ? 2 : 1);
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
    for (const [index, pairing] of pairings.entries())
      if (!pairing.target) this.#insert(pairing, pairings, index, scope, items);
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
      if (match) this.#finder.take(match.target);
      pairings.push({ definition, index, target: match?.target });
    }
    return pairings;
  }

  #merge(definition: Definition, target: Definition): void {
    const { text } = this.#request;
    const given = this.#block.text.slice(definition.bareStart, definition.end);
    const lost = target.names.filter((name) => !definition.names.includes(name));
    const isBoth =
      CONTAINERS.has(definition.kind) && CONTAINERS.has(target.kind) && target.body && definition.body;
    const isWhole = this.#request.takesWhole && this.#isWhole(definition, target);
    if (isBoth && !isWhole && this.#isMergeable(definition, target))
      return this.#mergeContainer(definition, target);
    if (lost.length > 0 && target.kind !== 'group' && lost.length < target.names.length)
      return this.#refuse(
        definition,
        `${target.name} also defines ${lost.join(', ')}, which the answer leaves out`,
        'loss',
      );
    this.#placed += 1;
    // What stood there from the beginning is shown, not given.
    const current = folded(text.slice(target.bareStart, target.end));
    if (this.#originals.has(folded(given)) && current !== folded(given)) return;
    if (isAllLeftOut(given) && !isAllLeftOut(text.slice(target.bareStart, target.end))) return;
    this.#replace(definition, target);
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
    const { text } = this.#request;
    const old = text.slice(target.start, target.end);
    const written = this.#renderer.replacing(definition, target);
    const rendered = hasOwnMark(written, old) ? withLeftOut(written, old) : written;
    if (rendered === undefined) {
      this.#placed -= 1;
      return this.#refuse(
        definition,
        `what it leaves out of ${definition.name} cannot be located`,
        'ambiguous',
      );
    }
    const dropped = target.children.find(
      ({ name }) =>
        !definition.children.some((each) => each.names.includes(name)) &&
        isUsed(rendered, name) &&
        !definesName(rendered, name),
    );
    if (dropped && target.kind !== 'object') {
      this.#placed -= 1;
      return this.#refuse(definition, `it uses ${dropped.name}, which it leaves out`, 'loss');
    }
    this.#edits.dropWithin(target.start, target.end);
    this.#edits.replace(target.start, target.end, rendered);
  }

  /** Data is given whole; what has behaviour, and the shape of data, is put in by member. */
  #isMergeable(definition: Definition, target: Definition): boolean {
    if (definition.kind !== 'object' && target.kind !== 'object') return true;
    if (definition.kind !== target.kind) return false;
    const behaves = (each: Definition): boolean => each.kind === 'method' || each.kind === 'function';
    const isMarked = hasMark(this.#block.text.slice(definition.start, definition.end));
    return target.children.some(behaves) || isMarked || this.#isPartOfData(definition, target);
  }

  /** Some entries with other values, or only new ones. With their old values they say that the others are to go. */
  #isPartOfData({ children: given }: Definition, { children: old }: Definition): boolean {
    const values = new Map(
      old.map(({ name, bareStart, end }) => [name, folded(this.#request.text.slice(bareStart, end))]),
    );
    const known = given.filter(({ name }) => values.has(name));
    const isOther = ({ name, bareStart, end }: Definition): boolean =>
      values.get(name) !== folded(this.#block.text.slice(bareStart, end));
    if (given.length === 0 || known.length === old.length) return false;
    return known.length === 0 || (known.length === given.length && known.some(isOther));
  }

  #mergeContainer(definition: Definition, target: Definition): void {
    this.#head(definition, target);
    const before = this.#leftOut.length;
    this.#level(definition.items, { owner: target, items: target.items });
    this.#memberStatements(definition, target);
    if (definition.children.length === 0 || this.#leftOut.length === before) this.#placed += 1;
  }

  /** Comments, decorators and the declaration up to the first member. */
  #head(definition: Definition, target: Definition): void {
    const { text } = this.#request;
    if (!definition.body || !target.body || definition.kind === 'group') return;
    const prefix = this.#renderer.prefixFor(definition, target);
    if (prefix !== text.slice(target.start, target.bareStart))
      this.#edits.replace(target.start, target.bareStart, prefix);
    const old = withoutRemarks(text.slice(target.bareStart, target.body.start));
    const given = withoutRemarks(this.#block.text.slice(definition.bareStart, definition.body.start));
    if (definition.form !== target.form || folded(old) === folded(given)) return;
    const isWhole = target.children.every((child) =>
      definition.children.some((each) => each.names.some((name) => child.names.includes(name))),
    );
    const words = new Set(given.match(/[\w$]+/g));
    const says = [...(old.match(/[\w$]+/g) ?? [])].every((each) => words.has(each));
    if (isWhole || says) this.#edits.replace(target.bareStart, target.bareStart + old.length, given);
  }

  /** What stands in a class and is no definition: its documentation, mixins, initializers. */
  #memberStatements(definition: Definition, target: Definition): void {
    const { text } = this.#request;
    const known = new Set(
      target.items.map((item) => folded(item.type === 'definition' ? '' : text.slice(item.start, item.end))),
    );
    for (const item of definition.items) {
      if (item.type !== 'statement' && item.type !== 'import') continue;
      const given = this.#block.text.slice(item.start, item.end);
      if (known.has(folded(given)) || /^(pass|\.\.\.)$/.test(given.trim()) || isMark(given)) continue;
      const isDocumentation = item.type === 'statement' && item.role === 'documentation';
      const indent = indentOfBody(text, target);
      const old = target.items.find((each) => each.type === 'statement' && each.role === 'documentation');
      const rendered = this.#renderer.part(item.start, item.end, indent);
      if (isDocumentation && old?.type === 'statement') this.#edits.replace(old.start, old.end, rendered);
      else if (target.body && target.body.end > target.body.start) {
        const first = target.items.find(
          (each) => each.type !== 'comment' && !(each.type === 'statement' && each.role === 'documentation'),
        );
        const at = first ? (first.type === 'definition' ? first.definition.start : first.start) : undefined;
        if (at === undefined) this.#note(given, 'it has no certain place in the class', 'ambiguous');
        else this.#edits.insert(at, `${rendered}\n${isDocumentation ? '\n' : ''}${indent}`);
      }
    }
  }

  #insert(
    pairing: Pairing,
    pairings: readonly Pairing[],
    index: number,
    scope: Scope,
    items: readonly SourceItem[],
  ): void {
    const { definition } = pairing;
    const reason = whyNotNew(definition, this.#sides);
    if (reason) return this.#refuse(definition, reason.reason, reason.kind);
    const place = placeForNew(definition, {
      file: this.#file,
      scope,
      areMembers: this.#block.areMembers,
      targetsBefore: pairings.slice(0, index).flatMap(({ target }) => target ?? []),
      targetsAfter: pairings.slice(index + 1).flatMap(({ target }) => target ?? []),
    });
    if (!place)
      return this.#refuse(
        definition,
        `no class of the file is certain to be that of ${definition.name}`,
        'ambiguous',
      );
    const previous = items[pairing.index - 1];
    const gap =
      previous?.type === 'definition'
        ? this.#block.text.slice(previous.definition.end, definition.start).split('\n').length - 2
        : undefined;
    const { start, decoratorsStart } = definition;
    // A mark above it is no comment of its own.
    const isMarked = hasMark(this.#block.text.slice(start, decoratorsStart));
    this.#insertion.put(
      {
        render: (indent) => this.#renderer.fresh(definition, indent),
        isShort: isShortIn(
          this.#block.text,
          isMarked ? { ...definition, start: decoratorsStart } : definition,
        ),
        isData:
          ['constant', 'property', 'type', 'group'].includes(definition.kind) || definition.form === 'field',
        gap: place.after ? gap : undefined,
      },
      place.scope,
      place,
    );
    this.#placed += 1;
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

function indentOfBody(text: string, { items, bareStart }: Definition): string {
  const [first] = items;
  const at = first ? (first.type === 'definition' ? first.definition.start : first.start) : bareStart;
  return indentAt(text, at);
}
