/** Schemas of MCP servers whose tools a model may use: the operator's, and those that a repository names. */
import * as z from 'zod';
import { isHttpAddress } from '../addresses/http-address.ts';
import { toolEffects } from './own-tools.ts';

const connection = {
  command: z.string().min(1).max(4_096).optional(),
  args: z.array(z.string().max(4_096)).max(100).default([]),
  url: z
    .string()
    .refine(isHttpAddress, { error: 'write an address such as http://127.0.0.1:3001/mcp' })
    .optional(),
};
const sharedFields = {
  only: z.array(z.string().min(1).max(128)).min(1).max(64).optional(),
  timeoutMs: z.number().int().positive().max(3_600_000).default(60_000),
};

/** Requires exactly one of `command` and `url`. */
const checkConnection = (
  { command, url }: { command?: string | undefined; url?: string | undefined },
  context: z.core.$RefinementCtx,
): void => {
  if ((command === undefined) === (url === undefined))
    context.addIssue({
      code: 'custom',
      message: 'write either command (a program on this machine) or url (a server over HTTP)',
    });
  if (command?.startsWith('-') === true)
    context.addIssue({
      code: 'custom',
      path: ['command'],
      message: '`command` must start with a program, not an option',
    });
};

const serverName = z.string().regex(/^[A-Za-z][\w-]{0,31}$/u, {
  error: 'write a name of letters, digits, - and _, at most 32 characters',
});
const MAX_SERVERS = 16;
const named = <Server extends z.ZodType>(server: Server) =>
  z.record(serverName, server).refine((servers) => Object.keys(servers).length <= MAX_SERVERS, {
    error: `name at most ${MAX_SERVERS} servers`,
  });

export const mcpServers = named(
  z
    .strictObject({
      ...connection,
      ...sharedFields,
      env: z.record(z.string().max(128), z.string().max(8_192)).default({}),
      network: z.boolean().default(false),
      headers: z.record(z.string().max(128), z.string().max(8_192)).default({}),
      effects: toolEffects,
    })
    .superRefine(checkConnection),
);

/**
 * The settings allowed in a repository's `.ollama-sidecar.json`: no variables, which would reach the program that
 * creates the sandbox, no network, no headers, no effects.
 */
export const repositorySettings = z.looseObject({
  tools: z
    .looseObject({
      mcp: named(z.strictObject({ ...connection, ...sharedFields }).superRefine(checkConnection)).default({}),
    })
    .prefault({}),
});

/** Globs of the files that a repository declares as files of its checks. */
export const repositoryProtection = z
  .looseObject({
    verification: z.looseObject({ protect: z.array(z.string().min(1).max(512)).max(100) }),
  })
  .transform(({ verification }) => verification.protect);
