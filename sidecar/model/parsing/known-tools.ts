/**
 * What is known of the tools while an answer is read: whether a name is one of them (aliases, case and
 * separators as in the registry) and the schema of its parameters. Accepts what callers have: definitions,
 * names, or a registry.
 */
import type { ToolDefinition } from '../chat.ts';
import { builtInAliases, builtInTools, simpleName } from './built-in-tools.ts';
import { isRecord } from './json-value.ts';

/** A registry as the parser needs it. */
export interface ToolSource {
  definitions(): readonly ToolDefinition[];
  /** Resolves aliases; undefined for a tool that there is not. */
  get?(name: string): { name: string } | undefined;
}

export type ToolsOption =
  readonly (ToolDefinition | { name: string; parameters?: object } | string)[] | ToolSource;

export interface KnownTools {
  /** Callers named the tools: JSON in prose counts only when it names one of them. */
  readonly explicit: boolean;
  knows(name: string): boolean;
  /** JSON Schema of the parameters, undefined for an unknown tool. */
  schemaOf(name: string): Record<string, unknown> | undefined;
}

/** Never throws; what it does not understand in `tools` is left out. */
export function knownTools(tools: ToolsOption | undefined | null): KnownTools {
  if (!tools)
    return { explicit: false, knows: (name) => builtInTools.has(simpleName(name)), schemaOf: builtIn };
  const registry = Array.isArray(tools) ? undefined : (tools as ToolSource);
  const schemas = new Map<string, Record<string, unknown> | undefined>();
  for (const tool of registry ? registry.definitions() : (tools as readonly unknown[])) {
    const described = describe(tool);
    if (described) schemas.set(simpleName(described.name), described.parameters);
  }
  const resolve = (name: string): string | undefined => {
    const simple = simpleName(name);
    const other = builtInAliases.get(simple);
    return [simple, other, simpleName(registry?.get?.(name)?.name ?? '')].find(
      (candidate) => candidate !== undefined && schemas.has(candidate),
    );
  };
  return {
    explicit: true,
    knows: (name) => resolve(name) !== undefined,
    schemaOf(name) {
      const resolved = resolve(name);
      return resolved === undefined ? undefined : withAliases(schemas.get(resolved), builtIn(name));
    },
  };
}

function describe(tool: unknown): { name: string; parameters?: Record<string, unknown> } | undefined {
  if (typeof tool === 'string') return { name: tool };
  if (!isRecord(tool)) return undefined;
  const described = isRecord(tool.function) ? tool.function : tool;
  if (typeof described.name !== 'string') return undefined;
  const { name, parameters } = described;
  return isRecord(parameters) ? { name, parameters } : { name };
}

function builtIn(name: string): Record<string, unknown> | undefined {
  const schema = builtInTools.get(simpleName(name));
  return isRecord(schema) ? schema : undefined;
}

/** The tool's own schema, with the other parameter names of a standard tool beside its own. */
function withAliases(
  own: Record<string, unknown> | undefined,
  standard: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (!own || !standard) return own ?? standard;
  const ownProperties = isRecord(own.properties) ? own.properties : {};
  const standardProperties = isRecord(standard.properties) ? standard.properties : {};
  return { ...own, properties: { ...standardProperties, ...ownProperties } };
}
