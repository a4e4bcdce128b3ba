/**
 * Expands the command of an operator's tool: a list of arguments with placeholders. A value only replaces its
 * placeholder: it
 * never becomes a second argument, no shell reads it, and at the start of an argument it cannot become an option. Pure.
 */

/** The arguments of a command; a nested list is included or omitted as a whole. */
export type CommandTemplate = readonly (string | readonly string[])[];

export type ArgumentValue = string | number | boolean;
export type FilledCommand = { ok: true; argv: string[] } | { ok: false; message: string };

/** Linux allows 131 072 bytes in one argument. */
const MAX_ARGUMENT_BYTES = 100_000;
const PLACE = /\{([a-z][a-z0-9_]{0,39})\}/gu;

/**
 * Expands the template to argv. `parameters`: placeholder names; `trusted`: those with operator-listed values. An
 * argument or group with a missing parameter is left out.
 */
export function fillCommand(
  template: CommandTemplate,
  args: Readonly<Record<string, ArgumentValue | undefined>>,
  parameters: { names: ReadonlySet<string>; trusted: ReadonlySet<string> },
): FilledCommand {
  const argv: string[] = [];
  const placesOf = (text: string) =>
    [...text.matchAll(PLACE)].map(([, name = '']) => name).filter((name) => parameters.names.has(name));
  for (const group of template.map((entry) => (typeof entry === 'string' ? [entry] : entry))) {
    if (group.flatMap(placesOf).some((name) => args[name] === undefined)) continue;
    for (const text of group) {
      const value = text.replaceAll(PLACE, (place, name: string) =>
        parameters.names.has(name) ? String(args[name]) : place,
      );
      const [first] = placesOf(text);
      const problem = problemOf(value, {
        name: first,
        mayBeOption: first === undefined || !startsWith(text, first) || isSafe(first) || argv.includes('--'),
      });
      if (problem !== undefined) return { ok: false, message: problem };
      argv.push(value);
    }
  }
  return { ok: true, argv };

  function isSafe(name: string): boolean {
    return parameters.trusted.has(name) || typeof args[name] !== 'string';
  }
}

const startsWith = (text: string, name: string): boolean => text.startsWith(`{${name}}`);

function problemOf(
  value: string,
  { name, mayBeOption }: { name: string | undefined; mayBeOption: boolean },
): string | undefined {
  if (!mayBeOption && value.startsWith('-'))
    return `${name} must not begin with "-": the program would take it for an option. A path can begin with "./" instead`;
  if (Buffer.byteLength(value) > MAX_ARGUMENT_BYTES)
    return `${name ?? 'an argument'} is too long for a command: ${Buffer.byteLength(value)} bytes, at most ${MAX_ARGUMENT_BYTES}. Write it into a file and name that`;
  if (value.includes('\0')) return `${name ?? 'an argument'} must not hold a NUL character`;
  return undefined;
}
