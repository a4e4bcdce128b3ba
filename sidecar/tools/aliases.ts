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

const editorNames = new Set(standardTools.flatMap(({ editorNames: names = [] }) => names.map(fold)));
const byEditorCommand = new Map(
  standardTools.flatMap(({ name, editorCommands = {} }) =>
    Object.entries(editorCommands).map(
      ([command, implied]) => [fold(command), { name, command, implied }] as const,
    ),
  ),
);

/** The meaning of a call of such an editor: a standard tool with its arguments, or a command that there is not. */
export type EditorCall =
  { ok: true; name: string; args: Record<string, unknown> } | { ok: false; reason: string };

const MAX_COMMAND_CHARS = 40;

/** Undefined for a call of any other tool, and for one without a command. */
export function editorCall(name: string, args: Record<string, unknown>): EditorCall | undefined {
  if (!isPossibleName(name) || !editorNames.has(fold(name))) return undefined;
  const { command, ...rest } = args;
  if (typeof command !== 'string') return undefined;
  const meant = byEditorCommand.get(fold(command.slice(0, MAX_NAME_CHARS)));
  if (meant) return { ok: true, name: meant.name, args: { ...rest, ...meant.implied } };
  const known = [...byEditorCommand.values()].map((each) => each.command).join(', ');
  return {
    ok: false,
    reason: `there is no command "${command.slice(0, MAX_COMMAND_CHARS)}", only ${known}`,
  };
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
 * Finds the name among `known` that a name means. An exact name wins over one
 * in other case or separators, that over an alias, that over the last part of a qualified name (`functions.shell`).
 */
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

/** The standard tool that a name means. */
export const resolveToolName = toolNameResolver(STANDARD_TOOL_NAMES);
