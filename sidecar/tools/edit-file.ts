/**
 * The tool `edit_file`: replaces a passage that occurs exactly once, or all occurrences of a passage. Models trained on editors with an
 * `insert` command may instead give the line after which to insert a text.
 */
import * as z from 'zod';
import { formatUnifiedDiff } from '../parsing/editing/changed-lines.ts';
import { type EditOutcome, editText, type MissingPassage } from '../parsing/editing/edit-text.ts';
import { buildViewDetails, viewOf } from './file-view.ts';
import { describeNewProblems } from './parse-note.ts';
import { FILE_PATH_NAMES } from './path-names.ts';
import { buildRefusal, type RegisteredTool, type ToolContext, type ToolOutput } from './types.ts';
import { TextDocument } from '../parsing/editing/text-document.ts';

const MAX_DIFF_LINES = 60;

const schema = z.object({
  file_path: z.string().min(1),
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional(),
  /** Line after which the text is inserted, from 1; 0 for the beginning. Only without `old_string`. */
  insert_line: z.number().int().min(0).optional(),
});

/** Edits the file. Returns a short unified diff. If the passage was not matched exactly, a note before the diff describes the match. */
async function editFile(args: z.output<typeof schema>, context: ToolContext): Promise<ToolOutput> {
  const { file_path: path, old_string: oldString, new_string: newString } = args;
  const { env } = context;
  if (oldString === '' && args.insert_line !== undefined && (await env.fileExists(path)))
    return insertAtLine(path, newString, args.insert_line, context);
  if (oldString === '') return createFile(path, newString, context);
  if (oldString === newString)
    return buildRefusal('old_string and new_string are the same: nothing to change');
  const { text } = await env.readFile(path);
  const outcome = editText(text, { oldString, newString, replaceAll: args.replace_all ?? false });
  if (!outcome.ok && outcome.missing) return refuseMissing(path, text, outcome.missing, context);
  return writeEdit(path, text, outcome, context);
}

/** Writes the result of an edit to the file. Returns its diff. */
async function writeEdit(
  path: string,
  before: string,
  outcome: EditOutcome,
  { env }: ToolContext,
): Promise<ToolOutput> {
  if (!outcome.ok) return buildRefusal(`${path} was not changed: ${outcome.message}`);
  await env.writeFile(path, outcome.text);
  const diff = formatUnifiedDiff(before, outcome.text, MAX_DIFF_LINES);
  const summary = describeEdit(path, outcome.count, outcome.matchNote);
  const note = await describeNewProblems(path, before, outcome.text);
  return { text: `${summary}\n${diff}${note}`, details: { summary, replacements: outcome.count } };
}

async function insertAtLine(
  path: string,
  text: string,
  line: number,
  context: ToolContext,
): Promise<ToolOutput> {
  const file = await context.env.readFile(path);
  return writeEdit(path, file.text, insertAfterLine(file.text, { text, afterLine: line }), context);
}

/** Creates a file if `old_string` is empty. Refuses if the file exists, since an empty text would match everywhere in it. */
async function createFile(path: string, content: string, context: ToolContext): Promise<ToolOutput> {
  const { env, maxOutputChars } = context;
  if (await env.fileExists(path)) {
    const { text } = await env.readFile(path);
    const nearLine = text.split('\n').length - 1;
    const view = await viewOf(path, text, { nearLine, maxChars: maxOutputChars });
    return buildRefusal(
      `${path} exists already: give the text to replace as old_string, copied from the text below. To add something at the end, give the last lines as old_string and repeat them in new_string.\n${view.text}`,
      buildViewDetails(path, view),
    );
  }
  const { sizeBytes } = await env.writeFile(path, content);
  const note = await describeNewProblems(path, undefined, content);
  return { text: `Created ${path} (${sizeBytes} bytes)${note}`, details: { files: { created: [path] } } };
}

/** Refuses an edit whose passage is missing, and shows the actual text. */
async function refuseMissing(
  path: string,
  text: string,
  { near: mostSimilar }: MissingPassage,
  { maxOutputChars: maxChars }: ToolContext,
): Promise<ToolOutput> {
  const view = await viewOf(path, text, {
    nearLine: mostSimilar?.line,
    nearColumn: mostSimilar?.column,
    maxChars,
  });
  const where =
    !mostSimilar || view.isWhole ? '' : ` The most similar passage is at line ${mostSimilar.line + 1}.`;
  const lines = [
    `${path} was not changed: old_string was not found in it.${where}`,
    view.text,
    'Copy old_string from this text without any change.',
  ];
  return buildRefusal(lines.join('\n'), buildViewDetails(path, view));
}

function describeEdit(path: string, count: number, how: string): string {
  const times = count === 1 ? '' : ` in ${count} places`;
  return how === '' ? `Edited ${path}${times}` : `Edited ${path}${times}, ${how}`;
}

const editorNames =
  'str_replace_editor str_replace_based_edit_tool str_replace_edit_tool text_editor file_editor'.split(' ');

export const editFileTool: RegisteredTool<typeof schema> = {
  name: 'edit_file',
  aliases: [
    ...'edit replace str_replace search_replace search_and_replace string_replace replace_in_file'.split(' '),
    ...'file_edit modify_file update_file replace_string_in_file'.split(' '),
    ...editorNames,
  ],
  editorNames,
  editorCommands: { str_replace: {}, insert: { old_string: '' } },
  argumentAliases: {
    file_path: FILE_PATH_NAMES,
    old_string: ['old_str', 'old_text', 'old', 'search', 'find', 'original', 'old_content'],
    new_string: 'new_str new_text new replace replacement new_content replace_with insert_text'.split(' '),
    replace_all: ['all', 'replace_all_occurrences', 'global'],
    insert_line: ['insert_after_line', 'after_line'],
  },
  textArguments: ['old_string', 'new_string'],
  unadvertisedParameters: ['insert_line'],
  description: 'Replace old_string, which must occur exactly once, by new_string.',
  schema,
  readOnly: false,
  changes: 'files',
  output: { maxChars: 10_000, mode: 'tail' },
  execute: editFile,
};

interface LineInsertion {
  text: string;
  /** Line after which to insert, from 1; 0 for the beginning. */
  afterLine: number;
}

/** Inserts the text. The message of a failure contains advice for the model. */
function insertAfterLine(original: string, { text, afterLine }: LineInsertion): EditOutcome {
  const document = new TextDocument(original);
  const count = document.closedLines.length;
  if (afterLine > count)
    return { ok: false, message: `it has ${count} lines, so insert_line must be from 0 to ${count}` };
  const lines = text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n');
  const edits = document.toReplacements([{ start: afterLine, end: afterLine, lines }]);
  return {
    ok: true,
    text: document.replace(edits),
    count: 1,
    matchNote: `inserted after line ${afterLine}`,
  };
}
