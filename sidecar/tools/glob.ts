/** The tool `glob`: paths that match a pattern, newest first, one per line. */
import * as z from 'zod';
import { FOLDER_NAMES, PATTERN_PARAMETER_ALIASES } from './path-names.ts';
import { buildNothingFound, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

/**
 * Maximum number of paths to find. It is well above the limit of the tool's output, so that the truncation can report how many lines were
 * omitted.
 */
const MAX_PATHS = 10_000;

const schema = z.object({
  pattern: z.string().min(1).describe('as src/**/*.ts'),
  path: z.string().optional(),
});

async function glob(args: z.output<typeof schema>, { env, signal }: ToolContext): Promise<ToolOutput> {
  const paths = await env.glob(args.pattern, { path: args.path || '.', maxResults: MAX_PATHS, signal });
  if (paths.length === 0) {
    const text = `No files match ${args.pattern}${args.path ? ` in ${args.path}` : ''}`;
    const type = await env.stat(args.pattern).then(
      (entry) => entry.type,
      () => 'none',
    );
    const folder = args.pattern.replace(/\/+$/, '');
    return buildNothingFound(type === 'directory' ? `${text}; it is a directory: use ${folder}/**` : text);
  }
  return { text: paths.join('\n'), details: { summary: `${paths.length} files` } };
}

export const globTool: RegisteredTool<typeof schema> = {
  name: 'glob',
  aliases:
    'find_files file_search find glob_files glob_search glob_file_search search_file_names find_by_name'.split(
      ' ',
    ),
  description: 'Find files by name, newest first.',
  argumentAliases: { pattern: PATTERN_PARAMETER_ALIASES, path: FOLDER_NAMES },
  schema,
  readOnly: true,
  output: { maxChars: 20_000, mode: 'tail', maxLines: 500 },
  execute: glob,
};
