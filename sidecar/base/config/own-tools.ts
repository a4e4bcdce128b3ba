/**
 * Defines the schema of a tool that the operator declares: a command whose arguments the model chooses. The schema checks each tool alone;
 * other modules detect conflicts between the names of tools.
 */
import * as z from 'zod';

/** Effects of a call: `none`, only changes to files of the workspace (`files`), or `any`. */
export const toolEffectsSchema = z.enum(['none', 'files', 'any']).default('any');

const createNameSchema = (maxChars: number) =>
  z.string().regex(new RegExp(`^[a-z][a-z0-9_]{0,${maxChars - 1}}$`), {
    error: `write a name of lower-case letters, digits and _ that begins with a letter, at most ${maxChars} characters, e.g. run_migration`,
  });

const parameterSchema = z.strictObject({
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

const parametersSchema = z
  .strictObject({
    type: z.literal('object').default('object'),
    properties: z.record(createNameSchema(40), parameterSchema).default({}),
    required: z.array(z.string()).default([]),
  })
  .prefault({});

const partSchema = z.string().max(4_096);

/** Returns the names of the parameters (written `{name}`) in an argument of a command. */
export const listParameterNames = (text: string): string[] =>
  [...text.matchAll(/\{([a-z][a-z0-9_]{0,39})\}/gu)].map(([, name = '']) => name);

export const ownToolSchema = z
  .strictObject({
    name: createNameSchema(40),
    description: z.string().min(1).max(500),
    parameters: parametersSchema,
    command: z
      .array(z.union([partSchema, z.array(partSchema).min(1).max(20)]))
      .min(1)
      .max(100),
    effects: toolEffectsSchema,
    timeoutMs: z.number().int().positive().max(3_600_000).default(60_000),
    network: z.boolean().default(false),
  })
  .superRefine(({ parameters: { properties, required }, command }, context) => {
    const addProblem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const [program] = command;
    if (
      typeof program !== 'string' ||
      program === '' ||
      program.startsWith('-') ||
      listParameterNames(program).length > 0
    )
      addProblem(['command', 0], '`command` must start with a program, not an option or a parameter');
    const usedNames = new Set(command.flat().flatMap(listParameterNames));
    for (const property of Object.keys(properties))
      if (!usedNames.has(property))
        addProblem(
          ['command'],
          `the command does not use the parameter ${property}; add {${property}} to it`,
        );
    for (const requiredName of required)
      if (!Object.hasOwn(properties, requiredName))
        addProblem(
          ['parameters', 'required'],
          `the required parameter ${requiredName} is not in \`properties\`; add it to \`properties\``,
        );
  });
