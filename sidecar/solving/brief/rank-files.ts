/** Ranks the files of a tree by their relevance to a task. The same tree and task give the same order. */
import { posix } from 'node:path';
import type { Essence } from '../../parsing/test-output/types.ts';
import type { IdentifierHits } from './find-identifiers.ts';
import { buildFileIndex, findImports } from './imports.ts';
import type { FileIndex } from './imports.ts';
import { isCode } from '../../parsing/definitions/languages.ts';
import { isTest } from './runners.ts';
import type { TaskWords } from './task-words.ts';
import type { TreeFiles } from './types.ts';

/** Points for each reason. A named file has more points than any other; a definition has more than many uses. */
const POINTS = {
  named: 1000,
  nameAlone: 700,
  ambiguous: 200,
  failing: 600,
  importedByFailingTest: 300,
  defines: 250,
  /** Definition of a name that is only an ordinary word in the task's text. */
  definesPlain: 150,
  definesAmongMany: 40,
  uses: 15,
  importedByRelevant: 90,
  testOfRelevant: 60,
  smallTree: 5,
};
const MAX_DEFINING_FILES = 8;
const MAX_DEFINING_FILES_PLAIN = 2;
const MAX_SAME_NAME_FILES = 12;
/** Maximum number of files that use a name; if more files use it, the name is ignored. */
const MAX_USING_FILES = 60;
/** Maximum number of files whose imports are followed. */
const MAX_FOLLOWED_FILES = 12;
const RELEVANT_POINTS = 200;
/** If a tree has at most this number of sources, each of them gets a few points. */
const SMALL_TREE_FILES = 12;
const MAX_TESTS_READ = 400;

export interface RankedFile {
  path: string;
  points: number;
  isTest: boolean;
  /** Whether a test in the file fails, or a failure was raised in the file. */
  fails: boolean;
  /** Numbers of the lines that failures mention. */
  lines: number[];
}

export interface RankOptions {
  files: TreeFiles;
  paths: readonly string[];
  words: TaskWords;
  hits: ReadonlyMap<string, IdentifierHits>;
  essences: readonly Essence[];
}

export function rankFiles(options: RankOptions): RankedFile[] {
  const index = buildFileIndex(options.paths);
  const scores = new ScoreTable();
  addNamedFiles(scores, options.words.paths, index);
  addFailingFiles(scores, options.essences, index);
  addFilesWithHits(scores, options.hits, new Set(options.words.plainWords));
  addImportedFiles(scores, options.files, index);
  addTests(scores, options, index);
  const sources = options.paths.filter(isCode);
  if (sources.length <= SMALL_TREE_FILES) for (const path of sources) scores.add(path, POINTS.smallTree);
  return scores.listRanked();
}

class ScoreTable {
  readonly #entries = new Map<string, RankedFile>();

