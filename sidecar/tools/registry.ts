/**
 * The tools that a task may use, by canonical name, in a fixed order: the standard ones, then those added
 * in their own order. Definitions are computed once, so that the prompt stays the same bytes
 * from call to call and from task to task.
 */
import type { ToolDefinition } from '../model/chat.ts';
import { fold, isPossibleName, toolNameResolver } from './aliases.ts';
import { argumentsSchema, toolDefinition, type ArgumentsSchema } from './definitions.ts';
import { remembered } from '../values/remembered.ts';
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

export interface ToolRegistry {
  /** The tool that `name` means: canonical, in other case or separators, or an alias. */
  get(name: string): RegisteredTool | undefined;
  names(): string[];
  /** For the request's `tools` field; always the same object. */
  definitions(): readonly ToolDefinition[];
  /** The tool's arguments as JSON Schema, for coercion. */
  argumentsOf(tool: RegisteredTool): ArgumentsSchema;
}

/** Schemas of tools never change; the standard ones are shared by all registries. */
const argumentsOf = remembered(argumentsSchema);

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
  const offered = [...byName.values()];
  const resolve = toolNameResolver(byName.keys());
  let definitions: readonly ToolDefinition[] | undefined;
  const byAlias = (name: string): RegisteredTool | undefined => {
    const wanted = isPossibleName(name) ? fold(name) : '';
    if (wanted === '') return undefined;
    return offered.find((tool) => tool.aliases?.some((alias) => fold(alias) === wanted));
  };
  return {
    argumentsOf,
    get: (name) => byName.get(name) ?? byName.get(resolve(name) ?? '') ?? byAlias(name),
    names: () => [...byName.keys()],
    definitions: () =>
      (definitions ??= Object.freeze(offered.map((tool) => toolDefinition(tool, argumentsOf(tool))))),
  };
}
