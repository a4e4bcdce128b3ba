/**
 * Derives the keys of the configuration from its schema, for environment variables, suggestions and the generated reference.
 */
import * as z from 'zod';
import { configSchema } from './schema.ts';

/** One setting. `path`: such as `hub.tokenFile`; `variable`: its environment variable. */
export interface ConfigKey {
  readonly path: string;
  readonly variable: string;
  /** Whether users seldom change the value. Short lists omit such settings. */
  readonly isRare: boolean;
  /** JSON Schema of the value. It is created on first use, because most commands need few schemas. */
  readonly schema: Record<string, unknown>;
}

/** Returns the configuration's JSON Schema, for editors and documentation. */
export function createConfigJsonSchema(): object {
  return { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'ollama-sidecar configuration' };
}

/** Keys of the main settings, which the command `config` prints even if they have their defaults. */
export const MAIN_KEYS: readonly string[] = [
  'hub.url',
  'hub.tokenFile',
  'hub.labels',
  'ollama.url',
  'ollama.slots',
  'ollama.maxContextTokens',
  'model.default',
  'worker.concurrency',
  'sandbox.mode',
  'workspace.prepare',
  'limits.agenticTimeoutMs',
  'budgets.perDay',
];

/** All settings in the schema's order. */
export const configKeys: readonly ConfigKey[] = Object.entries(configSchema.shape).flatMap(
  ([section, schema]) =>
    Object.entries<z.ZodType>(schema.unwrap().shape).map(([name, value]) => ({
      path: `${section}.${name}`,
      isRare: value.meta()?.rare === true,
      variable: formatVariableName([section, name]),
      get schema() {
        const { $schema: _dialect, ...rest } = z.toJSONSchema(value, { io: 'input' });
        return rest;
      },
    })),
);

/** Returns a setting's environment variable: `hub.tokenFile` → `SIDECAR_HUB_TOKEN_FILE`. */
function formatVariableName(path: readonly string[]): string {
  const snake = path.map((part) => part.replace(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase());
  return `SIDECAR_${snake.join('_')}`;
}
