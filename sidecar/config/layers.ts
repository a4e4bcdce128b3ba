/**
 * Where settings come from: each layer is a flat list of key and value with the place it stands
 * in, so that a later layer wins and every value can say where it came from.
 */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHttpAddress } from '../addresses/http-address.ts';
import { ownFolder } from '../system/home-folder.ts';
import { errorMessage } from '../values/errors.ts';
import { isRecord, withoutByteOrderMark } from '../values/json.ts';
import { configKeys, type ConfigKey } from './schema-keys.ts';

/** One value and where it was found, such as `environment SIDECAR_HUB_URL` or `file /etc/sidecar.json`. */
export interface Setting {
  path: string;
  value: unknown;
  source: string;
}

/** What files say, and what is wrong with the files themselves. */
export interface FileLayer {
  settings: Setting[];
  problems: string[];
}

/** Variables with names of their own: other programs set them, or a person types them often. */
const ALIASES: Record<string, string> = {
  OLLAMA_HOST: 'ollama.url',
  SIDECAR_TOKEN: 'hub.token',
  SIDECAR_STATE_DIR: 'worker.stateDir',
  SIDECAR_DATA_DIR: 'worker.dataDir',
  SIDECAR_MODEL: 'model.default',
  SIDECAR_LOG_LEVEL: 'observability.logLevel',
};
/** Read elsewhere, or by tests and continuous integration; not settings. */
const NOT_SETTINGS = new Set(['SIDECAR_TASK_MARKER', 'SIDECAR_HUB_API', 'SIDECAR_HUB_API_TOKEN']);

/** Folder of the user's configuration files, by XDG. */
export const userConfigDir = (env?: NodeJS.ProcessEnv): string => ownFolder('CONFIG', env);

/** The user's catalogue of models. */
export const userModelsFile = (): string => join(userConfigDir(), 'models.json');

/** All `*.json` files of the user's folder in the order of their names; `models.json` is the catalogue's. */
export async function userFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json') && name !== 'models.json').sort();
  return files.map((name) => join(dir, name));
}

/** The settings of one JSON file. */
export async function fileLayer(path: string): Promise<FileLayer> {
  let content: unknown;
  try {
    content = JSON.parse(withoutByteOrderMark(await readFile(path, 'utf8')));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? `is not valid JSON: ${error.message}`
        : `cannot be read: ${errorMessage(error)}`;
    return { settings: [], problems: [`${path} ${why}`] };
  }
  if (!isRecord(content)) return { settings: [], problems: [`${path} must hold one JSON object`] };
  const { $schema: _schema, ...sections } = content;
  return { settings: flatten(sections, `file ${path}`), problems: [] };
}

function flatten(sections: Record<string, unknown>, source: string): Setting[] {
  return Object.entries(sections).flatMap(([section, value]) => {
    if (!isRecord(value)) return [{ path: section, value, source }];
    return Object.entries(value).map(([key, inner]) => ({ path: `${section}.${key}`, value: inner, source }));
  });
}

/** The settings among the environment's variables, read by the type that the schema wants. */
export function environmentLayer(env: NodeJS.ProcessEnv): Setting[] {
  const byVariable = new Map(configKeys.map((key) => [key.variable, key]));
  const byPath = new Map(configKeys.map((key) => [key.path, key]));
  const settings: Setting[] = [];
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || text === '' || NOT_SETTINGS.has(variable)) continue;
    const alias = ALIASES[variable];
    const key = alias ? byPath.get(alias) : byVariable.get(variable);
    const source = `environment ${variable}`;
    if (key) settings.push({ path: key.path, value: fromText(text, key), source });
    else if (variable.startsWith('SIDECAR_')) settings.push({ path: variable, value: text, source });
  }
  return settings;
}

/**
 * The OpenTelemetry variable that all programs share; every other layer wins over it. Values for other programs (a gRPC
 * address without a scheme) are ignored.
 */
export function openTelemetryLayer(env: NodeJS.ProcessEnv): Setting[] {
  const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const value = env[variable];
  if (!value || !isHttpAddress(value) || env.OTEL_SDK_DISABLED === 'true') return [];
  return [{ path: 'observability.otlpEndpoint', value, source: `environment ${variable}` }];
}

/** Flags as commander gives them, by key; undefined ones were not given. */
export const flagsLayer = (flags: Record<string, { flag: string; value: unknown }>): Setting[] =>
  Object.entries(flags)
    .filter(([, { value }]) => value !== undefined)
    .map(([path, { flag, value }]) => ({ path, value, source: `flag ${flag}` }));

/** Reads a variable's text; what does not fit stays text, and the schema then says what is wanted. */
export function fromText(text: string, { schema }: Pick<ConfigKey, 'schema'>): unknown {
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
