/**
 * Finds the definition in the file that one in the answer stands for. Where several could be meant, what tells them
 * apart is asked in turn: variant, kind, parameters, whether there is a body. Nothing is chosen from what is left.
 */
import type { Definition, SourceItem } from '../definitions/index.ts';
import type { Language } from '../definitions/languages.ts';
import type { CodeBlock } from './code-block.ts';

export type Match = { target: Definition } | { ambiguous: readonly Definition[] } | undefined;

const CALLABLE = new Set(['function', 'method']);
const TYPES = new Set(['class', 'interface', 'type', 'enum', 'module']);

/**
 * What tells overloads and accessors apart, decorators included where they make another definition of the name.
 */
export function variantOf(text: string, { variant, decoratorsStart, exportStart }: Definition): string {
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

export interface Side {
  text: string;
  definition: Definition;
}

/** Whether both are of kinds that can stand for each other. */
export function areAlike(a: Definition, b: Definition): boolean {
  if (a.kind === b.kind) return true;
  if (CALLABLE.has(a.kind) && CALLABLE.has(b.kind)) return true;
  const impl = (each: Definition): boolean => each.variant?.startsWith('impl') ?? false;
  if (impl(a) !== impl(b)) return false;
  if (TYPES.has(a.kind) && TYPES.has(b.kind)) return true;
  return !TYPES.has(a.kind) && !TYPES.has(b.kind) && a.kind !== 'call' && b.kind !== 'call';
}

/** The one of `candidates` that `wanted` stands for. */
export function matchAmong(wanted: Side, candidates: readonly Definition[], fileText: string): Match {
  const { definition, text } = wanted;
  let left = candidates.filter((each) => each.names.some((name) => definition.names.includes(name)));
  if (left.length === 0) return undefined;
  const alike = left.filter((each) => areAlike(definition, each));
  if (alike.length === 0)
    return left.length === 1 && left[0]?.kind !== 'group' && !conflicts(definition, left[0])
      ? { target: left[0] as Definition }
      : undefined;
  left = alike;
  const impl = definition.variant?.startsWith('impl') ? definition.variant : undefined;
  if (impl !== undefined) left = left.filter((each) => each.variant === impl);
  const [first] = left;
  if (!first) return undefined;
  const variant = variantOf(text, definition);
  const tests: ((each: Definition) => boolean)[] = [
    (each) => definition.container === undefined || definition.container === each.container,
    (each) => variantOf(fileText, each) === variant,
    (each) => each.kind === definition.kind,
    (each) => each.hasBody === definition.hasBody,
    (each) => folded(each.parameters) === folded(definition.parameters),
    (each) => arity(each.parameters) === arity(definition.parameters),
  ];
  for (const test of tests) {
    if (left.length === 1) break;
    const kept = left.filter(test);
    if (kept.length > 0) left = kept;
  }
  const [target] = left;
  return left.length === 1 && target ? { target } : { ambiguous: left };
}

/** A type and a value may share a name without being one. */
const conflicts = (a: Definition, b: Definition | undefined): boolean =>
  b === undefined ||
  (a.variant?.startsWith('impl') ?? false) ||
  (b.variant?.startsWith('impl') ?? false) ||
  TYPES.has(a.kind) !== TYPES.has(b.kind);

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
