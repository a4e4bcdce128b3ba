/**
 * Functions and lines of code that may be the wrong ones, the likeliest first: those of definitions that the failing checks
 * or the task name, then those of what these use. The same for the same files and words. Pure but for reading with a grammar.
 */
import { failingCode } from '../../brief/failing-code.ts';
import { taskWords } from '../../brief/task-words.ts';
import { definitionsOf, namesIn, withNested, type Definition } from '../../definitions/index.ts';

/** One line of a file as it is. */
export interface SuspectLine {
  path: string;
  /** From 1. */
  line: number;
  /** Without its line end. */
  text: string;
  /** The lines before it, two at most, without their line ends. */
  above: readonly string[];
}

/** A line that is asked about. */
export interface Spot extends SuspectLine {
  /** The line stays, and the answer's lines come before it. */
  isMissing?: true;
}

/** One function or method as it is, of several lines. */
export interface SuspectFunction {
  path: string;
  name: string;
  /** Without the comments before it. */
  text: string;
  /** What of `text` stands before its body. */
  head: string;
  /** Its first and last line in the file, from 1; comments before it belong to it. */
  from: number;
  to: number;
  /** The task speaks of it by its name. */
  isNamed: boolean;
}

export interface SuspectOptions {
  /** Files that may be changed, most relevant first. */
  files: readonly SourceText[];
  /** The task in words. */
  task: string;
  /** What the failing checks say: names of tests, and places as `path:line`. */
  failures: string;
  /** Tests, as far as they are shown. */
  tests: readonly SourceText[];
}

export interface SourceText {
  path: string;
  text: string;
}

/**
 * What it is worth that a failure is raised in a definition, or that its name stands somewhere: in the task as a name of code or
 * as a word, in the failing part of a test, …
 */
const POINTS = { raises: 6, inTask: 4, inFailing: 3, asWord: 2, inFailures: 2, inTests: 1 };
/** How far points are handed on: to what a definition uses, and to what that uses. */
const STEPS = 2;
/** A longer line is data, and its answer would be cut off. */
const MAX_LINE_CHARS = 200;
/** A small model copies a longer function, or loses a part of it. */
const MAX_FUNCTION_CHARS = 800;
const MAX_DEFINITIONS = 1_000;
const LINES_ABOVE = 2;

