/**
 * Tools that the operator declares: a command with a schema. The command runs in the task's environment with its own
 * timeout, and no shell reads the model's values.
 */
import { commandOutput } from '../command-report.ts';
import { effectsOf, type ToolEffects } from '../effects.ts';
import { zodOf, type ParametersSchema } from '../json-parameters.ts';
import {
  refusal,
  type OutputLimit,
  type RegisteredTool,
  type ToolContext,
  type ToolOutput,
} from '../types.ts';
import { shellWords } from '../../values/shell-word.ts';
import { fillCommand, type ArgumentValue, type CommandTemplate } from './command-template.ts';

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
  if (!env.execProgram) return refusal(`${name} cannot run here: there are no programs`);
  const refused = await refuseCommand?.(shellWords(filled.argv));
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
