/**
 * Gathers the brief, the part of a repository in the first question: files related to the task, failures, and the names of other
 * files. It is the same for the same tree and task, within a number of tokens.
 */
import { namesIn } from '../../parsing/definitions/index.ts';
import { HEADINGS } from '../prompt/question-headings.ts';
import { createTokenEstimator } from '../../model/token-estimate.ts';
import { renderTree } from '../prompt/tree.ts';
import { fitLines } from '../../base/values/shortening.ts';
import { failingCode } from './failing-code.ts';
import { findIdentifiers } from './find-identifiers.ts';
import { isCode } from '../../parsing/definitions/languages.ts';
import { generatedPaths, isCheckScript } from './left-out.ts';
import { rankFiles, type Ranked } from './rank-files.ts';
import { fileParts, wholeFile, type PartsOptions } from './show-file.ts';
import { taskWords } from './task-words.ts';
import type { BaseCheck, Brief, BriefFile, BriefTask, TreeFiles } from './types.ts';

export interface GatherBriefOptions {
  task: BriefTask;
  files: TreeFiles;
  /** See `briefBudgetTokens`. */
  budgetTokens: number;
  charsPerToken?: number;
  /** The outcome of the task's checks on the base. */
  checks?: readonly BaseCheck[];
  signal?: AbortSignal;
}

/** Shares of the budget. */
const CHECKS_SHARE = 0.4;
const ONE_FILE_SHARE = 0.3;
const TREE_SHARE = 0.08;
/** Share of tests, after the sources. */
const TESTS_SHARE = 0.35;
const MAX_TREE_LINES = 40;
/** Maximum number of files that only use a name. */
const MAX_FILES_SHOWN = 24;
const MAX_FILES_NAMED = 20;
const MAX_PATHS_FOR_PLAIN = 2_000;
/** A file of at most this size is shown whole if it fits: parts of it would cost nearly as much. */
const MAX_WHOLE_FILE_TOKENS = 800;
/** Code of this size is shown whole even beyond the budget, by at most this share of it: a model invents code that it does not see. */
const SMALL_FILE_TOKENS = 300;
const OVERFLOW_SHARE = 0.2;
/** Weight of files that are named, fail, or define names of the task: such a file may take the whole budget. */
const CERTAIN_POINTS = 250;
/** Minimum of parts of a file; smaller ones are of little use. */
const MIN_PARTS_TOKENS = 60;

export async function gatherBrief(options: GatherBriefOptions): Promise<Brief> {
  const { task, files, checks = [], signal } = options;
  const words = taskWords(task);
  const paths = await listed(files);
  // In a large tree each further word costs time, and more files define what is no more than a word.
  const plain = paths.length <= MAX_PATHS_FOR_PLAIN ? words.plain : [];
  const identifiers = [...words.identifiers, ...plain];
  const hits = await findIdentifiers({ files, paths, identifiers, signal });
  const essences = checks.map(({ essence }) => essence);
  const commands = checks.map(({ name }) => name);
  const ranked = rankFiles({ files, paths, words, hits, essences })
    .slice(0, MAX_FILES_SHOWN + MAX_FILES_NAMED)
    .map((file) => ({ ...file, isTest: file.isTest || isCheckScript(file.path, commands) }));
  const related = new Set([...words.plain, ...(await wordsOfFailing(ranked, files))]);
  const writer = new BriefWriter(options, { identifiers: words.identifiers, related });
  return writer.write(ranked, paths);
}

/** Returns the names in the failing parts of tests. */
async function wordsOfFailing(ranked: readonly Ranked[], files: TreeFiles): Promise<string[]> {
  const failing = ranked.filter(({ isTest, fails }) => isTest && fails);
  const parts = await Promise.all(
    failing.map(({ path, lines }) => failingCode(path, files.read(path) ?? '', lines)),
  );
  return parts.flatMap(namesIn);
}

/** Lists the files without those that the repository marks as generated. */
async function listed(files: TreeFiles): Promise<string[]> {
  const isGenerated = generatedPaths(files.read('.gitattributes') ?? '');
  return (await files.list()).filter((path) => !isGenerated(path));
}

class BriefWriter {
  readonly #options: GatherBriefOptions;
  readonly #names: Pick<PartsOptions, 'identifiers' | 'related'>;
  readonly #cost: (text: string) => number;
  readonly #shown: BriefFile[] = [];

  constructor(options: GatherBriefOptions, names: Pick<PartsOptions, 'identifiers' | 'related'>) {
    const estimator = createTokenEstimator({ charsPerToken: options.charsPerToken });
    this.#options = options;
    this.#names = names;
    this.#cost = (text) => estimator.estimateText(text);
  }

