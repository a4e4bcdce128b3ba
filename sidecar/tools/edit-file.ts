/** `edit_file`: replaces a passage that must be there exactly once, or every one of them. */
import * as z from 'zod';
import { unifiedDiff } from './editing/changed-lines.ts';
import { editText } from './editing/edit-text.ts';
import type { RegisteredTool, ToolContext, ToolOutput } from './types.ts';

const MAX_DIFF_LINES = 60;

const schema = z.object({
  file_path: z.string().min(1),
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
});

/** A short unified diff, preceded by how the passage was matched where it was not exact. */
export async function editFile(args: z.output<typeof schema>, { env }: ToolContext): Promise<ToolOutput> {
  const { file_path: path, old_string: oldString, new_string: newString } = args;
  if (oldString === '') return createFile(path, newString, env);
  if (oldString === newString) return refused('old_string and new_string are the same: nothing to change');
  const file = await env.readFile(path);
  const outcome = editText(file.text, { oldString, newString, replaceAll: args.replace_all ?? false });
  if (!outcome.ok) return refused(`${path} was not changed: ${outcome.message}`);
  await env.writeFile(path, outcome.text);
  const diff = unifiedDiff(outcome.oldLines, outcome.changes, MAX_DIFF_LINES);
  const head = headline(path, outcome.count, outcome.how);
  return { text: `${head}\n${diff}`, details: { summary: head, replacements: outcome.count } };
}

/** An empty `old_string` creates a file; it would match everywhere in one that exists. */
async function createFile(path: string, content: string, env: ToolContext['env']): Promise<ToolOutput> {
  if (await env.fileExists(path))
    return refused(`${path} exists already: give the text to replace as old_string, or use write_file`);
  const { sizeBytes } = await env.writeFile(path, content);
  return `Created ${path} (${sizeBytes} bytes)`;
}

function headline(path: string, count: number, how: string): string {
  const times = count === 1 ? '' : ` in ${count} places`;
  return how === '' ? `Edited ${path}${times}` : `Edited ${path}${times}, matched ${how}`;
}

const refused = (text: string): ToolOutput => ({ text, isError: true });

export const editFileTool: RegisteredTool<typeof schema> = {
  name: 'edit_file',
  aliases:
    'edit replace str_replace search_replace search_and_replace string_replace replace_in_file file_edit modify_file update_file replace_string_in_file'.split(
      ' ',
    ),
  description: 'Replace old_string, which must occur exactly once, by new_string.',
  schema,
  readOnly: false,
  changes: 'files',
  output: { maxChars: 10_000, mode: 'tail' },
  execute: editFile,
};
