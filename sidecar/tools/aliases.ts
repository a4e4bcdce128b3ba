/**
 * Which tool a name means. The other names by which models know the standard tools stand in their declarations; an
 * alias never hides a real name.
 */
import { standardTools } from './standard-tools.ts';

/** The standard tools' names in the fixed order in which they are sent to the model. */
export const STANDARD_TOOL_NAMES: readonly string[] = standardTools.map(({ name }) => name);

/** Case and separators carry no meaning: `ReadFile`, `read-file` and `READ_FILE` are one name. */
export const fold = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const canonicalByFoldedName = new Map(
  standardTools.flatMap(({ name, aliases = [] }) =>
    [name, ...aliases].map((known) => [fold(known), name] as const),
  ),
);

const FINISHING_NAMES = new Set(
  (
    'final_answer final_response attempt_completion finish finish_task task_complete task_completed complete_task ' +
    'complete task_done done submit submit_answer respond'
  )
    .split(' ')
    .map(fold),
);

/** Whether a model that knows no such tool means by `name` that it is done: other harnesses have a tool for that. */
export const isFinishingName = (name: string): boolean =>
  isPossibleName(name) && FINISHING_NAMES.has(fold(name));

/** A name longer than this is no tool's, and is not worth folding. */
const MAX_NAME_CHARS = 200;

/** Models leave names out, or write a whole file in their place. */
export const isPossibleName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= MAX_NAME_CHARS;

/**
 * The name among `known` (default: the standard tools) that `name` means, or undefined. An exact name wins over one
 * in other case or separators, that over an alias, that over the last part of a qualified name (`functions.shell`).
 */
export function resolveToolName(
  name: string,
  known: Iterable<string> = STANDARD_TOOL_NAMES,
): string | undefined {
  if (!isPossibleName(name)) return undefined;
  const names = known instanceof Set ? (known as Set<string>) : new Set(known);
  if (names.has(name)) return name;
  const wanted = fold(name);
  if (wanted === '') return undefined;
  for (const candidate of names) if (fold(candidate) === wanted) return candidate;
  const canonical = canonicalByFoldedName.get(wanted);
  if (canonical !== undefined && names.has(canonical)) return canonical;
  const lastPart = name.split(/[.:/]|__/).at(-1) ?? name;
  return lastPart === name ? undefined : resolveToolName(lastPart, names);
}
