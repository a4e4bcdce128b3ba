/**
 * Finds the definition of a file that one of an answer stands for: in its container first, then anywhere it is alone. Where
 * several could be meant, what tells them apart is asked in turn: variant, kind, parameters, whether there is a body. Nothing
 * is chosen from what is left.
 */
import {
  definitionsIn,
  withNested,
  type Definition,
  type Language,
  type SourceItem,
} from '../definitions/index.ts';
import { isScript } from '../definitions/languages.ts';
import type { CodeBlock } from './code-block.ts';
import type { Sides } from './sides.ts';

export type Match = { target: Definition } | { ambiguous: readonly Definition[] } | undefined;

/** Kinds of definitions that are called. */
export const CALLABLE: ReadonlySet<string> = new Set(['function', 'method']);
const TYPES = new Set(['class', 'interface', 'type', 'enum', 'module']);

/** The difference between overloads and accessors, decorators included where they make another definition of the name. */
function variantOf(text: string, { variant, decoratorsStart, exportStart }: Definition): string {
  const decorators = text.slice(decoratorsStart, exportStart);
  const telling =
    /@[\w.]*\b(setter|getter|deleter|property|overload|register\b[^\n]*)/.exec(decorators)?.[0] ?? '';
  return [variant ?? '', telling].join(' ').trim();
}

const folded = (text: string | undefined): string => (text ?? '').replaceAll(/\s+/g, '').replace(/,\)$/, ')');

export class TargetFinder {
  readonly #sides: Sides;
  /** Two definitions of an answer never stand for one. */
  readonly #taken = new Set<Definition>();

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  /** The definition's counterpart, in `owner` or anywhere in the file. */
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
    const direct = definitionsIn((owner ?? this.#sides.file).items).flatMap(withGroups);
    const all = withNested(this.#sides.file.definitions);
    if (owner) return [direct];
    if (this.#sides.block.areMembers) return [all];
    if (container !== undefined)
      return [all.filter((each) => `.${each.container ?? ''}`.endsWith(`.${container}`))];
    return form === 'declaration' || CALLABLE.has(kind) ? [direct, all] : [direct];
  }

  /** The one of the candidates that the definition stands for. */
  #among(definition: Definition, candidates: readonly Definition[]): Match {
    const named = candidates.filter((each) => each.names.some((name) => definition.names.includes(name)));
    // In a script a function is not written as a method is.
    const isScripted = isScript(this.#sides.file.language);
    const isOfForm = ({ form }: Definition): boolean =>
      !isScripted || (form === 'method') === (definition.form === 'method');
    let left = named.filter((each) => areAlike(definition, each) && isOfForm(each));
    const variant = variantOf(this.#sides.block.text, definition);
    const tests: ((each: Definition) => boolean)[] = [
      ({ container }) => definition.container === undefined || definition.container === container,
      (each) => variantOf(this.#sides.text, each) === variant,
      ({ hasBody }) => hasBody === definition.hasBody,
      ({ parameters }) => folded(parameters) === folded(definition.parameters),
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

/** The definitions of one level of an answer; of several that are the same the last. */
export function latestOf(items: readonly SourceItem[], { text, source }: CodeBlock): Definition[] {
  const latest = new Map<string, Definition>();
  for (const definition of definitionsIn(items)) {
    const { name, kind, container, hasBody, parameters } = definition;
    const overload = MAY_OVERLOAD.has(source.language) ? parameters : undefined;
    const key = JSON.stringify([name, kind, container, hasBody, variantOf(text, definition), overload]);
    latest.set(key, definition);
  }
  return [...latest.values()];
}
