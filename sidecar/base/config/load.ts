/**
 * Loads the configuration. Each layer overrides the earlier ones: defaults, the user's files, the file of `--config`, environment
 * variables, flags. Reports all problems together, each with key, value, source and remedy.
 */
import type * as z from 'zod';
import {
  readEnvironmentLayer,
  readFileLayer,
  readFlagsLayer,
  readOpenTelemetryLayer,
  findUserConfigDir,
  listUserFiles,
  type Setting,
} from './layers.ts';
import { maskCredentials } from '../addresses/credentials.ts';
import { isRecord } from '../values/json.ts';
import { findNearest } from '../values/nearest.ts';
import { configKeys } from './schema-keys.ts';
import { configSchema, type Config } from './schema.ts';

export interface ConfigOptions {
  env?: NodeJS.ProcessEnv;
  /** Path of the file given by `--config`. */
  file?: string;
  /** Values of flags by setting, each with the flag as the user wrote it. */
  flags?: Record<string, { flag: string; value: unknown }>;
  /** Folder of the user's configuration files; default: the XDG folder. */
  userDir?: string;
}

/** Effective configuration, and the source of each setting that does not have its default. */
export interface LoadedConfig {
  config: Config;
  sources: Map<string, string>;
}

export type ConfigOutcome = { ok: true; value: LoadedConfig } | { ok: false; problems: string[] };

/** Reads all layers of settings and validates the result. Never rejects. */
export async function loadConfig(options: ConfigOptions = {}): Promise<ConfigOutcome> {
  const env = options.env ?? process.env;
  const namedFiles = options.file ? [options.file] : [];
  const paths = [...(await listUserFiles(options.userDir ?? findUserConfigDir(env))), ...namedFiles];
  const files = await Promise.all(paths.map(readFileLayer));
  const layers = [
    ...readOpenTelemetryLayer(env),
    ...files.flatMap((file) => file.settings),
    ...readEnvironmentLayer(env),
    ...readFlagsLayer(options.flags ?? {}),
  ];
  const settings = new Map(layers.map((setting) => [setting.path, setting]));
  const problems = files.flatMap((file) => file.problems);
  problems.push(...[...settings.values()].flatMap(reportUnknownKey));
  const knownSettings = [...settings.values()].filter((setting) => configPaths.has(setting.path));
  const parsed = configSchema.safeParse(nestSettings(knownSettings));
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => describeIssue(issue, settings)));
  if (problems.length > 0 || !parsed.success) return { ok: false, problems };
  return {
    ok: true,
    value: { config: parsed.data, sources: new Map(knownSettings.map(({ path, source }) => [path, source])) },
  };
}

const MASK = '****';
const configPaths = new Set(configKeys.map((key) => key.path));
const configSections = new Set(configKeys.map((key) => key.path.split('.')[0]));

function reportUnknownKey(setting: Setting): string[] {
  if (configPaths.has(setting.path)) return [];
  const isVariable = setting.source.startsWith('environment ');
  const candidates = configKeys.map((key) => (isVariable ? key.variable : key.path));
  const suggestion = findNearest(setting.path, candidates);
  if (configSections.has(setting.path))
    return [`${setting.path} (${setting.source}): write an object with the settings of this section`];
  const hint = suggestion ? `did you mean ${suggestion}?` : 'see `ollama-sidecar config --all` for all keys';
  return [`unknown key ${setting.path} (${setting.source}): ${hint}`];
}

function nestSettings(settings: readonly Setting[]): Record<string, Record<string, unknown>> {
  const result: Record<string, Record<string, unknown>> = {};
  for (const { path, value } of settings) {
    const [section = '', key = ''] = path.split('.');
    result[section] = { ...result[section], [key]: value };
  }
  return result;
}

/** Formats a problem: `worker.concurrency: 0 (environment SIDECAR_WORKER_CONCURRENCY): write a number ≥ 1`. */
function describeIssue(issue: z.core.$ZodIssue, settings: Map<string, Setting>): string {
  const path = issue.path.slice(0, 2).join('.');
  const setting = settings.get(path);
  const inner = issue.path.slice(2).join('.');
  const value = formatSetting(setting?.value) ?? 'nothing';
  const shownValue = /token|secret|password/iu.test(path) ? MASK : value.slice(0, 120);
  const sourceNote = setting ? ` (${setting.source})` : '';
  return `${path}${inner ? `.${inner}` : ''}: ${shownValue}${sourceNote}: ${describeExpected(issue)}`;
}

function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `write one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'write a value' : `write a value of at least ${issue.minimum}`;
    case 'too_big':
      return `write a value of at most ${issue.maximum}`;
    case 'invalid_type':
      return `write ${addArticle(issue.expected)}`;
    case 'unrecognized_keys':
      return issue.keys.length === 1
        ? `unknown key ${issue.keys.join()}; remove it`
        : `unknown keys ${issue.keys.join(', ')}; remove them`;
    default:
      return issue.message;
  }
}

/** Returns a setting as JSON, with passwords in addresses and values of MCP servers masked; undefined for none. */
export const formatSetting = (value: unknown): string | undefined =>
  JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'string') return maskCredentials(inner, MASK);
    const isSecret = (key === 'env' || key === 'headers') && isRecord(inner);
    return isSecret ? Object.fromEntries(Object.keys(inner).map((name) => [name, MASK])) : inner;
  });

const addArticle = (type: string): string => (/^[aeiou]/u.test(type) ? `an ${type}` : `a ${type}`);
