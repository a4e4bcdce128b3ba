/** Loads the configuration for a command and makes what every command needs of it. Throws `CommandError`. */
import { readFile } from 'node:fs/promises';
import { fromText } from '../config/layers.ts';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { configKeys } from '../config/schema-keys.ts';
import { errorMessage } from '../values/errors.ts';
import { usageError } from './exit-codes.ts';

/** Flags of a command that reads settings, most of which are settings; commander's names for them. */
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

/** The effective configuration of a command. */
export async function loadSettings(flags: CommandFlags): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    file: flags.config,
    flags: {
      'sandbox.mode': { flag: '--sandbox', value: flags.sandbox },
      'worker.concurrency': { flag: '--concurrency', value: flags.concurrency },
      'ollama.url': { flag: '--ollama-url', value: flags.ollamaUrl },
      // The server that is named is the only one.
      'ollama.endpoints': { flag: '--ollama-url', value: flags.ollamaUrl === undefined ? undefined : [] },
      'hub.url': { flag: '--hub-url', value: flags.hubUrl },
      'hub.agentId': { flag: '--agent-id', value: flags.agentId },
      'hub.tokenFile': { flag: '--token-file', value: flags.tokenFile },
      'embeddedHub.host': { flag: '--host', value: flags.host },
      'embeddedHub.port': { flag: '--port', value: flags.port },
      'embeddedHub.database': { flag: '--database', value: flags.database },
      ...namedSettings(flags.set),
    },
  });
  if (loaded.ok) return loaded.value;
  const problems = loaded.problems.map((problem) => `  ${problem}`).join('\n');
  throw usageError('config_invalid', `The configuration is not right:\n${problems}`);
}

/** Texts `key=value`, by key, each value by the type that the schema wants. */
function namedSettings(texts: readonly string[] = []): Record<string, { flag: string; value: unknown }> {
  const settings = texts.map((text) => {
    const [key = '', ...rest] = text.split('=');
    const known = configKeys.find(({ path }) => path === key);
    const value = known ? fromText(rest.join('='), known) : rest.join('=');
    return [key, { flag: `--set ${key}`, value }] as const;
  });
  return Object.fromEntries(settings);
}

/** A token from a file; trailing white space is not part of it. */
export async function readTokenFile(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw usageError('config_token_file', `The token file cannot be read: ${errorMessage(error)}`);
  }
  if (token === '') throw usageError('config_token_file', `The token file ${path} is empty.`);
  return checkToken(token, `The token file ${path}`);
}

/** A token is one word; more than that is often a whole output that was kept. Throws `CommandError`. */
export function checkToken(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/u.test(token)) return token;
  throw usageError(
    'config_token_file',
    `${where} holds more than a token: write the token alone, such as \`ollama-sidecar token NAME > FILE\` does.`,
  );
}

/** The webhooks of the embedded hub with the keys of their files. Throws `CommandError`. */
export const readWebhooks = ({
  webhooks,
}: Config['embeddedHub']): Promise<{ url: string; secret?: string }[]> =>
  Promise.all(
    webhooks.map(async ({ url, secretFile }) => ({
      url,
      ...(secretFile !== undefined && { secret: await readTokenFile(secretFile) }),
    })),
  );