const PROSE_MARK = /\/\*|^[ \t]*("""|''')/gmu;
const NO_CODE = /^\s*(?:\/\/|#(?!\w+\s*[=(;])|import\b|from\b|\}?\s*(?:else|try|finally|do)\b[\s:{]*$)/u;

export async function suspectsIn(
  options: SuspectOptions,
): Promise<{ functions: SuspectFunction[]; lines: SuspectLine[] }> {
  const definitions = await scoredIn(options);
  return { functions: suspectFunctions(definitions), lines: suspectLines(options.files, definitions) };
}

/** Comments, imports, heads of functions and lines of nothing but brackets are left out; so are files that no grammar reads. */
function suspectLines(files: readonly SourceText[], definitions: readonly Scored[]): SuspectLine[] {
  const lines = files.flatMap((file) => {
    const own = definitions.filter(({ path }) => path === file.path);
    if (own.length === 0) return [];
    const isHead = (line: number): boolean => own.some(({ head }) => line >= head.from && line < head.to);
    return codeLines(file)
      .filter(({ line }) => !isHead(line))
      .map((line) => ({ line, points: pointsAt(own, line.line) }));
  });
  // Sorting is stable: lines of one definition, and definitions of the same weight, stay in their order.
  return lines.sort((a, b) => b.points - a.points).map(({ line }) => line);
}

/** Those of a single line are left out, for such a line is asked about by itself; so are the long ones. */
function suspectFunctions(definitions: readonly Scored[]): SuspectFunction[] {
  const likeliestFirst = [...definitions].sort((a, b) => b.points - a.points);
  return likeliestFirst.flatMap(({ path, definition, code, isNamed, from, to }) => {
    const { name, kind, decoratorsStart, body, end } = definition;
    const text = code.slice(decoratorsStart, end);
    const isMeant = (kind === 'function' || kind === 'method') && text.includes('\n') && body !== undefined;
    if (!isMeant || text.length > MAX_FUNCTION_CHARS) return [];
    return [{ path, name, text, head: code.slice(decoratorsStart, body.start), from, to, isNamed }];
  });
}

async function scoredIn({ files, task, failures, tests }: SuspectOptions): Promise<Scored[]> {
  const places = [...failures.matchAll(/([^\s:("']+):(\d+)/gu)];
  const failing = tests.map(({ path, text }) => failingCode(path, text, linesOf(path, places)));
  const named = {
    inTask: new Set(taskWords({ description: task }).identifiers),
    asWord: wordsOf(task),
    inFailing: wordsOf((await Promise.all(failing)).join('\n')),
    inFailures: wordsOf(failures),
    inTests: wordsOf(tests.map(({ text }) => text).join('\n')),
    places,
  };
  const definitions = (await Promise.all(files.map((file) => scored(file, named)))).flat();
  handOn(definitions.slice(0, MAX_DEFINITIONS));
  return definitions;
}

/** A definition with what speaks for it. Lines from 1, both included. */
interface Scored {
  path: string;
  definition: Definition;
  /** Of the whole file. */
  code: string;
  names: readonly string[];
  words: ReadonlySet<string>;
  from: number;
  to: number;
  /** Lines of its declaration, up to where its body begins; the last one is not one of them. */
  head: { from: number; to: number };
  isNamed: boolean;
  points: number;
}

/** What is named where. */
interface Named {
  inTask: ReadonlySet<string>;
  /** All words of the task. */
  asWord: ReadonlySet<string>;
  inFailing: ReadonlySet<string>;
  inFailures: ReadonlySet<string>;
  inTests: ReadonlySet<string>;
  /** Each `path:line` of the failures, with path and line as groups. */
  places: readonly RegExpExecArray[];
}

async function scored(
  { path, text }: SourceText,
  { inTask, asWord, inFailing, inFailures, inTests, places }: Named,
): Promise<Scored[]> {
  const raised = linesOf(path, places);
  return withNested((await definitionsOf(path, text)) ?? []).map((definition) => {
    const { names, start, end, startLine, endLine, children } = definition;
    const isIn = (line: number): boolean => line >= startLine && line <= endLine;
    const isInChild = (line: number): boolean =>
      children.some((child) => line >= child.startLine && line <= child.endLine);
    const isNamed = (where: ReadonlySet<string>): boolean => names.some((name) => where.has(name));
    return {
      path,
      definition,
      code: text,
      names,
      words: wordsOf(text.slice(start, end)),
      from: startLine,
      to: endLine,
      head: headOf(definition, text),
      isNamed: isNamed(asWord),
      points:
        (raised.some((line) => isIn(line) && !isInChild(line)) ? POINTS.raises : 0) +
        (isNamed(inTask) ? POINTS.inTask : isNamed(asWord) ? POINTS.asWord : 0) +
        (isNamed(inFailing) ? POINTS.inFailing : 0) +
        (isNamed(inFailures) ? POINTS.inFailures : 0) +
        (isNamed(inTests) ? POINTS.inTests : 0),
    };
  });
}

/** Lines of a file that the failures name. */
const linesOf = (path: string, places: Named['places']): number[] =>
  places.filter(([, place]) => place === path).map(([, , line]) => Number(line));

const wordsOf = (text: string): Set<string> => new Set(namesIn(text));

/** None where the body begins on the same line. */
function headOf({ start, startLine, bareStart, body }: Definition, text: string): Scored['head'] {
  const linesBetween = (a: number, b: number): number => text.slice(a, b).split('\n').length - 1;
  const from = startLine + linesBetween(start, bareStart);
  if (!body) return { from, to: from };
  const blank = /^\s*/u.exec(text.slice(body.start, body.end))?.[0].length ?? 0;
  return { from, to: from + linesBetween(bareStart, body.start + blank) };
}

/** A test names what it calls, and the mistake is often in what that calls. */
function handOn(definitions: readonly Scored[]): void {
  for (let step = 0; step < STEPS; step += 1) {
    for (const user of [...definitions].filter(({ points }) => points > 1)) {
      for (const used of definitions) {
        if (used !== user && used.names.some((name) => user.words.has(name)))
          used.points = Math.max(used.points, user.points - 1);
      }
    }
  }
}

/** The text with its comments and doc strings emptied; their line ends stay. Linear: it stops at the first that has no end. */
function withoutProse(text: string): string {
  let code = '';
  let at = 0;
  for (const mark of text.matchAll(PROSE_MARK)) {
    if (mark.index < at) continue;
    const inside = mark.index + mark[0].length;
    const end = mark[1] ?? '*/';
    const close = text.indexOf(end, inside);
    if (close === -1) break;
    code += text.slice(at, mark.index) + text.slice(mark.index, close).replaceAll(/[^\n]/gu, '');
    at = close + end.length;
  }
  return code + text.slice(at);
}

function codeLines({ path, text }: SourceText): SuspectLine[] {
  const code = withoutProse(text);
  const lines = text.split(/\r?\n/u);
  return code.split('\n').flatMap((line, index) => {
    const isCode = line.length <= MAX_LINE_CHARS && /\w/u.test(line) && !NO_CODE.test(line);
    const above = lines.slice(Math.max(0, index - LINES_ABOVE), index);
    return isCode ? [{ path, line: index + 1, text: lines[index] ?? '', above }] : [];
  });
}

const pointsAt = (definitions: readonly Scored[], line: number): number =>
  Math.max(
    0,
    ...definitions.filter(({ from, to }) => line >= from && line <= to).map(({ points }) => points),
  );
