/**
 * The tools of a task, by canonical name, in a fixed order: standard tools, then added ones. Definitions are computed
 * once, so that the prompt has the same bytes in every call and task.
 */
import type { ToolDefinition } from '../model/chat.ts';
import { fold, isPossibleName, toolNameResolver } from './aliases.ts';
import { argumentsSchema, toolDefinition, type ArgumentsSchema } from './definitions.ts';
import { memoize } from '../base/values/remembered.ts';
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

export interface ToolRegistry {
  /** Returns the tool for a canonical name, another case or separators, or an alias. */
  get(name: string): RegisteredTool | undefined;
  names(): string[];
  /** Returns the request's `tools` field; always the same object. */
  definitions(): readonly ToolDefinition[];
  /** Returns the tool's arguments as JSON Schema. */
  argumentsOf(tool: RegisteredTool): ArgumentsSchema;
}

/** Caches schemas, which never change; all registries share those of the standard tools. */
const argumentsOf = memoize(argumentsSchema);

/**
 * Creates a registry of the standard tools and `tools`, which replace standard ones of the same name. `offers`: whether
 * the model gets a tool.
 */
export function createToolRegistry(
  tools: Iterable<RegisteredTool> = [],
  offers: (tool: RegisteredTool) => boolean = () => true,
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
