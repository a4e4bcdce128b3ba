/** The tool `read_file`: numbered lines of a text file, to which an edit or a later read can refer. */
import * as z from 'zod';
import type { FileText } from '../base/ports.ts';
import { isLfsPointer } from '../base/values/lfs-pointer.ts';
import { FILE_PATH_NAMES } from './path-names.ts';
import { formatLineCount, linesOf } from './file-view.ts';
import {
  buildNothingFound,
  buildRefusal,
  type RegisteredTool,
  type ToolOutput,
  type ToolContext,
} from './types.ts';

const DEFAULT_LINES = 2000;

const schema = z.object({
  file_path: z.string().min(1),
  offset: z.number().int().optional().describe('first line, from 1'),
  limit: z.number().int().positive().optional().describe('default 2000'),
});

/** Reads lines of a file. Returns them as `NNN | text`; a last line reports omitted lines and how to read them. */
async function readFile(args: z.output<typeof schema>, { env }: ToolContext): Promise<ToolOutput> {
  // Lines count from 1. A model that asks for line 0 or less means the first line.
  const offset = Math.max(1, args.offset ?? 1);
  const limit = args.limit ?? DEFAULT_LINES;
  const file = await env.readFile(args.file_path, { offset, limit });
  const lines = linesOf(file.text);
  const encodingNote = encodingNoteOf(args.file_path, file);
  if (lines.length === 0) return describeEmptyRange(args.file_path, offset, file);
  const first = file.firstLine;
  const numbered = lines.map((line, index) => `${first + index} | ${line}`);
  const note = describeOmittedLines(first, first + lines.length - 1, limit, file.totalLines);
  const text = [encodingNote, ...numbered, note].filter((line) => line !== undefined);
  const isWhole = first === 1 && note === undefined;
  const files = isWhole ? { known: [args.file_path] } : {};
  return { text: text.join('\n'), details: { summary: formatLineCount(lines), files } };
}

/** Returns a note if the file is a Git LFS pointer or not UTF-8. */
function encodingNoteOf(path: string, { text, encoding }: FileText): string | undefined {
  if (isLfsPointer(text))
    return `[${path} is stored in Git LFS: this is only its pointer. Its content is not here and cannot be written.]`;
  if (encoding === 'Windows-1252')
    return `[${path} is not UTF-8 and shown as Windows-1252, which is a guess. Bytes outside your edit do not change; write only ASCII, or characters that the file already contains.]`;
  return encoding === undefined
    ? undefined
    : `[${path} is ${encoding}. Edit it as text: the tools write it in the same encoding.]`;
}

function describeEmptyRange(path: string, offset: number, file: FileText): ToolOutput {
  if (offset === 1) return buildNothingFound(`(${path} is empty)`);
  const length = file.totalLines === undefined ? '' : `: it has ${file.totalLines} lines`;
  return buildRefusal(`Line ${offset} is beyond the end of ${path}${length}`);
}

function describeOmittedLines(
  first: number,
  last: number,
  limit: number,
  totalLines?: number,
): string | undefined {
  if (totalLines !== undefined)
    return last >= totalLines
      ? undefined
      : `[Lines ${first}-${last} of ${totalLines}. Read on with offset ${last + 1}.]`;
  return last - first + 1 < limit
    ? undefined
    : `[Lines ${first}-${last}, there may be more. Read on with offset ${last + 1}.]`;
}

export const readFileTool: RegisteredTool<typeof schema> = {
  name: 'read_file',
  aliases: 'read view cat open_file view_file file_read get_file read_text_file get_file_contents'.split(' '),
  editorCommands: { view: {} },
  argumentAliases: {
    file_path: FILE_PATH_NAMES,
    offset: ['start_line', 'line_start', 'start', 'from_line', 'line_number', 'start_line_one_indexed'],
    limit: ['max_lines', 'num_lines', 'line_count', 'lines', 'count'],
  },
  description: 'Read a text file as "NNN | line".',
  schema,
  readOnly: true,
  output: { maxChars: 50_000, mode: 'head_tail' },
  execute: readFile,
};
