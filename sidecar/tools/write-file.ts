/**
 * The tool `write_file`: creates or replaces a whole file, and creates missing parent folders. A file that cannot be read as text is not
 * replaced. A replaced file retains its byte order mark and carriage returns. If the task tracks its files, a file whose text the model
 * does not know is shown instead of replaced.
 */
import * as z from 'zod';
import { viewOf } from './file-view.ts';
import { describeNewProblems } from './parse-note.ts';
import { FILE_PATH_NAMES } from './path-names.ts';
import { replaceWhole } from '../parsing/editing/text-document.ts';
import { readTextFile } from '../parsing/editing/text-file.ts';
import { buildRefusal, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';

const schema = z.object({ file_path: z.string().min(1), content: z.string() });

/** Writes the file. Returns `Wrote 42 bytes to src/a.ts (created)`. */
async function writeFile(args: z.output<typeof schema>, context: ToolContext): Promise<ToolOutput> {
  const { file_path: path } = args;
  const file = await readTextFile(context.env, path);
  if (file.kind === 'unreadable') return buildRefusal(`${path} was not replaced: it ${file.reason}.`);
  const before = file.kind === 'text' ? file.text : undefined;
  if (before !== undefined && isUnread(path, before, context)) return refuseUnread(path, before, context);
  const content = before === undefined ? args.content : replaceWhole(before, args.content);
  const { created, sizeBytes } = await context.env.writeFile(path, content);
  const action = created ? 'created' : 'overwritten';
  const note = await describeNewProblems(path, before, content);
  return {
    text: `Wrote ${sizeBytes} bytes to ${path} (${action})${note}`,
    details: { created, sizeBytes, files: { known: [path], ...(created && { created: [path] }) } },
  };
}

const isUnread = (path: string, text: string, { files }: ToolContext): boolean =>
  files !== undefined && text.trim() !== '' && !files.isOwn(path) && !files.isKnown(path);

/** Shows the file instead of replacing it. */
async function refuseUnread(
  path: string,
  text: string,
  { maxOutputChars }: ToolContext,
): Promise<ToolOutput> {
  const view = await viewOf(path, text, { isLarge: true, maxChars: maxOutputChars });
  return buildRefusal(
    `${path} exists and you have not read it, so it was not replaced. Its content:\n${view.text}\nChange it with edit_file, or call write_file again with its complete new content.`,
    {
      summary: `${path} was not overwritten: the model had not read it; the result shows its content`,
      files: { known: [path] },
    },
  );
}

export const writeFileTool: RegisteredTool<typeof schema> = {
  name: 'write_file',
  aliases: 'write create create_file save_file file_write write_to_file new_file overwrite_file'.split(' '),
  editorCommands: { create: {} },
  argumentAliases: {
    file_path: FILE_PATH_NAMES,
    content: ['contents', 'text', 'file_text', 'file_content', 'code', 'body', 'data'],
  },
  textArguments: ['content'],
  description: 'Create or overwrite a whole file.',
  schema,
  readOnly: false,
  changes: 'files',
  output: { maxChars: 10_000, mode: 'tail' },
  execute: writeFile,
};