  async write(ranked: readonly Ranked[], paths: readonly string[]): Promise<Brief> {
    const { task, budgetTokens, checks = [] } = this.#options;
    const failing = this.#checks(checks, budgetTokens * CHECKS_SHARE);
    const room = budgetTokens - this.#cost(failing) - 30;
    const sources = ranked.filter(({ isTest }) => !isTest);
    const tests = ranked.filter(({ isTest }) => isTest);
    const testRoom = tests.some(({ fails }) => fails) ? room * TESTS_SHARE : room * 0.15;
    const treeRoom = Math.min(room * TREE_SHARE, 400);
    // The tokens that the sources leave go to the tests.
    const sourceRoom = room - testRoom - treeRoom;
    const shownSources = await this.#files(sources, sourceRoom, budgetTokens * OVERFLOW_SHARE);
    const left = sourceRoom - this.#cost(shownSources);
    const shownTests = await this.#files(tests, Math.max(0, testRoom + Math.max(0, left)));
    const encodings = this.#encodings();
    const shownPaths = new Set(this.#shown.filter(({ shown }) => shown !== 'named').map(({ path }) => path));
    const rest = this.#tree(
      paths.filter((path) => !shownPaths.has(path)),
      treeRoom,
    );
    const stay = task.may_change_checks ? '' : '; they are not to be changed';
    const text = [
      section(HEADINGS.files, shownSources),
      section(`${HEADINGS.tests}${stay})`, shownTests),
      encodings,
      section(HEADINGS.otherFiles, rest),
      section(HEADINGS.checks, failing),
    ]
      .filter(Boolean)
      .join('\n\n');
    const isEmpty = shownPaths.size === 0;
    return {
      text: isEmpty && failing === '' ? '' : text,
      files: this.#shown,
      tokens: this.#cost(text),
      isEmpty,
    };
  }

  /** Returns a line on files with encodings that an answer cannot express. */
  #encodings(): string {
    const names = this.#shown.flatMap(({ path, shown, encoding }) =>
      shown === 'named' || encoding === undefined ? [] : [`${path} (${encoding})`],
    );
    return names.length === 0
      ? ''
      : `Not UTF-8, and kept so: ${names.join(', ')}. Windows-1252 is a guess: write only ASCII there, or characters that the file has.`;
  }

  /** Renders the files. `overflow`: tokens beyond `maxTokens` for small files. */
  async #files(ranked: readonly Ranked[], maxTokens: number, overflow = 0): Promise<string> {
    const { files } = this.#options;
    const texts: string[] = [];
    let room = maxTokens;
    for (const file of ranked) {
      const text =
        texts.length < MAX_FILES_SHOWN && room + overflow > MIN_PARTS_TOKENS
          ? files.read(file.path)
          : undefined;
      const part =
        text === undefined ? undefined : await this.#file(file, text, { room, maxTokens, overflow });
      const encoding = files.encoding?.(file.path);
      const shown = part?.shown ?? 'named';
      this.#shown.push({ path: file.path, shown, ...(encoding !== undefined && { encoding }) });
      if (!part) continue;
      texts.push(part.text);
      room -= this.#cost(part.text) + 2;
    }
    return texts.join('\n\n');
  }

  async #file(
    { path, lines, points }: Ranked,
    text: string,
    { room, maxTokens, overflow }: { room: number; maxTokens: number; overflow: number },
  ): Promise<{ text: string; shown: 'whole' | 'definitions' } | undefined> {
    const whole = wholeFile(path, text);
    const tokens = this.#cost(whole);
    const share = points >= CERTAIN_POINTS ? 1 : ONE_FILE_SHARE;
    const limit = Math.max(maxTokens * share, MAX_WHOLE_FILE_TOKENS);
    if (tokens <= room && tokens <= limit) return { text: whole, shown: 'whole' };
    if (!isCode(path)) return undefined;
    if (tokens <= SMALL_FILE_TOKENS && tokens <= room + overflow) return { text: whole, shown: 'whole' };
    const maxChars = Math.floor(Math.min(room, limit) * 2.5);
    const parts = await fileParts({ path, text, lines, maxChars, ...this.#names });
    return parts !== undefined && this.#cost(parts) <= room
      ? { text: parts, shown: 'definitions' }
      : undefined;
  }

  #tree(paths: readonly string[], maxTokens: number): string {
    const lines = renderTree(paths, MAX_TREE_LINES);
    return fitLines(lines, maxTokens, (line) => this.#cost(`${line}\n`)).join('\n');
  }

  #checks(checks: readonly BaseCheck[], maxTokens: number): string {
    const kept: string[] = [];
    let room = maxTokens;
    for (const text of checks.map(checkText)) {
      const cost = this.#cost(text);
      const fits = cost <= room;
      kept.push(fits ? text : `${text.slice(0, Math.max(120, Math.floor(room * 2.5)))}…`);
      room -= cost;
      if (!fits) break;
    }
    return kept.join('\n\n');
  }
}

const section = (title: string, text: string): string => (text === '' ? '' : `# ${title}\n${text}`);

/** Renders a check. Its output is indented, so that it cannot pose as a part of the brief. */
function checkText({ name, passed, essence }: BaseCheck): string {
  const said = passed ? '' : essence.text;
  const head = `${passed ? 'PASSES' : 'FAILS'}: ${name.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
  return said === '' ? head : `${head}\n${said.replace(/^/gm, '    ')}`;
}
