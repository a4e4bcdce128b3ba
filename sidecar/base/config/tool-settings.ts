/** Defines the schema of the settings `tools.*`. */
import * as z from 'zod';
import { mcpServersSchema } from './mcp-servers.ts';
import { ownToolSchema } from './own-tools.ts';
import { describeRareSetting } from './rare-setting.ts';

const positiveInteger = z.number().int().positive();
const stringList = z.array(z.string()).default([]);

export const toolsShape = {
  outputLimits: z
    .record(z.string(), positiveInteger)
    .default({})
    .meta(describeRareSetting('Maximum characters of output by tool, e.g. {"shell": 10000}')),
  lineLimits: z
    .record(z.string(), positiveInteger)
    .default({})
    .meta(describeRareSetting('Maximum lines of output by tool, e.g. {"shell": 200}')),
  protectedPaths: stringList.describe(
    'Globs of files that tools must not write, in addition to the built-in ones',
  ),
  only: z
    .array(z.string().min(1).max(64))
    .min(1)
    .optional()
    .describe('The only tools that a model gets; a task may narrow the list (`metadata.tools_only`)'),
  disabled: z
    .array(z.string().min(1).max(64))
    .default([])
    .describe('Tools that no model gets; a task may add to the list (`metadata.tools_disabled`)'),
  own: z.array(ownToolSchema).max(32).default([]).describe('Tools of your own ([TOOLS.md](TOOLS.md))'),
  mcp: mcpServersSchema.default({}).describe('MCP servers by name ([TOOLS.md](TOOLS.md#mcp-servers))'),
  mcpSchemaBytes: positiveInteger
    .default(4_000)
    .meta(
      describeRareSetting(
        'Maximum size in bytes of all MCP tool definitions in the prompt; further tools are offered by name only',
      ),
    ),
};
