/**
 * Provides the names and parameters of tools to the parser of answers: resolves names (aliases, case and separators as in the registry) and
 * returns parameter schemas. Accepts definitions, names, or a registry.
 */
import { isRecord } from '../base/values/json.ts';
import { resolveToolName, createToolNameResolver } from './aliases.ts';
import { resolveArgumentAliases } from './argument-aliases.ts';
import { createToolRegistry } from './registry.ts';
import { standardTools } from './standard-tools.ts';
import type { ToolDefinition } from '../model/chat.ts';

/** The methods of a registry that the parser needs. */
export interface ToolSource {
  definitions(): readonly ToolDefinition[];
}

export type ToolsOption =
  readonly (ToolDefinition | { name: string; parameters?: object } | string)[] | ToolSource;

export interface KnownTools {
  /** Whether the caller listed the tools: JSON in prose then counts only if it names one of them. */
  readonly isExplicit: boolean;
  /** Returns the name that the model meant, without the decorations that templates add; an exact name of a tool is returned unchanged. */
  nameOf(written: string): string;
  /** Returns whether the registry would find a tool for `name`, aliases included. */
  isTool(name: string): boolean;
  /** Returns whether `name` is exactly a tool's own name. */
  isExact(name: string): boolean;
  /** Returns whether a call may change something; true for an unknown tool. */
  hasEffects(name: string): boolean;
  /** Returns the JSON Schema of a tool's parameters; undefined for an unknown tool. */
  schemaOf(name: string): Record<string, unknown> | undefined;
  /** Returns the names of all parameters and of the required ones; both empty for an unknown tool. */
  parametersOf(name: string): ParameterNames;
}

export interface ParameterNames {
  names: ReadonlySet<string>;
  required: readonly string[];
}

/** Indexes the tools by name. Never throws; invalid entries of `tools` are ignored. */
export function indexTools(tools: ToolsOption | undefined | null): KnownTools {
  const definitions: readonly unknown[] | undefined = Array.isArray(tools) ? tools : listDefinitions(tools);
  if (!definitions) return (cachedStandardTools ??= createKnownTools(false, getStandardSchemas()));
  return createKnownTools(true, new Map(definitions.flatMap(readDefinition)));
}

let cachedStandardTools: KnownTools | undefined;

function createKnownTools(
  isExplicit: boolean,
  schemas: ReadonlyMap<string, Record<string, unknown> | undefined>,
): KnownTools {
  const names = new Set(schemas.keys());
  const resolve = cacheResults(createToolNameResolver(names));
  const nameOf = cacheResults((written) => stripDecorations(written, names, resolve)) as (
    name: string,
  ) => string;
  const schemaOf = (name: string) => schemas.get(resolve(nameOf(name)) ?? '');
  return {
    isExplicit,
    nameOf,
    isTool: (name) => resolve(nameOf(name)) !== undefined,
    isExact: (name) => names.has(name),
    hasEffects: (name) => !EFFECTLESS_TOOLS.has(resolveToolName(nameOf(name)) ?? ''),
    schemaOf,
    parametersOf: (name) => {
      const { properties, required } = schemaOf(name) ?? {};
      return {
        names: new Set(isRecord(properties) ? Object.keys(properties) : []),
        required: Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [],
      };
    },
  };
}

/** Removes the prefixes, numbers and marks that templates add to a name, and markdown's escaped underscores. */
function stripDecorations(
  written: string,
  names: ReadonlySet<string>,
  resolve: (name: string) => string | undefined,
): string {
  const name = written.trim().replaceAll('\\_', '_');
  if (names.has(name)) return name;
  const unprefixed = name
    .replace(/<\|.*$/s, '')
    .replace(/:\d{1,9}$/, '')
    .replace(/^(?:functions|tools|default_api)[.:]/, '')
    .trim();
  const isConstrained = unprefixed.endsWith('json') && resolve(unprefixed) === undefined;
  const unconstrained = isConstrained ? unprefixed.slice(0, -'json'.length) : unprefixed;
  if (resolve(unconstrained) !== undefined) return unconstrained;
  return unprefixed === '' ? name : unprefixed;
}

