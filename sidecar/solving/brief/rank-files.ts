/** Orders a tree's files by their relevance to a task. The same tree and task give the same order. */
import { posix } from 'node:path';
import type { Essence } from '../../parsing/test-output/types.ts';
import type { Hits } from './find-identifiers.ts';
import { fileIndex, importsOf } from './imports.ts';
import type { FileIndex } from './imports.ts';
import { isCode } from '../../parsing/definitions/languages.ts';
import { isTest } from './runners.ts';
import type { TaskWords } from './task-words.ts';
import type { TreeFiles } from './types.ts';

/** The weight of a reason. A named file outweighs all others; a definition outweighs any number of uses. */
const POINTS = {
  named: 1000,
  nameAlone: 700,
  ambiguous: 200,
  failing: 600,
  importedByFailingTest: 300,
  defines: 250,
  /** A word of the task that may be a name. */
  definesPlain: 150,
  definesAmongMany: 40,
  uses: 15,
  importedByRelevant: 90,
  testOfRelevant: 60,
  smallTree: 5,
};
const MANY_DEFINING = 8;
const MANY_DEFINING_PLAIN = 2;
const MAX_SAME_NAME = 12;
/** A name with uses in more files is ignored. */
const MANY_USING = 60;
/** Maximum number of files whose imports are followed. */
const MAX_FOLLOWED = 12;
const RELEVANT_POINTS = 200;
/** In a tree of at most this many sources all of them get a small weight. */
const SMALL_TREE_FILES = 12;
const MAX_TESTS_READ = 400;

export interface Ranked {
  path: string;
  points: number;
  isTest: boolean;
  /** Whether a test of the file fails, or a failure was raised in it. */
  fails: boolean;
  /** Lines that failures name. */
  lines: number[];
}

export interface RankOptions {
  files: TreeFiles;
  paths: readonly string[];
  words: TaskWords;
  hits: ReadonlyMap<string, Hits>;
  essences: readonly Essence[];
}

export function rankFiles(options: RankOptions): Ranked[] {
  const index = fileIndex(options.paths);
  const scores = new Scores();
  addNamed(scores, options.words.paths, index);
  addFailing(scores, options.essences, index);
  addHits(scores, options.hits, new Set(options.words.plain));
  addImported(scores, options.files, index);
  addTestsOf(scores, options, index);
  const sources = options.paths.filter(isCode);
  if (sources.length <= SMALL_TREE_FILES) for (const path of sources) scores.add(path, POINTS.smallTree);
  return scores.ranked();
}

class Scores {
  readonly #entries = new Map<string, Ranked>();

  add(path: string, points: number): Ranked {
    const entry = this.#entries.get(path) ?? {
      path,
      points: 0,
      isTest: isTest(path),
      fails: false,
      lines: [],
    };
    entry.points += points;
    this.#entries.set(path, entry);
    return entry;
  }

  ranked(): Ranked[] {
    return [...this.#entries.values()].sort(
      (a, b) =>
        b.points - a.points ||
        a.path.split('/').length - b.path.split('/').length ||
        (a.path < b.path ? -1 : 1),
    );
  }
}

/** Adds files that a name matches exactly, else by the end of the path, else by the basename without extension. */
function addNamed(scores: Scores, names: readonly string[], { paths, byName }: FileIndex): void {
  for (const name of names) {
    if (paths.has(name)) {
      scores.add(name, POINTS.named);
      continue;
    }
    const base = posix.basename(name);
    // A diff names files below `a/` and `b/`, a user from a folder above the root.
    const stripped = name.split('/').slice(1).join('/');
    if (stripped !== '' && paths.has(stripped)) {
      scores.add(stripped, POINTS.named);
      continue;
    }
    const same = (byName.get(base) ?? []).filter((path) => path === name || path.endsWith(`/${name}`));
    const stems =
      same.length > 0 || posix.extname(base) !== '' || !(name.includes('/') || /^[A-Z]+$/.test(name))
        ? same
        : withoutEnding(name, paths);
    if (stems.length === 0 || stems.length > MAX_SAME_NAME) continue;
    for (const path of stems) scores.add(path, stems.length === 1 ? POINTS.nameAlone : POINTS.ambiguous);
  }
}

