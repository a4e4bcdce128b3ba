/**
 * The tools that a task may use, by canonical name, in a fixed order: the standard ones, then those registered later
 * in the order of their registration. Definitions are computed once, so that the prompt stays the same bytes
 * from call to call and from task to task.
 */
import type { ToolDefinition } from '../model/chat.ts';
import { fold, isPossibleName, resolveToolName } from './aliases.ts';
import { argumentsSchema, toolDefinition, type ArgumentsSchema } from './definitions.ts';
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

export interface ToolRegistry {
  /** The tool that `name` means: canonical, in other case or separators, or an alias. */
  get(name: string): RegisteredTool | undefined;
  /** Canonical name, or undefined for no tool's. */
  resolveName(name: string): string | undefined;
  /** Adds a tool, or replaces the one of the same name in its place. */
  register(tool: RegisteredTool): void;
  names(): string[];
  /** For the request's `tools` field; the same object until a tool is registered. */
  definitions(): readonly ToolDefinition[];
  /** The tool's arguments as JSON Schema, for coercion. */
  argumentsOf(tool: RegisteredTool): ArgumentsSchema;
}

/** Schemas of tools never change; the standard ones are shared by all registries. */
const schemas = new WeakMap<RegisteredTool, ArgumentsSchema>();

function argumentsOf(tool: RegisteredTool): ArgumentsSchema {
  const known = schemas.get(tool);
  if (known) return known;
  const schema = argumentsSchema(tool);
  schemas.set(tool, schema);
  return schema;
}

export interface RegistryOptions {
  /** Which of all of them the model gets; default: all. */
  offers?: (tool: RegisteredTool) => boolean;
}

/** A registry with the standard tools and `tools` (which replace standard ones of the same name). */
export function createToolRegistry(
  tools: Iterable<RegisteredTool> = [],
  { offers = () => true }: RegistryOptions = {},
): ToolRegistry {
  const all = new Map([...standardTools, ...tools].map((tool) => [tool.name, tool]));
  const byName = new Map([...all].filter(([, tool]) => offers(tool)));
  let cached: readonly ToolDefinition[] | undefined;
  const byAlias = (name: string): string | undefined => {
    const wanted = isPossibleName(name) ? fold(name) : '';
    if (wanted === '') return undefined;
    return [...byName.values()].find((tool) => tool.aliases?.some((alias) => fold(alias) === wanted))?.name;
  };
  const resolveName = (name: string): string | undefined =>
    byName.has(name) ? name : (resolveToolName(name, byName.keys()) ?? byAlias(name));
  return {
    resolveName,
    argumentsOf,
    get: (name) => byName.get(resolveName(name) ?? ''),
    register: (tool) => {
      byName.set(tool.name, tool);
      cached = undefined;
    },
    names: () => [...byName.keys()],
    definitions: () =>
      (cached ??= Object.freeze([...byName.values()].map((tool) => toolDefinition(tool, argumentsOf(tool))))),
  };
}
