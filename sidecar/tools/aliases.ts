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

/** Tools of other harnesses that are several in one: a `command` says which of them is meant. */
const EDITOR_NAMES = new Set(
  'str_replace_editor str_replace_based_edit_tool str_replace_edit_tool text_editor file_editor'
    .split(' ')
    .map(fold),
);
const toolByEditorCommand = new Map(
  standardTools.flatMap(({ name, editorCommands = [] }) =>
    editorCommands.map((command) => [fold(command), name] as const),
  ),
);

/** The standard tool and its arguments that a call of such an editor means; undefined for any other call. */
export function editorCall(
  name: string,
  args: Record<string, unknown>,
): { name: string; args: Record<string, unknown> } | undefined {
  if (!isPossibleName(name) || !EDITOR_NAMES.has(fold(name))) return undefined;
  const { command, ...rest } = args;
  const tool = typeof command === 'string' ? toolByEditorCommand.get(fold(command)) : undefined;
  return tool === undefined ? undefined : { name: tool, args: rest };
}

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
  return toolNameResolver(known)(name);
}

/** The same for many names: a hostile answer is full of them. */
export function toolNameResolver(known: Iterable<string>): (name: string) => string | undefined {
  const names = new Set(known);
  const byFoldedName = new Map([...names].map((name) => [fold(name), name] as const).toReversed());
  const resolve = (name: string): string | undefined => {
    if (!isPossibleName(name)) return undefined;
    if (names.has(name)) return name;
    const wanted = fold(name);
    if (wanted === '') return undefined;
    const same = byFoldedName.get(wanted);
    if (same !== undefined) return same;
    const canonical = canonicalByFoldedName.get(wanted);
    if (canonical !== undefined && names.has(canonical)) return canonical;
    const lastPart = name.split(/[.:/]|__/).at(-1) ?? name;
    return lastPart === name ? undefined : resolve(lastPart);
  };
  return resolve;
}
