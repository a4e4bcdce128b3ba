/**
 * Tools that the operator declares: a command with a schema. The command runs in the task's environment with its own
 * timeout, and no shell reads the model's values.
 */
import { commandOutput } from '../command-report.ts';
import { effectsOf, type ToolEffects } from '../types.ts';
import { type ParametersSchema, zodOf } from '../json-parameters.ts';
import {
  type OutputLimit,
  refusal,
  type RegisteredTool,
  type ToolContext,
  type ToolOutput,
} from '../types.ts';
import { quoteShellWords } from '../../base/values/shell-word.ts';

/** The configuration of one tool, with defaults filled in. */
export interface OwnToolSettings {
  name: string;
  description: string;
  parameters: {
    properties: Record<string, object & { enum?: readonly unknown[] | undefined }>;
    required: readonly string[];
  };
  command: CommandTemplate;
  effects: ToolEffects;
  timeoutMs: number;
  network: boolean;
}

type Arguments = Record<string, ArgumentValue | undefined>;

/** The end of a command's output matters most; the beginning shows its topic. */
const OUTPUT: OutputLimit = { maxChars: 30_000, mode: 'head_tail', maxLines: 256 };

export function ownTool(settings: OwnToolSettings): RegisteredTool {
  const { name, description, effects } = settings;
  const parameters = parametersOf(settings);
  return {
    name,
    description,
    schema: zodOf(parameters),
    parameters,
    ...effectsOf(effects),
    output: OUTPUT,
    execute: (args: Arguments, context) => run(settings, args, context),
  };
}

function parametersOf({ parameters: { properties, required } }: OwnToolSettings): ParametersSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

async function run(settings: OwnToolSettings, args: Arguments, context: ToolContext): Promise<ToolOutput> {
  const { name, command, timeoutMs, network, parameters } = settings;
  const listed = Object.entries(parameters.properties).filter(([, { enum: values }]) => values !== undefined);
  const filled = fillCommand(command, args, {
    names: new Set(Object.keys(parameters.properties)),
    trusted: new Set(listed.map(([parameter]) => parameter)),
  });
  if (!filled.ok) return refusal(`Invalid arguments for ${name}: ${filled.message}`);
  const { env, refuseCommand, signal, emit } = context;
  if (!env.execProgram) return refusal(`${name} cannot run here: this environment runs no programs`);
  const refused = await refuseCommand?.(quoteShellWords(filled.argv));
  if (refused !== undefined) return refusal(refused, { refused: true });
  const result = await env.execProgram(filled.argv, {
    timeoutMs,
    signal,
    onOutput: emit,
    ...(refuseCommand ? { vetted: true } : {}),
    ...(network ? { network } : {}),
  });
  const notes =
    result.exitCode === 127
      ? ['[127 means that a program is missing here: do the task without this tool]']
      : [];
  return commandOutput(result, timeoutMs, notes);
}

/** The arguments of a command; a nested list is included or omitted as a whole. */
export type CommandTemplate = readonly (string | readonly string[])[];

type ArgumentValue = string | number | boolean;
type FilledCommand = { ok: true; argv: string[] } | { ok: false; message: string };

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
