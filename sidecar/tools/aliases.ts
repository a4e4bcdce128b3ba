/** Resolves tool names. The aliases of the standard tools are in their declarations; an alias never hides a real name. */
import { standardTools } from './standard-tools.ts';

/** The standard tools' names in the fixed order in which they are sent to the model. */
export const STANDARD_TOOL_NAMES: readonly string[] = standardTools.map(({ name }) => name);

/** Folds case and separators of a name, which have no meaning: `ReadFile`, `read-file` and `READ_FILE` are the same name. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const canonicalByFoldedName = new Map(
  standardTools.flatMap(({ name, aliases = [] }) =>
    [name, ...aliases].map((tool) => [foldName(tool), name] as const),
  ),
);

const editorNames = new Set(standardTools.flatMap(({ editorNames: names = [] }) => names.map(foldName)));
const byEditorCommand = new Map(
  standardTools.flatMap(({ name, editorCommands = {} }) =>
    Object.entries(editorCommands).map(
      ([command, implied]) => [foldName(command), { name, command, implied }] as const,
    ),
  ),
);

/** Resolved call of an editor tool: a standard tool with its arguments, or the refusal of an unknown editor command. */
export type EditorCall =
  { ok: true; name: string; args: Record<string, unknown> } | { ok: false; reason: string };

const MAX_COMMAND_CHARS = 40;

/** Converts the call of an editor tool to a call of a standard tool; undefined for any other tool, and for a call without a command. */
export function resolveEditorCall(name: string, args: Record<string, unknown>): EditorCall | undefined {
  if (!isPossibleName(name) || !editorNames.has(foldName(name))) return undefined;
  const { command, ...rest } = args;
  if (typeof command !== 'string') return undefined;
  const match = byEditorCommand.get(foldName(command.slice(0, MAX_NAME_CHARS)));
  if (match) return { ok: true, name: match.name, args: { ...rest, ...match.implied } };
  const commands = [...byEditorCommand.values()].map((entry) => entry.command).join(', ');
  return {
    ok: false,
    reason: `there is no command "${command.slice(0, MAX_COMMAND_CHARS)}", only ${commands}`,
  };
}

const FINISHING_NAMES = new Set(
  (
    'final_answer final_response attempt_completion finish finish_task task_complete task_completed complete_task ' +
    'complete task_done done submit submit_answer respond'
  )
    .split(' ')
    .map(foldName),
);

/** Returns whether `name` is a tool of another harness with which a model reports that it has finished. */
export const isFinishingName = (name: string): boolean =>
  isPossibleName(name) && FINISHING_NAMES.has(foldName(name));

/** Maximum length of a tool's name; longer names are not folded. */
const MAX_NAME_CHARS = 200;

/** Returns whether a value can be a tool's name. Models may omit the name, or write a whole file in its place. */
export const isPossibleName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= MAX_NAME_CHARS;

/**
 * Returns a resolver of names. It tries, in this order: a name of `toolNames` as written, a name in other case or separators, an alias, and
 * the last part of a qualified name (`functions.shell`).
 */
export function createToolNameResolver(toolNames: Iterable<string>): (name: string) => string | undefined {
  const names = new Set(toolNames);
  const byFoldedName = new Map([...names].map((name) => [foldName(name), name] as const).toReversed());
  const resolve = (name: string): string | undefined => {
    if (!isPossibleName(name)) return undefined;
    if (names.has(name)) return name;
    const wanted = foldName(name);
    if (wanted === '') return undefined;
    const sameName = byFoldedName.get(wanted);
    if (sameName !== undefined) return sameName;
    const canonical = canonicalByFoldedName.get(wanted);
    if (canonical !== undefined && names.has(canonical)) return canonical;
    const lastPart = name.split(/[.:/]|__/).at(-1) ?? name;
    return lastPart === name ? undefined : resolve(lastPart);
  };
  return resolve;
}

/** Returns the standard tool that a name refers to. */
export const resolveToolName = createToolNameResolver(STANDARD_TOOL_NAMES);
