/**
 * Resolves argument aliases, which tools declare. An alias is used only if the tool has the canonical argument but no argument with the
 * alias's name, and the call lacks the canonical argument.
 */
import { quoteShellWords } from '../base/values/shell-word.ts';
import { standardTools } from './standard-tools.ts';

type NamedArguments = Record<string, unknown>;

/** Aliases of each argument from all standard tools. They also apply to other tools with an argument of that name. */
const commonAliases = new Map<string, readonly string[]>();
for (const { argumentAliases = {} } of standardTools)
  for (const [name, aliases] of Object.entries(argumentAliases))
    commonAliases.set(name, [...(commonAliases.get(name) ?? []), ...aliases]);

const textNames: ReadonlySet<string> = new Set(
  standardTools
    .flatMap(({ textArguments = [] }) => textArguments)
    .flatMap((name) => [name, ...(commonAliases.get(name) ?? [])]),
);

/** Returns whether the argument `name` contains a text whose line breaks must not be removed. */
export const isTextArgument = (name: string): boolean => textNames.has(toSnakeCase(name.slice(0, 60)));

/** Aliases of the last line to read (from 1, inclusive). The value is converted to `limit`. */
const END_LINE_ALIASES = ['end_line', 'line_end', 'to_line', 'end', 'end_line_one_indexed_inclusive'];
/** Aliases of the opposite of `case_sensitive`. The value is inverted. */
const CASE_INSENSITIVE_ALIASES = ['case_insensitive', 'ignore_case'];
const SECONDS_ALIASES = ['timeout_seconds', 'timeout_s', 'timeout_sec', 'timeout_secs'];
/** Maximum `timeout` that is read as seconds instead of milliseconds, since no command has a timeout of 600 ms or less. */
const MAX_TIMEOUT_IN_SECONDS = 600;

const toSnakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.]/g, '_')
    .toLowerCase();

/**
 * Renames arguments to the names in `properties`, the tool's own. Unknown names stay. A value is converted only if its meaning changes with
 * the name (`end_line`, `case_insensitive`, `timeout_seconds`, a command given as a list).
 */
export function resolveArgumentAliases(
  args: NamedArguments,
  properties: ReadonlySet<string>,
): NamedArguments {
  const keys = Object.keys(args);
  if (keys.every((key) => properties.has(key)) && !Array.isArray(args.command)) return args;
  const resolved: NamedArguments = {};
  const others = new Map<string, unknown>();
  for (const key of keys) {
    const name = properties.has(key) ? key : toSnakeCase(key);
    if (properties.has(name)) resolved[name] ??= args[key];
    else others.set(name, args[key]);
  }
  convertRange(resolved, others, properties);
  convertAliases(resolved, others, properties);
  for (const canonical of properties) {
    if (resolved[canonical] === undefined)
      takeAlias(resolved, canonical, commonAliases.get(canonical) ?? [], others);
  }
  deriveLimit(resolved, others, properties);
  if (Array.isArray(resolved.command)) resolved.command = joinCommand(resolved.command);
  // The properties are defined, not assigned, because `__proto__` is an ordinary name here.
  return Object.fromEntries([...others, ...Object.entries(resolved)]);
}

function takeAlias(
  resolved: NamedArguments,
  canonical: string,
  aliases: readonly string[],
  others: Map<string, unknown>,
): void {
  const alias = aliases.find((name) => others.has(name));
  if (alias === undefined) return;
  resolved[canonical] = others.get(alias);
  others.delete(alias);
}

/** Renames arguments whose value must be converted, and converts the values. */
function convertAliases(
  resolved: NamedArguments,
  others: Map<string, unknown>,
  properties: ReadonlySet<string>,
): void {
  if (properties.has('case_sensitive') && resolved.case_sensitive === undefined) {
    takeAlias(resolved, 'case_sensitive', CASE_INSENSITIVE_ALIASES, others);
    const insensitive = resolved.case_sensitive;
    if (insensitive !== undefined) resolved.case_sensitive = !/^(true|1|yes)$/i.test(String(insensitive));
  }
  if (properties.has('timeout_ms') && resolved.timeout_ms === undefined) {
    const seconds = SECONDS_ALIASES.find((name) => others.has(name));
    const value = Number(others.get(seconds ?? 'timeout'));
    if (seconds !== undefined || (value > 0 && value <= MAX_TIMEOUT_IN_SECONDS)) {
      resolved.timeout_ms = value * 1000;
      others.delete(seconds ?? 'timeout');
    }
  }
}

/** Converts `view_range`, a list of the first and the last line (-1 for the end), to `offset` and `limit`. */
function convertRange(
  resolved: NamedArguments,
  others: Map<string, unknown>,
  properties: ReadonlySet<string>,
): void {
  const viewRange = others.get('view_range');
  if (
    viewRange === undefined ||
    viewRange === null ||
    !properties.has('offset') ||
    resolved.offset !== undefined
  )
    return;
  const [first, last] = (JSON.stringify(viewRange) ?? '').match(/-?\d{1,9}/g) ?? [];
  others.delete('view_range');
  if (first === undefined) return;
  resolved.offset = Number(first);
  if (last !== undefined) others.set('end_line', last);
}

/** Derives `limit` from `end_line`: `limit` counts from `offset`, but `end_line` counts from the beginning of the file. */
function deriveLimit(
  resolved: NamedArguments,
  others: Map<string, unknown>,
  properties: ReadonlySet<string>,
): void {
  if (!properties.has('limit') || resolved.limit !== undefined) return;
  const key = END_LINE_ALIASES.find((name) => others.has(name));
  if (key === undefined) return;
  const end = Number(others.get(key));
  const start = Number(resolved.offset ?? 1);
  // -1 and other invalid values mean "to the end".
  if (Number.isInteger(end) && end >= start) resolved.limit = end - start + 1;
  others.delete(key);
}

/** Joins a command given as a list: returns `npm test` for `["bash", "-lc", "npm test"]`, and quotes and joins any other list. */
function joinCommand(parts: readonly unknown[]): string {
  const words = parts.map(String);
  const [program, option, script] = words;
  if (
    words.length === 3 &&
    /(^|\/)(ba|z|da)?sh$/.test(program ?? '') &&
    /^-[a-z]*c$/.test(option ?? '') &&
    script
  )
    return script;
  if (words.length === 1) return words[0] ?? '';
  return quoteShellWords(words);
}
