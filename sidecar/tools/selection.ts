/** Which of the tools that there are a model gets: lists of the operator's and of the task's, all of which hold. Pure. */
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

/** Names of tools. `only` leaves nothing else, `disabled` takes away. */
export interface ToolSelection {
  only?: readonly string[] | undefined;
  disabled?: readonly string[] | undefined;
}

/** Tools that a task has besides the standard ones, and which of all of them its model gets. */
export interface Toolset {
  readonly added: readonly RegisteredTool[];
  readonly offers: (tool: RegisteredTool) => boolean;
}

/** Whether all lists let a tool of this name through. */
export const isWanted = (name: string, selections: readonly ToolSelection[]): boolean =>
  selections.every(({ only, disabled = [] }) => (only?.includes(name) ?? true) && !disabled.includes(name));

/** `isReadOnly`: tools that are there to change files are not offered; a command may still be run. */
export function toolsetOf(
  added: readonly RegisteredTool[],
  selections: readonly ToolSelection[],
  isReadOnly = false,
): Toolset {
  return {
    added,
    offers: ({ name, changes }) => isWanted(name, selections) && !(isReadOnly && changes === 'files'),
  };
}

/** The names in `selection` that are no tool's, `isKnown` asked for those that are no standard tool's. */
export function unknownNames(
  { only = [], disabled = [] }: ToolSelection,
  isKnown: (name: string) => boolean,
): string[] {
  const standard = new Set(standardTools.map(({ name }) => name));
  return [...new Set([...only, ...disabled])].filter((name) => !standard.has(name) && !isKnown(name));
}
