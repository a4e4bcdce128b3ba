/** Loads the configuration and tokens of a command. Throws `CommandError`. */
import { readFile } from 'node:fs/promises';
import { parseEnvValue } from '../base/config/layers.ts';
import { loadConfig, type LoadedConfig } from '../base/config/load.ts';
import type { Config } from '../base/config/schema.ts';
import { configKeys } from '../base/config/schema-keys.ts';
import { errorMessage } from '../base/values/errors.ts';
import { createUsageError } from './exit-codes.ts';

/** Flags of commands that read settings, by commander's names. */
export interface CommandFlags {
  json?: boolean;
  config?: string;
  sandbox?: string;
  concurrency?: number | 'auto';
  ollamaUrl?: string;
  hubUrl?: string;
  agentId?: string;
  tokenFile?: string;
  host?: string;
  port?: number;
  database?: string;
  /** Any settings, as `key=value`. */
  set?: string[];
}

/** Returns the effective configuration of a command. */
export async function loadSettings(flags: CommandFlags): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    file: flags.config,
    flags: {
      'sandbox.mode': { flag: '--sandbox', value: flags.sandbox },
      'worker.concurrency': { flag: '--concurrency', value: flags.concurrency },
      'ollama.url': { flag: '--ollama-url', value: flags.ollamaUrl },
      // A server given by the flag replaces all configured servers.
      'ollama.endpoints': { flag: '--ollama-url', value: flags.ollamaUrl === undefined ? undefined : [] },
      'hub.url': { flag: '--hub-url', value: flags.hubUrl },
      'hub.agentId': { flag: '--agent-id', value: flags.agentId },
      'hub.tokenFile': { flag: '--token-file', value: flags.tokenFile },
      'embeddedHub.host': { flag: '--host', value: flags.host },
      'embeddedHub.port': { flag: '--port', value: flags.port },
      'embeddedHub.database': { flag: '--database', value: flags.database },
      ...parseNamedSettings(flags.set),
    },
  });
  if (loaded.ok) return loaded.value;
  const problems = loaded.problems.map((problem) => `  ${problem}`).join('\n');
  throw createUsageError('config_invalid', `The configuration is invalid:\n${problems}`);
}

/** Parses `key=value` texts to values of the types that the schema declares. */
function parseNamedSettings(texts: readonly string[] = []): Record<string, { flag: string; value: unknown }> {
  const settings = texts.map((text) => {
    const [key = '', ...rest] = text.split('=');
    const configKey = configKeys.find(({ path }) => path === key);
    const value = configKey ? parseEnvValue(rest.join('='), configKey) : rest.join('=');
    return [key, { flag: `--set ${key}`, value }] as const;
  });
  return Object.fromEntries(settings);
}

/** Reads a token from a file, without trailing white space. */
export async function readTokenFile(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw createUsageError('config_token_file', `The token file cannot be read: ${errorMessage(error)}`);
  }
  if (token === '') throw createUsageError('config_token_file', `The token file ${path} is empty.`);
  return checkToken(token, `The token file ${path}`);
}

/**
 * Returns the token if it is one word. Throws `CommandError` for a longer text, which often is the whole output of a
 * command.
 */
export function checkToken(token: string, origin: string): string {
  if (/^[\x21-\x7e]+$/u.test(token)) return token;
  throw createUsageError(
    'config_token_file',
    `${origin} contains more than a token: write only the token, as \`ollama-sidecar token NAME > FILE\` does.`,
  );
}

/** Returns the webhooks of the embedded hub with the secrets from their files. Throws `CommandError`. */
export const readWebhooks = ({
  webhooks,
}: Config['embeddedHub']): Promise<{ url: string; secret?: string }[]> =>
  Promise.all(
    webhooks.map(async ({ url, secretFile }) => ({
      url,
      ...(secretFile !== undefined && { secret: await readTokenFile(secretFile) }),
    })),
  );
