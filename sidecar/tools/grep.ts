/** `grep`: lines that match a regular expression, as `path:line:text` (tools.md). */
import { z } from 'zod';
import type { RegisteredTool, ToolContext, ToolOutput } from './types.ts';

const DEFAULT_RESULTS = 100;

const schema = z.object({
  pattern: z.string().min(1).describe('regex'),
  path: z.string().optional(),
  include: z.string().optional().describe('glob, as *.ts'),
  case_sensitive: z.boolean().optional().describe('default true'),
  max_results: z.number().int().positive().optional(),
});

export async function grep(args: z.output<typeof schema>, { env, signal }: ToolContext): Promise<ToolOutput> {
  const { matches, truncated } = await env.grep(args.pattern, {
    path: args.path || '.',
    include: args.include || undefined,
    caseSensitive: args.case_sensitive ?? true,
    maxResults: args.max_results ?? DEFAULT_RESULTS,
    signal,
  });
  if (matches.length === 0) return `No matches for ${args.pattern}${args.path ? ` in ${args.path}` : ''}`;
  const lines = matches.map(({ path, line, text }) => `${path}:${line}:${text}`);
  if (truncated)
    lines.push(
      `[Stopped at ${matches.length} matches: narrow pattern, path or include, or raise max_results.]`,
    );
  return { text: lines.join('\n'), details: { summary: `${matches.length} matches` } };
}

export const grepTool: RegisteredTool<typeof schema> = {
  name: 'grep',
  description: 'Search file contents.',
  schema,
  readOnly: true,
  execute: grep,
};
