/**
 * The tool `grep`: lines that match a regular expression, as `path:line:text`. Models often mean the plain text
 * (`add(a, b)`) or the dialect of grep(1), so a pattern without matches is tried as those, too.
 */
import * as z from 'zod';
import { errorCode } from '../base/values/errors.ts';
import type { GrepResult } from '../base/ports.ts';
import { FOLDER_NAMES, PATTERN_PARAMETER_ALIASES } from './path-names.ts';
import { buildNothingFound, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

const DEFAULT_RESULTS = 100;

const schema = z.object({
  pattern: z.string().min(1).describe('regex'),
  path: z.string().optional(),
  include: z.string().optional().describe('glob, as *.ts'),
  case_sensitive: z.boolean().optional().describe('default true'),
  max_results: z.number().int().positive().optional(),
});

type GrepArguments = z.output<typeof schema>;

async function grep(args: GrepArguments, context: ToolContext): Promise<ToolOutput> {
  // The model meant the escape `\b` of a regular expression. In a JSON string, it is a backspace, which occurs in no file.
  const pattern = args.pattern.replaceAll('\b', '\\b');
  const literalResult = await search(pattern, args, context).catch((error: unknown) => {
    if (!isInvalidPattern(error)) throw error;
    throw new Error(`${error.message}\nTo search for the text itself, escape it: ${escapePattern(pattern)}`);
  });
  const result =
    literalResult.matches.length > 0
      ? { ...literalResult, note: '' }
      : await searchOtherDialects(pattern, args, context);
  if (!result) return buildNothingFound(`No matches for ${pattern}${args.path ? ` in ${args.path}` : ''}`);
  const { matches, truncated, note } = result;
  const lines = matches.map(({ path, line, text }) => `${path}:${line}:${text}`);
  if (note !== '') lines.unshift(`[Nothing matches the regular expression ${pattern}; ${note}:]`);
  if (truncated)
    lines.push(
      `[Stopped at ${matches.length} matches: narrow pattern, path or include, or raise max_results.]`,
    );
  return { text: lines.join('\n'), details: { summary: `${matches.length} matches` } };
}

const search = (pattern: string, args: GrepArguments, { env, signal }: ToolContext): Promise<GrepResult> =>
  env.grep(pattern, {
    path: args.path || '.',
    include: args.include || undefined,
    caseSensitive: args.case_sensitive ?? true,
    maxResults: args.max_results ?? DEFAULT_RESULTS,
    signal,
  });

/** Returns the matches of the pattern, read as plain text or in the dialect of grep(1); undefined if there are none. */
async function searchOtherDialects(
  pattern: string,
  args: GrepArguments,
  context: ToolContext,
): Promise<(GrepResult & { note: string }) | undefined> {
  const variants = [
    { variant: escapePattern(pattern), note: 'found as plain text' },
    { variant: pattern.replace(/\\([|(){}+?])/g, '$1'), note: 'found with the pattern syntax of grep(1)' },
  ].filter(({ variant }) => variant !== pattern);
  for (const { variant, note } of variants) {
    const result = await search(variant, args, context).catch((error: unknown) => {
      if (isInvalidPattern(error)) return undefined;
      throw error;
    });
    if (result && result.matches.length > 0) return { ...result, note };
  }
  return undefined;
}

const isInvalidPattern = (error: unknown): error is Error =>
  error instanceof Error && errorCode(error) === 'INVALID_PATTERN';

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

export const grepTool: RegisteredTool<typeof schema> = {
  name: 'grep',
  aliases:
    'search_files search rg ripgrep grep_search search_code code_search search_file_content search_text search_in_files find_in_files grep_files content_search'.split(
      ' ',
    ),
  description: 'Search file contents.',
  argumentAliases: {
    pattern: PATTERN_PARAMETER_ALIASES,
    path: FOLDER_NAMES,
    include: 'file_pattern glob_filter glob include_pattern file_glob filter include_glob'.split(' '),
    max_results: ['limit', 'max_count', 'head_limit', 'max_matches'],
  },
  schema,
  readOnly: true,
  output: { maxChars: 20_000, mode: 'tail', maxLines: 200 },
  execute: grep,
};
