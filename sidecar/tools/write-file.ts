/**
 * `write_file`: creates a file or replaces it whole; parent folders are made. Where the task keeps track of its files, a
 * file whose text the model does not know is shown instead of replaced, and one that would lose what it defines is not
 * replaced either: what the new text defines is put into the old one.
 */
import * as z from 'zod';
import { viewOf } from './file-view.ts';
import { parseNote } from './parse-note.ts';
import { FILE_PATH_NAMES } from './path-names.ts';
import type { RegisteredTool, ToolContext, ToolOutput } from './types.ts';

const schema = z.object({ file_path: z.string().min(1), content: z.string() });
const MAX_NAMES = 20;

/** `Wrote 42 bytes to src/a.ts (created)`; the size is that of the UTF-8 text. */
export async function writeFile(args: z.output<typeof schema>, context: ToolContext): Promise<ToolOutput> {
  const { file_path: path, content } = args;
  const before = await textOf(path, context);
  const refusal = before === undefined ? undefined : await instead(path, before, content, context);
  if (refusal) return refusal;
  const { created, sizeBytes } = await context.env.writeFile(path, content);
  const how = created ? 'created' : 'overwritten';
  const note = await parseNote(path, before, content);
  return {
    text: `Wrote ${sizeBytes} bytes to ${path} (${how})${note}`,
    details: { created, sizeBytes, files: { known: [path], ...(created && { created: [path] }) } },
  };
}

/** Undefined for a file that does not exist, or that is no text. */
async function textOf(path: string, { env }: ToolContext): Promise<string | undefined> {
  if (!(await env.fileExists(path))) return undefined;
  return env.readFile(path).then(
    ({ text }) => text,
    () => undefined,
  );
}

/** What is done in place of replacing the file; undefined where it may be replaced. */
async function instead(
  path: string,
  before: string,
  after: string,
  context: ToolContext,
): Promise<ToolOutput | undefined> {
  const { files, maxOutputChars: maxChars } = context;
  if (!files || before.trim() === '' || files.isOwn(path)) return undefined;
  if (!files.isKnown(path)) {
    const view = await viewOf(path, before, { large: true, maxChars });
    return {
      text: `${path} exists and you have not read it, so it was not replaced. It holds:\n${view.text}\nChange it with edit_file, or call write_file again with the whole text that it is to have.`,
      details: { summary: `${path} was shown, not replaced`, files: { known: [path] } },
      isError: true,
    };
  }
  const judged = await files.judgeReplacement(path, before, after);
  if (judged.ok) return undefined;
  const lost = namesOf(judged.lost);
  if (!('merged' in judged)) {
    return {
      text: `${path} was not replaced: your text leaves out ${lost}, and the task does not ask for that. Change it with edit_file, or give the whole text with everything that stays.`,
      isError: true,
    };
  }
  return merge(path, before, judged.merged, { lost, context });
}

async function merge(
  path: string,
  before: string,
  merged: string,
  { lost, context }: { lost: string; context: ToolContext },
): Promise<ToolOutput> {
  await context.env.writeFile(path, merged);
  const head = `Put what your text defines into ${path}; ${lost}, which it leaves out, stayed`;
  return {
    text: `${head}.${await parseNote(path, before, merged)}`,
    details: { summary: head, files: { known: [path] } },
  };
}

function namesOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
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
  fewArguments: ['file_path', 'content'],
  readOnly: false,
  changes: 'files',
  output: { maxChars: 10_000, mode: 'tail' },
  execute: writeFile,
};
