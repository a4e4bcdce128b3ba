/**
 * A task that asks to rename something needs no model where the new name is given: the name is replaced in every file. A
 * small model forgets the half of such a change. What is to be renamed is a guess from the words of the task, so the checks
 * decide.
 */
import { folderFiles } from '../../brief/folder-files.ts';
import { findIdentifiers, namesPattern } from '../../brief/find-identifiers.ts';
import { languageOf, namesIn, renameIdentifier } from '../../definitions/index.ts';
import type { ChangedFile } from '../../applying/index.ts';
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
  String.raw`\b(to|into|as)\s+(?:be\s+(?:called|named)\s+)?(["'\x60]?)(${NAME})(\(\))?["'\x60]?`,
  'giu',
);
const MARKED = new RegExp(String.raw`["'\x60](${NAME})(?:\(\))?["'\x60]|\b(${NAME})\(\)`, 'gu');
/** A common word that stands for what it names: "the function dist". */
const TITLED = new RegExp(
  String.raw`\b(?:function|method|class|type|constant|variable|parameter|field|property|option|key)\s+(?!(?:is|in|of|name|names|named|called|and|or)\b)(${NAME})`,
  'giu',
);

/** The renames that a task asks for, in order; none where it asks for none, or leaves the new name open. Pure. */
export function renamesAsked(task: string): AskedRename[] {
  const start = task.search(/\brenam(?:e|ing)\b/iu);
  if (start < 0) return [];
  const asked: AskedRename[] = [];
  let rest = start;
  for (const match of task.slice(start).matchAll(NEW_NAME)) {
    const [whole, preposition = '', mark = '', to = '', brackets = ''] = match;
    const isPlain = mark + brackets === '' && !looksLikeName(to);
    // "…, the others stay as they are".
    if (isPlain && (asked.length > 0 || preposition.toLowerCase() === 'as')) continue;
    const at = start + match.index;
    const from = guesses(task.slice(rest, at)).filter((name) => name !== to);
    if (from.length === 0) continue;
    asked.push({ from, to });
    rest = at + whole.length;
  }
  return asked.slice(0, MAX_RENAMES);
}

/**
 * Names in backticks or with brackets, words that look like names, and those behind what they are; the first ones are the
 * subject of the sentence.
 */
function guesses(words: string): string[] {
  const marked = [...words.matchAll(MARKED)].map(([, quoted, called]) => quoted ?? called ?? '');
  const plain = namesIn(words).filter((word) => looksLikeName(word));
  const titled = [...words.matchAll(TITLED)].map(([, name = '']) => name);
  return [...new Set([...marked, ...plain, ...titled])].slice(0, MAX_GUESSES);
}

/** No word of a sentence: `get_cfg`, `maxSize`, `RPT_DIR`, `log2`. */
const looksLikeName = (word: string): boolean => /[_$\d]|\p{Ll}\p{Lu}|^\p{Lu}{2,}/u.test(word);

/** What the program would do for a task that asks for a rename. */
export interface Renaming {
  /** The files as they would be with everything renamed, likeliest guess first; empty where the task asks for no rename. */
  changes: ChangedFile[][];
  /** Whether the old name would still stand in code if these files were changed and no other ones. */
  isLeftBy: (files: readonly ChangedFile[]) => Promise<boolean>;
}

const NOTHING: Renaming = { changes: [], isLeftBy: () => Promise.resolve(false) };

export async function renamingFor(
  { task, workspace, control }: TaskRun,
  mayChange: (path: string) => boolean,
): Promise<Renaming> {
  const asked = renamesAsked(task.description);
  if (asked.length === 0) return NOTHING;
  const { signal } = control;
  const tree = folderFiles({ dir: workspace.dir, signal });
  const paths = (await tree.list()).filter(mayChange);
  const identifiers = asked.flatMap(({ from }) => from);
  const holding = [...(await findIdentifiers({ files: tree, paths, identifiers, signal })).keys()];
  if (holding.length > MAX_FILES) return NOTHING;
  const files = holding.map((path) => ({ path, text: tree.read(path) ?? '' }));
  const guesses = renamesByGuess(asked);
  const changes: ChangedFile[][] = [];
  for (const renames of guesses) {
    for (const withTexts of waysFor(renames)) {
      const change = await renameIn(files, renames, withTexts);
      if (change.length > 0) changes.push(change);
    }
  }
  return { changes, isLeftBy: (changed) => isLeft(files, changed, guesses[0] ?? []) };
}

/** The first guess for each name, then the second one for those that have one. */
function renamesByGuess(asked: readonly AskedRename[]): Rename[][] {
  const most = Math.min(MAX_CHANGES, Math.max(...asked.map(({ from }) => from.length)));
  return Array.from({ length: most }, (_, guess) =>
    asked.map(({ from, to }) => ({ from: from[guess] ?? from[0] ?? '', to })),
  );
}

/** Whether texts that are nothing but the name are renamed: a common word may as well be a key of other data. */
const waysFor = (renames: readonly Rename[]): boolean[] =>
  renames.every(({ from }) => looksLikeName(from)) ? [true] : [false, true];

async function isLeft(
  files: readonly SourceText[],
  changed: readonly ChangedFile[],
  renames: readonly Rename[],
): Promise<boolean> {
  const after = new Map(changed.map((file) => [file.path, file.after]));
  for (const { path, text } of files) {
    const language = languageOf(path);
    if (!language) continue;
    const now = after.get(path) ?? text;
    for (const rename of renames) {
      const without = await renameIdentifier(language, now, { ...rename, withTexts: false });
      if (without !== undefined && without !== now) return true;
    }
  }
  return false;
}

interface Rename {
  from: string;
  to: string;
}

async function renameIn(
  files: readonly SourceText[],
  renames: readonly Rename[],
  withTexts: boolean,
): Promise<ChangedFile[]> {
  const changed: ChangedFile[] = [];
  for (const { path, text } of files) {
    let after = text;
    for (const rename of renames) after = await renamed(path, after, { ...rename, withTexts });
    if (after !== text) changed.push({ path, before: text, after });
  }
  return changed;
}

/** In code the names; in comments, prose and data a common word only where a sign beside it says that it is a name. */
async function renamed(path: string, text: string, rename: Rename & { withTexts: boolean }): Promise<string> {
  const language = languageOf(path);
  const inCode = language && (await renameIdentifier(language, text, rename));
  const { from, to, withTexts } = rename;
  const word = namesPattern([from]).source;
  const signs = withTexts ? `"'` : '';
  const marked = new RegExp(
    looksLikeName(from) ? word : String.raw`(?<=[${signs}\x60.])${word}|${word}(?=[${signs}\x60(])`,
    'gu',
  );
  return (inCode ?? text).replaceAll(marked, () => to);
}
