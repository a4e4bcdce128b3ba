/**
 * Functions that a task wants written: it gives their name and parameters, as in "add scale(recipe, servings) to recipe.py",
 * and no file that is shown defines them. Pure but for reading with a grammar.
 */
import { taskWords } from '../../brief/task-words.ts';
import { definitionsOf, languageOf, withNested } from '../../definitions/index.ts';
import type { SourceText } from './suspects.ts';

export interface NewFunction {
  /** The file that the task names beside it, be it there or not. */
  path: string;
  name: string;
  /** Its declaration as far as it is certain. */
  head: string;
  /** The task names no other file of code: nothing else has to change for it. */
  isAll: boolean;
}

const CALL = /(?<![\w$.])([A-Za-z_$][\w$]*)\(([^()\n]{1,120})\)/gu;
/** What calls with values in place of parameters begin with. */
const VALUE = /^\s*(?:['"`\d[-]|true\b|false\b|null\b|None\b)/u;
const PARAMETERS = /^[\w$\s,=:?|*.<>{}[\]'"]+$/u;
const MAKING = /\b(?:add|writes?|create|implement|function|needs?|put|move|provide|missing)\b/iu;
const MAX_NEW = 2;

/** `files`: all code that is shown, tests too. In the order of the task. */
export async function newFunctions(
  task: string,
  files: readonly SourceText[],
  mayChange: (path: string) => boolean,
): Promise<NewFunction[]> {
  const text = task.replaceAll(/\s+/gu, ' ');
  const paths = taskWords({ description: text }).paths.filter((path) => languageOf(path) && mayChange(path));
  const calls = [...text.matchAll(CALL)].filter(({ 2: parameters = '', index }) =>
    isWanted(parameters, text, index),
  );
  if (paths.length === 0 || calls.length === 0) return [];
  const defined = await namesDefinedIn(files);
  const found = new Map<string, NewFunction>();
  for (const call of calls) {
    const [, name = '', parameters = ''] = call;
    if (found.has(name) || defined.has(name)) continue;
    const said = nearest(text, call.index, paths);
    if (said === undefined) continue;
    const path = files.find((file) => file.path === said || file.path.endsWith(`/${said}`))?.path ?? said;
    const head = headFor(path, { name, parameters }, files);
    if (head !== undefined) found.set(name, { path, name, head, isAll: paths.length === 1 });
  }
  return [...found.values()].slice(0, MAX_NEW);
}

const isWanted = (parameters: string, text: string, index: number): boolean =>
  PARAMETERS.test(parameters) && !VALUE.test(parameters) && MAKING.test(sentenceAt(text, index));

async function namesDefinedIn(files: readonly SourceText[]): Promise<Set<string>> {
  const read = await Promise.all(files.map(({ path, text }) => definitionsOf(path, text)));
  return new Set(read.flatMap((definitions) => withNested(definitions ?? []).flatMap(({ names }) => names)));
}

function sentenceAt(text: string, index: number): string {
  const start = text.slice(0, index).search(/[.:;!?] [^.:;!?]*$/u);
  const end = text.slice(index).search(/[.;!?](?: |$)/u);
  return text.slice(start === -1 ? 0 : start, end === -1 ? undefined : index + end);
}

/** The path that stands nearest to a place of the text. */
function nearest(text: string, index: number, paths: readonly string[]): string | undefined {
  const distances = paths.map((path) => {
    const [before, after] = [text.lastIndexOf(path, index), text.indexOf(path, index)];
    const reach = [before, after].filter((at) => at !== -1).map((at) => Math.abs(at - index));
    return { path, distance: Math.min(...reach) };
  });
  return distances.sort((a, b) => a.distance - b.distance)[0]?.path;
}

/** Undefined for languages whose declarations say more than the task does, and for what belongs into a class. */
function headFor(
  path: string,
  { name, parameters }: { name: string; parameters: string },
  files: readonly SourceText[],
): string | undefined {
  const language = languageOf(path);
  const own = files.find((file) => file.path === path)?.text;
  if (language === 'python') return `def ${name}(${parameters}):\n`;
  const isTyped = language === 'typescript' && !parameters.includes(':');
  if (language !== 'javascript' && language !== 'typescript') return undefined;
  if (own !== undefined && /^(?:export )?(?:default )?class\b/mu.test(own)) return undefined;
  const isCommonJs = (own ?? files.map(({ text }) => text).join('\n')).includes('module.exports');
  return `${isCommonJs ? '' : 'export '}function ${name}(${isTyped ? '' : `${parameters}) {\n`}`;
}
