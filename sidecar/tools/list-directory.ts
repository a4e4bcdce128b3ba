/** The tool `list_directory`: the entries of a folder, with type and size; the environment limits number and depth. */
import * as z from 'zod';
import type { DirectoryListing } from '../base/ports.ts';
import { FOLDER_NAMES, PATTERN_PARAMETER_ALIASES } from './path-names.ts';
import { buildNothingFound, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

const schema = z.object({
  path: z.string().optional(),
  recursive: z.boolean().optional(),
  pattern: z.string().optional().describe('glob'),
});

/** Formats folders as `src/`, files as `src/a.ts (42 bytes)`, others as `x (symlink)`. */
async function listDirectory(
  args: z.output<typeof schema>,
  { env, signal }: ToolContext,
): Promise<ToolOutput> {
  const path = args.path || '.';
  const listing = await env.listDirectory(path, {
    recursive: args.recursive ?? false,
    pattern: args.pattern || undefined,
    signal,
  });
  if (listing.entries.length === 0)
    return buildNothingFound(
      args.pattern ? `Nothing in ${path} matches ${args.pattern}` : `${path} is empty`,
    );
  const lines = listing.entries.map(describeEntry);
  if (listing.omittedCount > 0) lines.push(`[${listing.omittedCount} more entries. Narrow path or pattern.]`);
  return { text: lines.join('\n'), details: { summary: `${listing.entries.length} entries` } };
}

function describeEntry({ path, type, sizeBytes }: DirectoryListing['entries'][number]): string {
  if (type === 'directory') return path.endsWith('/') ? path : `${path}/`;
  return type === 'file' ? `${path} (${sizeBytes} bytes)` : `${path} (${type})`;
}

export const listDirectoryTool: RegisteredTool<typeof schema> = {
  name: 'list_directory',
  aliases:
    'list_dir ls dir list_files list_folder tree read_directory read_dir readdir view_directory directory_tree list_directory_contents'.split(
      ' ',
    ),
  description: 'List a folder.',
  argumentAliases: { pattern: PATTERN_PARAMETER_ALIASES, path: FOLDER_NAMES, recursive: ['recurse', 'deep'] },
  schema,
  readOnly: true,
  output: { maxChars: 20_000, mode: 'tail', maxLines: 500 },
  execute: listDirectory,
};
