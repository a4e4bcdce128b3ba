/** The effects of a declared tool, and how they show in the tool. */
import type { RegisteredTool } from './types.ts';

/** Nothing, files of the workspace, or anything. */
export type ToolEffects = 'none' | 'files' | 'any';

export const effectsOf = (effects: ToolEffects): Pick<RegisteredTool, 'readOnly' | 'changes'> => ({
  readOnly: effects === 'none',
  ...(effects === 'files' ? { changes: 'files' as const } : {}),
});
