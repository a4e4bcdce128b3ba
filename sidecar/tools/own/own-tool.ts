/**
 * Runs tools that the operator declares: a command with a schema. The command runs in the task's environment with its own timeout, and no
 * shell interprets the model's values.
 */
import { buildCommandOutput } from '../command-report.ts';
import { effectsOf, type ToolEffects } from '../types.ts';
import { type ParametersSchema, zodSchemaOf } from '../json-parameters.ts';
import {
  type OutputLimit,
  buildRefusal,
  type RegisteredTool,
  type ToolContext,
  type ToolOutput,
} from '../types.ts';
import { quoteShellWords } from '../../base/values/shell-word.ts';

/** Configuration of one tool, with defaults filled in. */
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

type OwnToolArguments = Record<string, ArgumentValue | undefined>;

/**
 * Limit of a command's output. Beginning and end are retained, because errors are usually at the end, and the beginning shows what the
 * output is about.
 */
const OUTPUT_LIMIT: OutputLimit = { maxChars: 30_000, mode: 'head_tail', maxLines: 256 };

/** Creates the tool that an operator declared. */
export function createOwnTool(settings: OwnToolSettings): RegisteredTool {
  const { name, description, effects } = settings;
  const parameters = parametersSchemaOf(settings);
  return {
    name,
    description,
    schema: zodSchemaOf(parameters),
    parameters,
    ...effectsOf(effects),
    output: OUTPUT_LIMIT,
    execute: (args: OwnToolArguments, context) => runOwnTool(settings, args, context),
  };
}

function parametersSchemaOf({ parameters: { properties, required } }: OwnToolSettings): ParametersSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

async function runOwnTool(
  settings: OwnToolSettings,
  args: OwnToolArguments,
  context: ToolContext,
): Promise<ToolOutput> {
  const { name, command, timeoutMs, network, parameters } = settings;
  const enumParameters = Object.entries(parameters.properties).filter(
    ([, { enum: values }]) => values !== undefined,
  );
  const expansion = expandCommand(command, args, {
    names: new Set(Object.keys(parameters.properties)),
    trustedNames: new Set(enumParameters.map(([parameter]) => parameter)),
  });
  if (!expansion.ok) return buildRefusal(`Invalid arguments for ${name}: ${expansion.message}`);
  const { env, refuseCommand, signal, emit } = context;
  if (!env.execProgram)
    return buildRefusal(`${name} cannot run here: programs cannot be run in this environment`);
  const refusalReason = await refuseCommand?.(quoteShellWords(expansion.argv));
  if (refusalReason !== undefined) return buildRefusal(refusalReason, { refused: true });
  const result = await env.execProgram(expansion.argv, {
    timeoutMs,
    signal,
    onOutput: emit,
    ...(refuseCommand ? { isApproved: true } : {}),
    ...(network ? { network } : {}),
  });
  const notes =
    result.exitCode === 127
      ? ['[exit code 127 means that a program is missing here: do the task without this tool]']
      : [];
  return buildCommandOutput(result, timeoutMs, notes);
}

/** The arguments of a command. A nested list is a group, which is included or omitted as a whole. */
export type CommandTemplate = readonly (string | readonly string[])[];

type ArgumentValue = string | number | boolean;
type ExpandedCommand = { ok: true; argv: string[] } | { ok: false; message: string };

/** Maximum length of an argument; Linux allows 131 072 bytes. */
const MAX_ARGUMENT_BYTES = 100_000;
const PLACEHOLDER = /\{([a-z][a-z0-9_]{0,39})\}/gu;

/**
 * Expands the template to argv. `names`: names of all placeholders; `trustedNames`: those whose values the operator lists. An argument or a
 * group is omitted if one of its parameters is missing.
 */
export function expandCommand(
  template: CommandTemplate,
  args: Readonly<Record<string, ArgumentValue | undefined>>,
  parameters: { names: ReadonlySet<string>; trustedNames: ReadonlySet<string> },
): ExpandedCommand {
  const argv: string[] = [];
  const placeholdersOf = (text: string) =>
    [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name).filter((name) => parameters.names.has(name));
  for (const group of template.map((entry) => (typeof entry === 'string' ? [entry] : entry))) {
    if (group.flatMap(placeholdersOf).some((name) => args[name] === undefined)) continue;
    for (const text of group) {
      const value = text.replaceAll(PLACEHOLDER, (placeholder, name: string) =>
        parameters.names.has(name) ? String(args[name]) : placeholder,
      );
      const [first] = placeholdersOf(text);
      const problem = argumentProblemOf(value, {
        name: first,
        mayBeOption:
          first === undefined ||
          !startsWithPlaceholder(text, first) ||
          isTrusted(first) ||
          argv.includes('--'),
      });
      if (problem !== undefined) return { ok: false, message: problem };
      argv.push(value);
    }
  }
  return { ok: true, argv };

  function isTrusted(name: string): boolean {
    return parameters.trustedNames.has(name) || typeof args[name] !== 'string';
  }
}

const startsWithPlaceholder = (text: string, name: string): boolean => text.startsWith(`{${name}}`);

function argumentProblemOf(
  value: string,
  { name, mayBeOption }: { name: string | undefined; mayBeOption: boolean },
): string | undefined {
  if (!mayBeOption && value.startsWith('-'))
    return `${name} must not begin with "-": the program would take it for an option. A path can begin with "./" instead`;
  if (Buffer.byteLength(value) > MAX_ARGUMENT_BYTES)
    return `${name ?? 'an argument'} is too long for a command: ${Buffer.byteLength(value)} bytes, at most ${MAX_ARGUMENT_BYTES}. Write the value to a file and pass the path of the file`;
  if (value.includes('\0')) return `${name ?? 'an argument'} must not contain a NUL character`;
  return undefined;
}
