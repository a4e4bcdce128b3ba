/** The standard tools, in the order in which they are sent to the model. */
import { applyPatchTool } from './apply-patch.ts';
import { editFileTool } from './edit-file.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import { shellTool } from './shell.ts';
import type { RegisteredTool } from './types.ts';
import { updatePlanTool } from './update-plan.ts';
import { writeFileTool } from './write-file.ts';

export const standardTools: readonly RegisteredTool[] = [
  readFileTool,
  writeFileTool,
  editFileTool,
  applyPatchTool,
  shellTool,
  grepTool,
  globTool,
  listDirectoryTool,
  updatePlanTool,
];
