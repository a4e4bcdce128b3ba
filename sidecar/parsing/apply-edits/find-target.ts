/**
 * Finds the counterpart of an answer's definition in a file, first in its container, then anywhere. If there are several candidates,
 * variant, parameters and body select one. If several remain, none is chosen.
 */
import {
  listDefinitions,
  flattenDefinitions,
  type Definition,
  type Language,
  type SourceItem,
} from '../definitions/index.ts';
import { isJavaScriptLike } from '../definitions/languages.ts';
import type { CodeBlock } from './code-block.ts';
import type { MergeContext } from './merge-context.ts';

export type TargetMatch = { target: Definition } | { ambiguous: readonly Definition[] } | undefined;

export const CALLABLE_KINDS: ReadonlySet<string> = new Set(['function', 'method']);
const TYPE_KINDS = new Set(['class', 'interface', 'type', 'enum', 'module']);

/** Returns the variant that distinguishes overloads and accessors, including decorators that make a definition a different function. */
function variantOf(text: string, { variant, decoratorsStart, exportStart }: Definition): string {
  const decorators = text.slice(decoratorsStart, exportStart);
  const telling =
    /@[\w.]*\b(setter|getter|deleter|property|overload|register\b[^\n]*)/.exec(decorators)?.[0] ?? '';
  return [variant ?? '', telling].join(' ').trim();
}

const removeSpace = (text: string | undefined): string =>
  (text ?? '').replaceAll(/\s+/g, '').replace(/,\)$/, ')');

/** Finds the counterpart of a definition, in `owner` or anywhere in the file. */
export function findTarget(sides: MergeContext, definition: Definition, owner?: Definition): TargetMatch {
  for (const candidates of listCandidates(sides, definition, owner)) {
    const match = narrowCandidates(sides, definition, candidates);
    if (match) return match;
  }
  return undefined;
}

/** Returns the groups of definitions to search, in order. */
function listCandidates(
  { file, block }: MergeContext,
  { container, kind, form }: Definition,
  owner?: Definition,
): Definition[][] {
  const direct = listDefinitions((owner ?? file).items).flatMap(expandGroups);
  const all = flattenDefinitions(file.definitions);
  if (owner) return [direct];
  if (block.areMembers) return [all];
  if (container !== undefined)
    return [all.filter((definition) => `.${definition.container ?? ''}`.endsWith(`.${container}`))];
  return form === 'declaration' || CALLABLE_KINDS.has(kind) ? [direct, all] : [direct];
}

/** Returns the only candidate that matches, or those that remain ambiguous. */
function narrowCandidates(
  { file, text, block }: MergeContext,
  definition: Definition,
  candidates: readonly Definition[],
): TargetMatch {
  const sameName = candidates.filter((candidate) =>
    candidate.names.some((name) => definition.names.includes(name)),
  );
  // In JavaScript and TypeScript, functions and methods have different syntax.
  const isScripted = isJavaScriptLike(file.language);
  const isOfForm = ({ form }: Definition): boolean =>
    !isScripted || (form === 'method') === (definition.form === 'method');
  let remaining = sameName.filter(
    (candidate) => areKindsCompatible(definition, candidate) && isOfForm(candidate),
  );
  const variant = variantOf(block.text, definition);
  const tests: ((each: Definition) => boolean)[] = [
    (candidate) => variantOf(text, candidate) === variant,
    ({ hasBody }) => hasBody === definition.hasBody,
    ({ parameters }) => removeSpace(parameters) === removeSpace(definition.parameters),
  ];
  for (const test of tests) {
    const matching = remaining.filter(test);
    if (matching.length > 0) remaining = matching;
  }
  const [target, another] = remaining;
  return target && (another ? { ambiguous: remaining } : { target });
}

const expandGroups = (definition: Definition): Definition[] =>
  definition.kind === 'group' ? [definition, ...definition.children] : [definition];

/** Returns which `impl` of Rust a definition is; undefined for other definitions. An `impl` is not a type, and each `impl` is separate. */
const implOf = ({ variant }: Definition): string | undefined =>
  variant?.startsWith('impl') ? variant : undefined;
/** Returns whether a definition is a value. A type with the same name is a different definition. */
const isValue = ({ kind }: Definition): boolean => !TYPE_KINDS.has(kind);

/** Returns whether the kinds of two definitions can match. */
function areKindsCompatible(a: Definition, b: Definition): boolean {
  if (implOf(a) !== implOf(b)) return false;
  if (a.kind === b.kind || (CALLABLE_KINDS.has(a.kind) && CALLABLE_KINDS.has(b.kind))) return true;
  return isValue(a) === isValue(b) && a.kind !== 'call' && b.kind !== 'call';
}

const OVERLOADING_LANGUAGES: ReadonlySet<Language> = new Set([
  'java',
  'csharp',
  'cpp',
  'c',
  'typescript',
  'tsx',
]);

/** Returns the definitions of one level of an answer. Of several equal definitions, only the last is returned. */
export function selectLatest(items: readonly SourceItem[], { text, source }: CodeBlock): Definition[] {
  const latest = new Map<string, Definition>();
  for (const definition of listDefinitions(items)) {
    const { name, kind, container, hasBody, parameters } = definition;
    const overload = OVERLOADING_LANGUAGES.has(source.language) ? parameters : undefined;
    const key = JSON.stringify([name, kind, container, hasBody, variantOf(text, definition), overload]);
    latest.set(key, definition);
  }
  return [...latest.values()];
}
