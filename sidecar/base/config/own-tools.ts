/**
 * The schema of a tool declared by the operator: a command whose arguments the model fills in. Only problems of a
 * single tool are refused here; name clashes with other tools are checked where those are known.
 */
import * as z from 'zod';

/** The effects of a call: on nothing, on files of the workspace, or on anything. */
export const toolEffects = z.enum(['none', 'files', 'any']).default('any');

const name = (maxChars: number) =>
  z.string().regex(new RegExp(`^[a-z][a-z0-9_]{0,${maxChars - 1}}$`), {
    error: `write a name of small letters, digits and _, at most ${maxChars} characters, e.g. run_migration`,
  });

const parameter = z.strictObject({
  type: z.enum(['string', 'integer', 'number', 'boolean']).default('string'),
  description: z.string().max(300).optional(),
  enum: z
    .array(z.union([z.string().max(200), z.number()]))
    .min(1)
    .max(100)
    .optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().int().positive().optional(),
});

const parameters = z
  .strictObject({
    type: z.literal('object').default('object'),
    properties: z.record(name(40), parameter).default({}),
    required: z.array(z.string()).default([]),
  })
  .prefault({});

const part = z.string().max(4_096);

/** Returns the names of the parameters, `{name}`, in a part of a command. */
export const parametersIn = (text: string): string[] =>
  [...text.matchAll(/\{([a-z][a-z0-9_]{0,39})\}/gu)].map(([, found = '']) => found);

export const ownTool = z
  .strictObject({
    name: name(40),
    description: z.string().min(1).max(500),
    parameters,
    command: z
      .array(z.union([part, z.array(part).min(1).max(20)]))
      .min(1)
      .max(100),
    effects: toolEffects,
    timeoutMs: z.number().int().positive().max(3_600_000).default(60_000),
    network: z.boolean().default(false),
  })
  .superRefine(({ parameters: { properties, required }, command }, context) => {
    const problem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const [program] = command;
    if (
      typeof program !== 'string' ||
      program === '' ||
      program.startsWith('-') ||
      parametersIn(program).length > 0
    )
      problem(['command', 0], '`command` must start with a program, not an option or a parameter');
    const filled = new Set(command.flat().flatMap(parametersIn));
    for (const given of Object.keys(properties))
      if (!filled.has(given)) problem(['command'], `put {${given}} where that parameter belongs`);
    for (const wanted of required)
      if (!Object.hasOwn(properties, wanted))
        problem(['parameters', 'required'], `${wanted} is not among the properties; add it there`);
  });
