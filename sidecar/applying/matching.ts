/**
 * Finds the definition of a file that one of an answer stands for: in its container first, then anywhere it is alone. Where
 * several could be meant, what tells them apart is asked in turn: variant, kind, parameters, whether there is a body. Nothing
 * is chosen from what is left.
 */
import {
  withNested,
  type Definition,
  type Language,
  type SourceFile,
  type SourceItem,
} from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { definitionsIn } from './sides.ts';

export type Match = { target: Definition } | { ambiguous: readonly Definition[] } | undefined;

/** Kinds of definitions that are called. */
export const CALLABLE: ReadonlySet<string> = new Set(['function', 'method']);
const TYPES = new Set(['class', 'interface', 'type', 'enum', 'module']);

/** What tells overloads and accessors apart, decorators included where they make another definition of the name. */
function variantOf(text: string, { variant, decoratorsStart, exportStart }: Definition): string {
  const decorators = text.slice(decoratorsStart, exportStart);
  const telling =
    /@[\w.]*\b(setter|getter|deleter|property|overload|register\b[^\n]*)/.exec(decorators)?.[0] ?? '';
  return [variant ?? '', telling].join(' ').trim();
}

const folded = (text: string | undefined): string => (text ?? '').replaceAll(/\s+/g, '').replace(/,\)$/, ')');
const arity = (parameters: string | undefined): number => {
  const inner = folded(parameters).replace(/^\(|\)$/g, '');
  return inner === '' ? 0 : inner.split(',').length;
};

export class TargetFinder {
  readonly #file: SourceFile;
  readonly #text: string;
  readonly #block: CodeBlock;
  /** Two definitions of an answer never stand for one. */
  readonly #taken = new Set<Definition>();

  constructor(file: SourceFile, text: string, block: CodeBlock) {
    this.#file = file;
    this.#text = text;
    this.#block = block;
  }

  /** What the definition stands for, in `owner` or anywhere in the file. */
  find(definition: Definition, owner?: Definition): Match {
    for (const candidates of this.#candidates(definition, owner)) {
      const free = candidates.filter((each) => !this.#taken.has(each));
      const match = this.#among(definition, free);
      if (match && 'target' in match) this.#taken.add(match.target);
      if (match) return match;
    }
    return undefined;
  }

  /** Where it is looked for, one after the other. */
  #candidates({ container, kind, form }: Definition, owner?: Definition): Definition[][] {
    const direct = definitionsIn((owner ?? this.#file).items).flatMap(withGroups);
    const all = withNested(this.#file.definitions);
    // Other `impl` blocks of the type, other parts of a partial class.
    const others = all.filter((each) => owner && each !== owner && isOtherPart(each, owner));
    if (owner) return [[...direct, ...others.flatMap(({ children }) => children)]];
    if (this.#block.areMembers) return [all];
    if (container !== undefined)
      return [all.filter((each) => `.${each.container}`.endsWith(`.${container}`))];
    return form === 'declaration' || CALLABLE.has(kind) ? [direct, all] : [direct];
  }

  /** The one of the candidates that the definition stands for. */
  #among(definition: Definition, candidates: readonly Definition[]): Match {
    const named = candidates.filter((each) => each.names.some((name) => definition.names.includes(name)));
    let left = named.filter((each) => areAlike(definition, each));
    const variant = variantOf(this.#block.text, definition);
    const tests: ((each: Definition) => boolean)[] = [
      ({ container }) => definition.container === undefined || definition.container === container,
      (each) => variantOf(this.#text, each) === variant,
      ({ kind }) => kind === definition.kind,
      ({ hasBody }) => hasBody === definition.hasBody,
      ({ parameters }) => folded(parameters) === folded(definition.parameters),
      ({ parameters }) => arity(parameters) === arity(definition.parameters),
    ];
    for (const test of tests) {
      const kept = left.filter(test);
      if (kept.length > 0) left = kept;
    }
    const [target, another] = left;
    return target && (another ? { ambiguous: left } : { target });
  }
}

const withGroups = (definition: Definition): Definition[] =>
  definition.kind === 'group' ? [definition, ...definition.children] : [definition];

const isOtherPart = (each: Definition, { name, variant, kind, container }: Definition): boolean =>
  each.name === name && each.variant === variant && each.kind === kind && each.container === container;

/** An `impl` of Rust is no type, and each is one of its own. */
const implOf = ({ variant }: Definition): string | undefined =>
  variant?.startsWith('impl') ? variant : undefined;
/** A type and a value may share a name without being one. */
const isValue = ({ kind }: Definition): boolean => !TYPES.has(kind);

/** Whether both are of kinds that can stand for each other. */
function areAlike(a: Definition, b: Definition): boolean {
  if (implOf(a) !== implOf(b)) return false;
  if (a.kind === b.kind || (CALLABLE.has(a.kind) && CALLABLE.has(b.kind))) return true;
  return isValue(a) === isValue(b) && a.kind !== 'call' && b.kind !== 'call';
}

const MAY_OVERLOAD: ReadonlySet<Language> = new Set(['java', 'csharp', 'cpp', 'c', 'typescript', 'tsx']);

/** The definitions of one level of an answer with their places in it; of several that are the same the last. */
export function latestOf(
  items: readonly SourceItem[],
  { text, source }: CodeBlock,
): { definition: Definition; index: number }[] {
  const latest = new Map<string, { definition: Definition; index: number }>();
  for (const [index, item] of items.entries()) {
    if (item.type !== 'definition') continue;
    const { definition } = item;
    const { name, kind, container, hasBody, parameters } = definition;
    const overload = MAY_OVERLOAD.has(source.language) ? parameters : undefined;
    const key = JSON.stringify([name, kind, container, hasBody, variantOf(text, definition), overload]);
    latest.delete(key);
    latest.set(key, { definition, index });
  }
  return [...latest.values()];
}
