/** Defines the schemas of the operator's MCP servers, and of the settings that a repository may contain. */
import * as z from 'zod';
import { isHttpAddress } from '../addresses/http-address.ts';
import { toolEffectsSchema } from './own-tools.ts';

const mcpServerSchema = z
  .strictObject({
    command: z.string().min(1).max(4_096).optional(),
    args: z.array(z.string().max(4_096)).max(100).default([]),
    url: z
      .string()
      .refine(isHttpAddress, { error: 'write an address such as http://127.0.0.1:3001/mcp' })
      .optional(),
    only: z.array(z.string().min(1).max(128)).min(1).max(64).optional(),
    timeoutMs: z.number().int().positive().max(3_600_000).default(60_000),
    env: z.record(z.string().max(128), z.string().max(8_192)).default({}),
    network: z.boolean().default(false),
    headers: z.record(z.string().max(128), z.string().max(8_192)).default({}),
    effects: toolEffectsSchema,
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'write either command (a program on this machine) or url (a server over HTTP)',
  })
  .refine(({ command }) => command?.startsWith('-') !== true, {
    path: ['command'],
    error: '`command` must start with a program, not an option',
  });

const serverNameSchema = z.string().regex(/^[A-Za-z][\w-]{0,31}$/u, {
  error: 'write a name of letters, digits, - and _ that begins with a letter, at most 32 characters',
});
const MAX_SERVERS = 16;

export const mcpServersSchema = z
  .record(serverNameSchema, mcpServerSchema)
  .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, {
    error: `configure at most ${MAX_SERVERS} servers`,
  });

/** Globs of files that a repository declares as files of its checks. */
export const repositoryProtectionSchema = z
  .looseObject({
    verification: z.looseObject({ protect: z.array(z.string().min(1).max(512)).max(100) }),
  })
  .transform(({ verification }) => verification.protect);
