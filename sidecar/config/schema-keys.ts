/**
 * The keys of the configuration as the schema knows them: for environment variables, for suggestions and for the
 * generated reference. Read from the schema, so that there is one list only.
 */
import { z } from 'zod';
import { configSchema } from './schema.ts';

/** One setting: `path` like `hub.tokenFile`; `variable` is its environment variable. */
export interface ConfigKey {
  path: string;
  variable: string;
  /** JSON Schema of its value. */
  schema: Record<string, unknown>;
}

const jsonSchema = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchemaObject;

interface JsonSchemaObject {
  type?: string;
  properties?: Record<string, JsonSchemaObject>;
  additionalProperties?: unknown;
  [key: string]: unknown;
}

/** The configuration's JSON Schema, for editors and for documentation. */
export function configJsonSchema(): object {
  return { ...jsonSchema, title: 'ollama-sidecar configuration' };
}

/** Every setting, in the schema's order. */
export const configKeys: readonly ConfigKey[] = collect(jsonSchema, []);

function collect(schema: JsonSchemaObject, path: readonly string[]): ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const childPath = [...path, name];
    // A section has properties; a record of anything (limits by tier) is one setting.
    if (child.properties && path.length === 0) return collect(child, childPath);
    return [{ path: childPath.join('.'), variable: variableName(childPath), schema: child }];
  });
}

/** `hub.tokenFile` → `SIDECAR_HUB_TOKEN_FILE`. */
function variableName(path: readonly string[]): string {
  const snake = path.map((part) => part.replace(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase());
  return `SIDECAR_${snake.join('_')}`;
}
