/**
 * Reads the layers of settings: files, environment variables and flags. A layer is a list of keys with value and source. Later layers
 * override earlier ones.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHttpAddress } from '../addresses/http-address.ts';
import { findProgramFolder } from '../system/home-folder.ts';
import { errorMessage } from '../values/errors.ts';
import { isRecord, removeByteOrderMark } from '../values/json.ts';
import { configKeys, type ConfigKey } from './schema-keys.ts';

/** A value and its source, such as `environment SIDECAR_HUB_URL` or `file /etc/sidecar.json`. */
export interface Setting {
  path: string;
  value: unknown;
  source: string;
}

/** Settings of a configuration file, and the problems of the file. */
export interface FileLayer {
  settings: Setting[];
  problems: string[];
}

/** Environment variables that are settings but lack the prefix `SIDECAR_`, because other programs set them or users type them often. */
const VARIABLE_ALIASES: Record<string, string> = {
  OLLAMA_HOST: 'ollama.url',
  SIDECAR_TOKEN: 'hub.token',
  SIDECAR_STATE_DIR: 'worker.stateDir',
  SIDECAR_DATA_DIR: 'worker.dataDir',
  SIDECAR_MODEL: 'model.default',
  SIDECAR_LOG_LEVEL: 'observability.logLevel',
};
/** Environment variables that begin with `SIDECAR_` but are no settings. */
const NON_SETTING_VARIABLES = new Set(['SIDECAR_TASK_MARKER', 'SIDECAR_HUB_API', 'SIDECAR_HUB_API_TOKEN']);

/** Returns the folder of the user's configuration files, below the XDG folder. */
export const findUserConfigDir = (env?: NodeJS.ProcessEnv): string => findProgramFolder('CONFIG', env);

/** Returns the path of the user's model catalogue. */
export const findUserModelsFile = (): string => join(findUserConfigDir(), 'models.json');

/**
 * Returns the paths of the configuration files in the user's folder, sorted by name: all `*.json` except the model catalogue `models.json`.
 */
export async function listUserFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json') && name !== 'models.json').sort();
  return files.map((name) => join(dir, name));
}

/** Reads the settings of one JSON file. */
export async function readFileLayer(path: string): Promise<FileLayer> {
  let content: unknown;
  try {
    content = JSON.parse(removeByteOrderMark(await readFile(path, 'utf8')));
  } catch (error) {
    const reason =
      error instanceof SyntaxError
        ? `is not valid JSON: ${error.message}`
        : `cannot be read: ${errorMessage(error)}`;
    return { settings: [], problems: [`${path} ${reason}`] };
  }
  if (!isRecord(content)) return { settings: [], problems: [`${path} must contain one JSON object`] };
  const { $schema: _schema, ...sections } = content;
  return { settings: flatten(sections, `file ${path}`), problems: [] };
}

function flatten(sections: Record<string, unknown>, source: string): Setting[] {
  return Object.entries(sections).flatMap(([section, value]) => {
    if (!isRecord(value)) return [{ path: section, value, source }];
    return Object.entries(value).map(([key, inner]) => ({ path: `${section}.${key}`, value: inner, source }));
  });
}

/** Returns the settings in environment variables, parsed by the types of the schema. */
export function readEnvironmentLayer(env: NodeJS.ProcessEnv): Setting[] {
  const byVariable = new Map(configKeys.map((key) => [key.variable, key]));
  const byPath = new Map(configKeys.map((key) => [key.path, key]));
  const settings: Setting[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || text === '' || NON_SETTING_VARIABLES.has(variable)) continue;
    const alias = VARIABLE_ALIASES[variable];
    const key = alias ? byPath.get(alias) : byVariable.get(variable);
    const source = `environment ${variable}`;
    if (key) settings.push({ path: key.path, value: parseEnvValue(text, key), source });
    else if (variable.startsWith('SIDECAR_')) settings.push({ path: variable, value: text, source });
  }
  return settings;
}

/**
 * Returns the address of the telemetry collector from OpenTelemetry's own variable. All other layers override it. Ignores addresses that
 * this program cannot use, such as a gRPC address without a scheme.
 */
export function readOpenTelemetryLayer(env: NodeJS.ProcessEnv): Setting[] {
  const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const value = env[variable];
  if (!value || !isHttpAddress(value) || env.OTEL_SDK_DISABLED === 'true') return [];
  return [{ path: 'observability.otlpEndpoint', value, source: `environment ${variable}` }];
}

/** Converts the given command-line flags to settings. */
export const readFlagsLayer = (flags: Record<string, { flag: string; value: unknown }>): Setting[] =>
  Object.entries(flags)
    .filter(([, { value }]) => value !== undefined)
    .map(([path, { flag, value }]) => ({ path, value, source: `flag ${flag}` }));

/**
 * Parses the text of a variable by the type in the schema. A text that does not have this type is returned unchanged, and the schema
 * reports it.
 */
export function parseEnvValue(text: string, { schema }: Pick<ConfigKey, 'schema'>): unknown {
  const types = typesOf(schema);
  if (types.has('boolean') && /^(true|false|1|0|yes|no|on|off)$/iu.test(text))
    return /^(true|1|yes|on)$/iu.test(text);
  if ((types.has('number') || types.has('integer')) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if ((types.has('array') || types.has('object')) && /^\s*[[{]/u.test(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  if (types.has('array') && !types.has('string')) return text.split(',').map((part) => part.trim());
  return text;
}

function typesOf(schema: Record<string, unknown>): Set<string> {
  const types = new Set<string>();
  if (typeof schema.type === 'string') types.add(schema.type);
  for (const option of (schema.anyOf ?? []) as Record<string, unknown>[]) {
    for (const type of typesOf(option)) types.add(type);
  }
  return types;
}