const withoutEnding = (name: string, paths: ReadonlySet<string>): string[] =>
  [...paths].filter((path) => {
    const stem = path.slice(0, path.length - posix.extname(path).length);
    return stem === name || stem.endsWith(`/${name}`);
  });

function addFailing(scores: Scores, essences: readonly Essence[], { paths }: FileIndex): void {
  const seen = new Set<string>();
  const add = (place: { path: string; line: number } | undefined) => {
    if (!place || !paths.has(place.path)) return;
    const entry = scores.add(place.path, seen.has(place.path) ? 0 : POINTS.failing);
    seen.add(place.path);
    entry.fails = true;
    if (entry.lines.length < 20) entry.lines.push(place.line);
  };
  for (const { failed, errors } of essences) {
    for (const { place, frame, name } of failed) {
      add(place);
      add(frame);
      // A file that could not be run is reported under its own name, a test of pytest under its file's.
      const file = name.split('::', 1)[0] ?? '';
      if (paths.has(file)) add({ path: file, line: 1 });
    }
    for (const { place } of errors) add(place);
  }
}

function addHits(scores: Scores, hits: ReadonlyMap<string, Hits>, plain: ReadonlySet<string>): void {
  const defining = new Map<string, number>();
  const using = new Map<string, number>();
  const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1);
  for (const { defines, uses } of hits.values()) {
    for (const name of defines) count(defining, name);
    for (const name of uses) count(using, name);
  }
  for (const [path, { defines, uses }] of hits) {
    const prose = isCode(path) ? 1 : 0.3;
    for (const name of defines) {
      if (plain.has(name)) {
        const isOwn = isCode(path) && !isTest(path) && (defining.get(name) ?? 0) <= MANY_DEFINING_PLAIN;
        if (isOwn) scores.add(path, POINTS.definesPlain);
        continue;
      }
      const isRare = (defining.get(name) ?? 0) <= MANY_DEFINING && !isTest(path);
      scores.add(path, prose * (isRare ? POINTS.defines : POINTS.definesAmongMany));
    }
    for (const name of uses.filter((each) => !plain.has(each)))
      if ((using.get(name) ?? 0) <= MANY_USING) scores.add(path, prose * POINTS.uses);
  }
}

/** Adds imports: a failing test tests the files that it imports; the imports of a relevant file explain it. */
function addImported(scores: Scores, files: TreeFiles, index: FileIndex): void {
  const relevant = scores
    .ranked()
    .filter(({ points }) => points >= RELEVANT_POINTS)
    .slice(0, MAX_FOLLOWED);
  for (const { path, isTest: test, fails } of relevant) {
    const imported = importsOf(path, files.read(path) ?? '', index);
    const points = test && fails ? POINTS.importedByFailingTest : POINTS.importedByRelevant;
    for (const other of imported) {
      if (isTest(other) && test) continue;
      scores.add(other, points);
      // The tested file may only hand on the definitions of others: an `index.js`, an `__init__.py`.
      if (!(test && fails)) continue;
      for (const behind of importsOf(other, files.read(other) ?? '', index))
        if (!isTest(behind)) scores.add(behind, POINTS.importedByRelevant);
    }
  }
}

/** Adds tests of relevant files, by the name of the tested file or by their imports. */
function addTestsOf(scores: Scores, { files, paths }: RankOptions, index: FileIndex): void {
  const relevant = scores
    .ranked()
    .filter(({ points, isTest: test }) => points >= RELEVANT_POINTS && !test)
    .slice(0, MAX_FOLLOWED);
  if (relevant.length === 0) return;
  const wanted = new Set(relevant.map(({ path }) => path));
  const stems = [...wanted]
    .map((path) => posix.basename(path).split('.')[0] ?? '')
    .filter((stem) => stem.length > 2);
  const tests = paths.filter(isTest);
  const likely = tests.filter((path) => stems.some((stem) => posix.basename(path).includes(stem)));
  const read = new Set([...likely, ...tests].slice(0, MAX_TESTS_READ));
  for (const path of read) {
    const imported = importsOf(path, files.read(path) ?? '', index);
    if (imported.some((other) => wanted.has(other))) scores.add(path, POINTS.testOfRelevant);
  }
}
