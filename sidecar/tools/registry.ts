/**
 * Holds the tools of a task by canonical name, in a fixed order: standard tools, then added ones. Definitions are computed once, so that
 * the prompt has the same bytes in every call and task.
 */
import type { ToolDefinition } from '../model/chat.ts';
import { foldName, isPossibleName, createToolNameResolver } from './aliases.ts';
import { buildArgumentsSchema, buildToolDefinition, type ArgumentsSchema } from './definitions.ts';
import { memoize } from '../base/values/memoize.ts';
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

export interface ToolRegistry {
  /** Returns the tool for a canonical name, for a name in other case or with other separators, or for an alias. */
  get(name: string): RegisteredTool | undefined;
  names(): string[];
  /** Returns the definitions for the request's `tools` field; always the same object. */
  definitions(): readonly ToolDefinition[];
  /** Returns the tool's arguments as JSON Schema. */
  argumentsOf(tool: RegisteredTool): ArgumentsSchema;
}

/** Caches schemas, which never change; all registries share those of the standard tools. */
const argumentsOf = memoize(buildArgumentsSchema);

/**
 * Creates a registry of the standard tools and `tools`, which replace standard ones of the same name. `isOffered`: whether a tool is
 * offered to the model.
 */
export function createToolRegistry(
  tools: Iterable<RegisteredTool> = [],
  isOffered: (tool: RegisteredTool) => boolean = () => true,
): ToolRegistry {
  const allTools = new Map([...standardTools, ...tools].map((tool) => [tool.name, tool]));
  const byName = new Map([...allTools].filter(([, tool]) => isOffered(tool)));
  const offeredTools = [...byName.values()];
  const resolve = createToolNameResolver(byName.keys());
  let definitions: readonly ToolDefinition[] | undefined;
  const findByAlias = (name: string): RegisteredTool | undefined => {
    const foldedName = isPossibleName(name) ? foldName(name) : '';
    if (foldedName === '') return undefined;
    return offeredTools.find((tool) => tool.aliases?.some((alias) => foldName(alias) === foldedName));
  };
  return {
    argumentsOf,
    get: (name) => byName.get(name) ?? byName.get(resolve(name) ?? '') ?? findByAlias(name),
    names: () => [...byName.keys()],
    definitions: () =>
      (definitions ??= Object.freeze(
        offeredTools.map((tool) => buildToolDefinition(tool, argumentsOf(tool))),
      )),
  };
}
