/** A task's wishes for its tools: names that narrow what there is. A wish that cannot be read is refused, as it may forbid something. */
import { z } from 'zod';
import type { Task } from '../../protocol/task.ts';
import type { ToolSelection } from '../../tools/selection.ts';

const names = z.array(z.string().min(1).max(64)).max(200);
const wishesSchema = z.object({
  tools_only: names.min(1).nullish(),
  tools_disabled: names.nullish(),
  tools_mcp: names.nullish(),
});

export interface ToolWishes extends ToolSelection {
  /** MCP servers, by name; undefined for all. */
  servers?: readonly string[];
}

/** Throws `task_tools_invalid`. */
export function wishesOf(metadata: Task['metadata']): ToolWishes {
  const read = wishesSchema.safeParse(metadata);
  if (!read.success) {
    const fields = [...new Set(read.error.issues.map(({ path }) => `metadata.${String(path[0])}`))];
    throw invalidTools(`${fields.join(', ')}: write a list of names`);
  }
  const { tools_only: only, tools_disabled: disabled, tools_mcp: servers } = read.data;
  return { only: only ?? undefined, disabled: disabled ?? undefined, servers: servers ?? undefined };
}

export const invalidTools = (message: string): Error =>
  Object.assign(new TypeError(message), { code: 'task_tools_invalid' });
