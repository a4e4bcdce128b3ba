/** Where in a file a new definition goes: beside what the answer gives it beside, else into the scope that it is of. */
import { withNested } from '../definitions/index.ts';
import type { Definition, SourceFile, SourceItem } from '../definitions/index.ts';
import type { Scope } from './insertion.ts';

interface Wanted {
  file: SourceFile;
  /** Of the file, which the part of the answer stands for. */
  scope: Scope;
  /** The answer gives members without their class. */
  areMembers: boolean;
  /** Definitions of the file that stand for what the answer has before it, in the answer's order, and behind it. */
  targetsBefore: readonly Definition[];
  targetsAfter: readonly Definition[];
}

export interface NewPlace {
  scope: Scope;
  after?: Definition | undefined;
  before?: Definition | undefined;
}

/** Undefined where no class is certain to be that of a member. */
export function placeForNew(definition: Definition, wanted: Wanted): NewPlace | undefined {
  const { file, scope, areMembers, targetsBefore, targetsAfter } = wanted;
  const after = targetsBefore.at(-1);
  const before = after ? undefined : targetsAfter[0];
  const neighbour = after ?? before;
  const home = neighbour && scopeOf(neighbour, file.items);
  const isMember =
    areMembers ||
    (definition.kind === 'method' && definition.form === 'method') ||
    (file.language === 'python' && takesSelf(definition));
  if (home && (home.owner !== undefined) === (scope.owner !== undefined || isMember))
    return { scope: home, after, before };
  if (!scope.owner && isMember) return inOnlyClass(file);
  const only = scope.owner || home ? undefined : onlyModule(file);
  return { scope: only ? { owner: only, items: only.items } : scope };
}

/** A method that the answer gives without its class. */
const takesSelf = ({ kind, parameters = '' }: Definition): boolean =>
  kind === 'function' && /^\(\s*(?:self|cls)\b/u.test(parameters);

function inOnlyClass({ definitions }: SourceFile): NewPlace | undefined {
  const classes = withNested(definitions).filter(({ kind, items }) => kind === 'class' && items.length > 0);
  const [owner, another] = classes;
  return owner && !another ? { scope: { owner, items: owner.items } } : undefined;
}

/** The namespace that holds all of the file. */
function onlyModule({ definitions }: SourceFile): Definition | undefined {
  const [only, another] = definitions;
  return only?.kind === 'module' && !another ? only : undefined;
}

function scopeOf(
  definition: Definition,
  items: readonly SourceItem[],
  owner?: Definition,
): Scope | undefined {
  for (const item of items) {
    if (item.type !== 'definition') continue;
    if (item.definition === definition) return { owner, items };
    const inner = scopeOf(definition, item.definition.items, item.definition);
    if (inner) return inner.owner?.kind === 'group' ? { owner, items } : inner;
  }
  return undefined;
}
