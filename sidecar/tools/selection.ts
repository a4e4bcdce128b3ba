/** Selects the tools that are offered to a model. A tool must be allowed by all lists of the operator and of the task. Pure. */
import { standardTools } from './standard-tools.ts';
import type { RegisteredTool } from './types.ts';

/** Selection of tools by name: `only` excludes all other tools; `disabled` excludes the listed tools. */
export interface ToolSelection {
  only?: readonly string[] | undefined;
  disabled?: readonly string[] | undefined;
}

/** The tools of a task besides the standard ones, and the choice of tools that are offered to the model. */
export interface Toolset {
  readonly addedTools: readonly RegisteredTool[];
  readonly isOffered: (tool: RegisteredTool) => boolean;
}

/** Returns whether all lists allow a tool of this name. */
export const isSelected = (name: string, selections: readonly ToolSelection[]): boolean =>
  selections.every(({ only, disabled = [] }) => (only?.includes(name) ?? true) && !disabled.includes(name));

/** Builds a toolset. `isReadOnly`: excludes tools whose purpose is to change files; commands may still run. */
export function createToolset(
  addedTools: readonly RegisteredTool[],
  selections: readonly ToolSelection[],
  isReadOnly = false,
): Toolset {
  return {
    addedTools,
    isOffered: ({ name, changes }) => isSelected(name, selections) && !(isReadOnly && changes === 'files'),
  };
}

/** Returns the names in `selection` that are neither standard tools nor known to `isKnown`. */
export function findUnknownNames(
  { only = [], disabled = [] }: ToolSelection,
  isKnown: (name: string) => boolean,
): string[] {
  const standard = new Set(standardTools.map(({ name }) => name));
  return [...new Set([...only, ...disabled])].filter((name) => !standard.has(name) && !isKnown(name));
}