  add(path: string, points: number): RankedFile {
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

  listRanked(): RankedFile[] {
    return [...this.#entries.values()].sort(
      (a, b) =>
        b.points - a.points ||
        a.path.split('/').length - b.path.split('/').length ||
        (a.path < b.path ? -1 : 1),
    );
  }
}

/**
 * Adds the files that a name denotes: the exact path, or else paths that end with the name, or else paths that match without the extension.
 */
function addNamedFiles(scores: ScoreTable, names: readonly string[], { paths, byName }: FileIndex): void {
  for (const name of names) {
    if (paths.has(name)) {
      scores.add(name, POINTS.named);
      continue;
    }
    const base = posix.basename(name);
    // A diff names files with the prefix `a/` or `b/`. A user may name them from a folder above the root.
    const shortenedName = name.split('/').slice(1).join('/');
    if (shortenedName !== '' && paths.has(shortenedName)) {
      scores.add(shortenedName, POINTS.named);
      continue;
    }
    const matchingPaths = (byName.get(base) ?? []).filter(
      (path) => path === name || path.endsWith(`/${name}`),
    );
    const namedPaths =
      matchingPaths.length > 0 || posix.extname(base) !== '' || !(name.includes('/') || /^[A-Z]+$/.test(name))
        ? matchingPaths
        : findByStem(name, paths);
    if (namedPaths.length === 0 || namedPaths.length > MAX_SAME_NAME_FILES) continue;
    for (const path of namedPaths)
      scores.add(path, namedPaths.length === 1 ? POINTS.nameAlone : POINTS.ambiguous);
  }
}

const findByStem = (name: string, paths: ReadonlySet<string>): string[] =>
  [...paths].filter((path) => {
    const stem = path.slice(0, path.length - posix.extname(path).length);
    return stem === name || stem.endsWith(`/${name}`);
  });

function addFailingFiles(scores: ScoreTable, essences: readonly Essence[], { paths }: FileIndex): void {
  const seen = new Set<string>();
  const addPlace = (place: { path: string; line: number } | undefined) => {
    if (!place || !paths.has(place.path)) return;
    const entry = scores.add(place.path, seen.has(place.path) ? 0 : POINTS.failing);
    seen.add(place.path);
    entry.fails = true;
    if (entry.lines.length < 20) entry.lines.push(place.line);
  };
  for (const { failed, errors } of essences) {
    for (const { place, frame, name } of failed) {
      addPlace(place);
      addPlace(frame);
      // A file that could not run is reported under its own name. A test of pytest is reported under the name of its file.
      const file = name.split('::', 1)[0] ?? '';
      if (paths.has(file)) addPlace({ path: file, line: 1 });
    }
    for (const { place } of errors) addPlace(place);
  }
}

function addFilesWithHits(
  scores: ScoreTable,
  hits: ReadonlyMap<string, IdentifierHits>,
  plain: ReadonlySet<string>,
): void {
  const definingCounts = new Map<string, number>();
  const usingCounts = new Map<string, number>();
  const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1);
  for (const { defines, uses } of hits.values()) {
    for (const name of defines) count(definingCounts, name);
    for (const name of uses) count(usingCounts, name);
  }
  for (const [path, { defines, uses }] of hits) {
    const weight = isCode(path) ? 1 : 0.3;
    for (const name of defines) {
      if (plain.has(name)) {
        const isOwn =
          isCode(path) && !isTest(path) && (definingCounts.get(name) ?? 0) <= MAX_DEFINING_FILES_PLAIN;
        if (isOwn) scores.add(path, POINTS.definesPlain);
        continue;
      }
      const isRare = (definingCounts.get(name) ?? 0) <= MAX_DEFINING_FILES && !isTest(path);
      scores.add(path, weight * (isRare ? POINTS.defines : POINTS.definesAmongMany));
    }
    for (const name of uses.filter((name) => !plain.has(name)))
      if ((usingCounts.get(name) ?? 0) <= MAX_USING_FILES) scores.add(path, weight * POINTS.uses);
  }
}

/**
 * Adds imported files: the files that a failing test imports, which it tests, and the files that a relevant file imports, which explain it.
 */
function addImportedFiles(scores: ScoreTable, files: TreeFiles, index: FileIndex): void {
  const relevantFiles = scores
    .listRanked()
    .filter(({ points }) => points >= RELEVANT_POINTS)
    .slice(0, MAX_FOLLOWED_FILES);
  for (const { path, isTest: test, fails } of relevantFiles) {
    const importedPaths = findImports(path, files.read(path) ?? '', index);
    const points = test && fails ? POINTS.importedByFailingTest : POINTS.importedByRelevant;
    for (const other of importedPaths) {
      if (isTest(other) && test) continue;
      scores.add(other, points);
      // The tested file may only export the definitions of other files, as an `index.js` or an `__init__.py` does.
      if (!(test && fails)) continue;
      for (const reexportedPath of findImports(other, files.read(other) ?? '', index))
        if (!isTest(reexportedPath)) scores.add(reexportedPath, POINTS.importedByRelevant);
    }
  }
}

/** Adds the tests of relevant files, which are found by their names or by their imports. */
function addTests(scores: ScoreTable, { files, paths }: RankOptions, index: FileIndex): void {
  const relevantFiles = scores
    .listRanked()
    .filter(({ points, isTest: test }) => points >= RELEVANT_POINTS && !test)
    .slice(0, MAX_FOLLOWED_FILES);
  if (relevantFiles.length === 0) return;
  const relevantPaths = new Set(relevantFiles.map(({ path }) => path));
  const stems = [...relevantPaths]
    .map((path) => posix.basename(path).split('.')[0] ?? '')
    .filter((stem) => stem.length > 2);
  const tests = paths.filter(isTest);
  const likelyTests = tests.filter((path) => stems.some((stem) => posix.basename(path).includes(stem)));
  const testsToRead = new Set([...likelyTests, ...tests].slice(0, MAX_TESTS_READ));
  for (const path of testsToRead) {
    const importedPaths = findImports(path, files.read(path) ?? '', index);
    if (importedPaths.some((other) => relevantPaths.has(other))) scores.add(path, POINTS.testOfRelevant);
  }
}
