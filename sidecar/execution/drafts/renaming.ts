/**
 * A task that asks to rename something needs no model where the new name is given: the name is replaced in every file. A
 * small model forgets the half of such a change. What is to be renamed is a guess from the words of the task, so the checks
 * decide.
 */
import { folderFiles } from '../../brief/folder-files.ts';
import { findIdentifiers, namesPattern } from '../../brief/find-identifiers.ts';
import { languageOf, namesIn, renameIdentifier } from '../../definitions/index.ts';
import type { PlacedFile } from '../../placing/index.ts';
import type { TaskRun } from '../task/task-run.ts';
import type { SourceText } from './suspects.ts';

/** A name, and what it is to become. `from`: what may be meant, likeliest first. */
export interface AskedRename {
  from: readonly string[];
  to: string;
}

const MAX_RENAMES = 6;
/** Names before the new one that may be meant. */
const MAX_GUESSES = 3;
const MAX_FILES = 200;
const MAX_CHANGES = 3;

const NAME = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const NEW_NAME = new RegExp(
  String.raw`\b(?:to|into|as)\s+(?:be\s+(?:called|named)\s+)?["'\x60]?(${NAME})(?:\(\))?["'\x60]?`,
  'giu',
);
const MARKED = new RegExp(String.raw`["'\x60](${NAME})(?:\(\))?["'\x60]|\b(${NAME})\(\)`, 'gu');

/** The renames that a task asks for, in order; none where it asks for none, or leaves the new name open. Pure. */
export function renamesAsked(task: string): AskedRename[] {
  const start = task.search(/\brenam(?:e|ing)\b/iu);
  if (start < 0) return [];
  const asked: AskedRename[] = [];
  let rest = start;
  for (const match of task.slice(start).matchAll(NEW_NAME)) {
    const [whole, to = ''] = match;
    const at = start + match.index;
    const from = guesses(task.slice(rest, at)).filter((name) => name !== to);
    if (from.length === 0) continue;
    asked.push({ from, to });
    rest = at + whole.length;
  }
  return asked.slice(0, MAX_RENAMES);
}

/** Names in backticks or with brackets, else words that look like names; the first ones are the subject of the sentence. */
function guesses(words: string): string[] {
  const marked = [...words.matchAll(MARKED)].map(([, quoted, called]) => quoted ?? called ?? '');
  const plain = namesIn(words).filter((word) => looksLikeName(word));
  return [...new Set([...marked, ...plain])].slice(0, MAX_GUESSES);
}

/** No word of a sentence: `get_cfg`, `maxSize`, `RPT_DIR`, `log2`. */
const looksLikeName = (word: string): boolean => /[_$\d]|\p{Ll}\p{Lu}|^\p{Lu}{2,}/u.test(word);

/** The files as they would be with everything renamed, likeliest guess first; none where the task asks for no rename. */
export async function renamedFiles(
  { task, workspace, control }: TaskRun,
  mayChange: (path: string) => boolean,
): Promise<PlacedFile[][]> {
  const asked = renamesAsked(task.description);
  if (asked.length === 0) return [];
  const { signal } = control;
  const tree = folderFiles({ dir: workspace.dir, signal });
  const paths = (await tree.list()).filter(mayChange);
  const identifiers = asked.flatMap(({ from }) => from);
  const holding = [...(await findIdentifiers({ files: tree, paths, identifiers, signal })).keys()];
  if (holding.length > MAX_FILES) return [];
  const files = holding.map((path) => ({ path, text: tree.read(path) ?? '' }));
  const changes: PlacedFile[][] = [];
  for (let guess = 0; guess < MAX_CHANGES; guess += 1) {
    if (guess > 0 && asked.every(({ from }) => from.length <= guess)) break;
    const renames = asked.map(({ from, to }) => ({ from: from[guess] ?? from[0] ?? '', to }));
    const change = await renameIn(files, renames);
    if (change.length > 0) changes.push(change);
  }
  return changes;
}

interface Rename {
  from: string;
  to: string;
}

async function renameIn(files: readonly SourceText[], renames: readonly Rename[]): Promise<PlacedFile[]> {
  const changed: PlacedFile[] = [];
  for (const { path, text } of files) {
    let after = text;
    for (const rename of renames) after = await renamed(path, after, rename);
    if (after !== text) changed.push({ path, before: text, after });
  }
  return changed;
}

/** In code the names; in comments, prose and data a common word only where a sign beside it says that it is a name. */
async function renamed(path: string, text: string, rename: Rename): Promise<string> {
  const language = languageOf(path);
  const inCode = language && (await renameIdentifier(language, text, rename));
  const { from, to } = rename;
  const word = namesPattern([from]).source;
  const marked = new RegExp(
    looksLikeName(from) ? word : String.raw`(?<=["'\x60.])${word}|${word}(?=["'\x60(])`,
    'gu',
  );
  return (inCode ?? text).replaceAll(marked, () => to);
}