const MAX_CACHED_NAMES = 1000;

/** Caches results of `resolve`, because an answer often repeats a name. */
function cacheResults(resolve: (name: string) => string | undefined): (name: string) => string | undefined {
  const cache = new Map<string, string | undefined>();
  return (name) => {
    const cachedName = cache.get(name);
    if (cachedName !== undefined || cache.has(name)) return cachedName;
    const resolvedName = resolve(name);
    if (cache.size < MAX_CACHED_NAMES) cache.set(name, resolvedName);
    return resolvedName;
  };
}

function listDefinitions(tools: unknown): readonly unknown[] | undefined {
  if (!isRecord(tools) || typeof tools.definitions !== 'function') return undefined;
  const definitions: unknown = (tools as unknown as ToolSource).definitions();
  return Array.isArray(definitions) ? definitions : undefined;
}

function readDefinition(tool: unknown): [string, Record<string, unknown> | undefined][] {
  if (typeof tool === 'string') return [[tool, findStandardSchema(tool)]];
  if (!isRecord(tool)) return [];
  const { name, parameters } = isRecord(tool.function) ? tool.function : tool;
  if (typeof name !== 'string') return [];
  return [[name, isRecord(parameters) ? addUnadvertised(name, parameters) : findStandardSchema(name)]];
}

/** Names of the standard tools that only read files or only change the plan. */
const EFFECTLESS_TOOLS: ReadonlySet<string> = new Set(
  standardTools.filter(({ readOnly, changes }) => readOnly || changes === 'plan').map(({ name }) => name),
);

let cachedStandardSchemas: ReadonlyMap<string, Record<string, unknown> | undefined> | undefined;

/** Returns the parameters of the standard tools, for callers that list none. */
function getStandardSchemas(): ReadonlyMap<string, Record<string, unknown> | undefined> {
  if (cachedStandardSchemas) return cachedStandardSchemas;
  const registry = createToolRegistry();
  return (cachedStandardSchemas = new Map(
    standardTools.map((tool) => {
      const { json } = registry.argumentsOf(tool);
      return [tool.name, isRecord(json) ? json : undefined];
    }),
  ));
}

/** Adds the parameters that a standard tool accepts but that are not sent to the model. */
function addUnadvertised(name: string, parameters: Record<string, unknown>): Record<string, unknown> {
  const { properties } = parameters;
  const { unadvertisedParameters = [] } = standardTools.find((tool) => tool.name === name) ?? {};
  const standardProperties =
    unadvertisedParameters.length > 0 ? findStandardSchema(name)?.properties : undefined;
  if (!isRecord(standardProperties) || !isRecord(properties)) return parameters;
  const unadvertisedProperties = Object.fromEntries(
    unadvertisedParameters.map((key) => [key, standardProperties[key]]),
  );
  return { ...parameters, properties: { ...unadvertisedProperties, ...properties } };
}

const findStandardSchema = (name: string): Record<string, unknown> | undefined =>
  getStandardSchemas().get(name);

/** Adds the aliases used in `args` to the schema, so that their values are converted, too. */
export function addAliases(
  schema: Record<string, unknown> | undefined,
  args: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (!schema || !isRecord(schema.properties)) return schema;
  const { properties } = schema;
  const names = new Set(Object.keys(properties));
  const aliases = Object.keys(args).flatMap((key) => {
    const canonical = names.has(key) || key.length > 60 ? undefined : findCanonicalName(key, names);
    return canonical === undefined ? [] : [[key, properties[canonical]] as const];
  });
  return aliases.length === 0
    ? schema
    : { ...schema, properties: { ...properties, ...Object.fromEntries(aliases) } };
}

/** Returns the tool's own name for the parameter alias `key`; undefined if `key` is no alias. */
export function findCanonicalName(key: string, properties: ReadonlySet<string>): string | undefined {
  return Object.keys(resolveArgumentAliases({ [key]: '1' }, properties)).find((name) => properties.has(name));
}
