/**
 * Tools that the operator declares: a command with a schema. One is a tool like any other; its command runs in the
 * task's environment, with its own time limit, and no shell reads what the model fills in.
 */
import { commandOutput } from '../command-report.ts';
import { effectsOf, type ToolEffects } from '../effects.ts';
import { zodOf, type ParametersSchema } from '../json-parameters.ts';
import type { OutputLimit, RegisteredTool, ToolContext, ToolOutput } from '../types.ts';
import { shellWords } from '../../values/shell-word.ts';
import { fillCommand, type ArgumentValue, type CommandTemplate } from './command-template.ts';

/** As the configuration has it, defaults filled in. */
export interface OwnToolSettings {
  name: string;
  description: string;
  parameters: { properties: Record<string, ParameterSettings>; required: readonly string[] };
  command: CommandTemplate;
  effects: ToolEffects;
  timeoutMs: number;
  network: boolean;
}

interface ParameterSettings {
  type: 'string' | 'integer' | 'number' | 'boolean';
  enum?: readonly (string | number)[] | undefined;
  description?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  maxLength?: number | undefined;
}

type Arguments = Record<string, ArgumentValue | undefined>;

/** The end of a command's output says most, and the beginning what it was about. */
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
  const known = Object.entries(properties).map(
    ([name, schema]) =>
      [name, Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))] as const,
  );
  return {
    type: 'object',
    properties: Object.fromEntries(known),
    ...(required.length > 0 ? { required } : {}),
  };
}

async function run(settings: OwnToolSettings, args: Arguments, context: ToolContext): Promise<ToolOutput> {
  const { name, command, timeoutMs, network, parameters } = settings;
  const listed = Object.entries(parameters.properties).filter(([, { enum: values }]) => values !== undefined);
  const filled = fillCommand(command, args, {
    names: new Set(Object.keys(parameters.properties)),
    trusted: new Set(listed.map(([parameter]) => parameter)),
  });
  if (!filled.ok) return { text: `Invalid arguments for ${name}: ${filled.message}`, isError: true };
  const { env, refuseCommand, signal, emit } = context;
  if (!env.execProgram) return { text: `${name} cannot run here: there are no programs`, isError: true };
  const refusal = await refuseCommand?.(shellWords(filled.argv));
  if (refusal !== undefined) return { text: refusal, isError: true, details: { refused: true } };
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
