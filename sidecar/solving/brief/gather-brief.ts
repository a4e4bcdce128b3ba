/**
 * Gathers the brief, which is the part of a repository in the first question: files related to the task, failures, and the names of other
 * files. It has a maximum number of tokens. The same tree and task give the same brief.
 */
import { extractNames } from '../../parsing/definitions/index.ts';
import { HEADINGS } from '../prompt/question-headings.ts';
import { createTokenEstimator } from '../../model/token-estimate.ts';
import { renderTree } from '../prompt/tree.ts';
import { fitLines } from '../../base/values/shortening.ts';
import { findFailingCode } from './failing-code.ts';
import { findIdentifiers } from './find-identifiers.ts';
import { isCode } from '../../parsing/definitions/languages.ts';
import { readGeneratedRules, isCheckScript } from './excluded-files.ts';
import { rankFiles, type RankedFile } from './rank-files.ts';
import { renderFileParts, renderWholeFile, type FilePartsOptions } from './show-file.ts';
import { findTaskWords } from './task-words.ts';
import type { BaseCheck, Brief, BriefFile, BriefTask, TreeFiles } from './types.ts';

export interface GatherBriefOptions {
  task: BriefTask;
  files: TreeFiles;
  /** Maximum number of tokens; see `computeBriefBudget`. */
  budgetTokens: number;
  charsPerToken?: number;
  /** Outcomes of the task's checks on the base. */
  checks?: readonly BaseCheck[];
  signal?: AbortSignal;
}

/** Share of the budget for checks. */
const CHECKS_SHARE = 0.4;
/** Share of the tokens for files that a single whole file may take, unless it has `CERTAIN_POINTS`. */
const ONE_FILE_SHARE = 0.3;
/** Share of the remaining tokens for the names of other files. */
const TREE_SHARE = 0.08;
/** Share of the remaining tokens for tests, if one fails. */
const TESTS_SHARE = 0.35;
const MAX_TREE_LINES = 40;
/** Maximum number of files that are shown. */
const MAX_FILES_SHOWN = 24;
const MAX_FILES_NAMED = 20;
const MAX_PATHS_FOR_PLAIN_WORDS = 2_000;
/** Maximum size of a file that is shown whole if it fits, since parts of it would cost nearly as much. */
const MAX_WHOLE_FILE_TOKENS = 800;
/** Code of at most this size is shown whole even if it exceeds the budget, since a model invents code that it does not see. */
const SMALL_FILE_TOKENS = 300;
/** Maximum excess by small files, as a share of the budget. */
const OVERFLOW_SHARE = 0.2;
/** Minimum points of a file that may take the whole budget: it is named, fails, or defines names of the task. */
const CERTAIN_POINTS = 250;
/** Minimum number of tokens for parts of a file; fewer are of little use. */
const MIN_PARTS_TOKENS = 60;

export async function gatherBrief(options: GatherBriefOptions): Promise<Brief> {
  const { task, files, checks = [], signal } = options;
  const words = findTaskWords(task);
  const paths = await listSources(files);
  // In a large tree, each additional word costs time, and more files define names that are only ordinary words.
  const plain = paths.length <= MAX_PATHS_FOR_PLAIN_WORDS ? words.plainWords : [];
  const identifiers = [...words.identifiers, ...plain];
  const hits = await findIdentifiers({ files, paths, identifiers, signal });
  const essences = checks.map(({ essence }) => essence);
  const commands = checks.map(({ name }) => name);
  const rankedFiles = rankFiles({ files, paths, words, hits, essences })
    .slice(0, MAX_FILES_SHOWN + MAX_FILES_NAMED)
    .map((file) => ({ ...file, isTest: file.isTest || isCheckScript(file.path, commands) }));
  const relatedNames = new Set([...words.plainWords, ...(await findFailingNames(rankedFiles, files))]);
  const writer = new BriefWriter(options, { identifiers: words.identifiers, related: relatedNames });
  return writer.write(rankedFiles, paths);
}

/** Returns the names in the failing parts of tests. */
async function findFailingNames(ranked: readonly RankedFile[], files: TreeFiles): Promise<string[]> {
  const failing = ranked.filter(({ isTest, fails }) => isTest && fails);
  const parts = await Promise.all(
    failing.map(({ path, lines }) => findFailingCode(path, files.read(path) ?? '', lines)),
  );
  return parts.flatMap(extractNames);
}

/** Lists the files, except those that the repository marks as generated. */
async function listSources(files: TreeFiles): Promise<string[]> {
  const isGenerated = readGeneratedRules(files.read('.gitattributes') ?? '');
  return (await files.list()).filter((path) => !isGenerated(path));
}

class BriefWriter {
  readonly #options: GatherBriefOptions;
  readonly #wantedNames: Pick<FilePartsOptions, 'identifiers' | 'related'>;
  readonly #estimateTokens: (text: string) => number;
  readonly #shownFiles: BriefFile[] = [];

  constructor(options: GatherBriefOptions, names: Pick<FilePartsOptions, 'identifiers' | 'related'>) {
    const estimator = createTokenEstimator({ charsPerToken: options.charsPerToken });
    this.#options = options;
    this.#wantedNames = names;
    this.#estimateTokens = (text) => estimator.estimateText(text);
  }

  async write(ranked: readonly RankedFile[], paths: readonly string[]): Promise<Brief> {
    const { task, budgetTokens, checks = [] } = this.#options;
    const checksText = this.#renderChecks(checks, budgetTokens * CHECKS_SHARE);
    const leftTokens = budgetTokens - this.#estimateTokens(checksText) - 30;
    const sources = ranked.filter(({ isTest }) => !isTest);
    const tests = ranked.filter(({ isTest }) => isTest);
    const testTokens = tests.some(({ fails }) => fails) ? leftTokens * TESTS_SHARE : leftTokens * 0.15;
    const treeTokens = Math.min(leftTokens * TREE_SHARE, 400);
    // The tests get the tokens that the sources do not use.
    const sourceTokens = leftTokens - testTokens - treeTokens;
    const shownSources = await this.#renderFiles(sources, sourceTokens, budgetTokens * OVERFLOW_SHARE);
    const unusedTokens = sourceTokens - this.#estimateTokens(shownSources);
    const shownTests = await this.#renderFiles(tests, Math.max(0, testTokens + Math.max(0, unusedTokens)));
    const encodings = this.#describeEncodings();
    const shownPaths = new Set(
      this.#shownFiles.filter(({ extent }) => extent !== 'named').map(({ path }) => path),
    );
    const treeText = this.#renderTree(
      paths.filter((path) => !shownPaths.has(path)),
      treeTokens,
    );
    const unchangedNote = task.may_change_checks ? '' : '; they are not to be changed';
    const text = [
      formatSection(HEADINGS.files, shownSources),
      formatSection(`${HEADINGS.tests}${unchangedNote})`, shownTests),
      encodings,
      formatSection(HEADINGS.otherFiles, treeText),
      formatSection(HEADINGS.checks, checksText),
    ]
      .filter(Boolean)
      .join('\n\n');
    const isEmpty = shownPaths.size === 0;
    return {
      text: isEmpty && checksText === '' ? '' : text,
      files: this.#shownFiles,
      tokens: this.#estimateTokens(text),
      isEmpty,
    };
  }

  /** Returns a line on files with encodings that an answer cannot express. */
  #describeEncodings(): string {
    const names = this.#shownFiles.flatMap(({ path, extent, encoding }) =>
      extent === 'named' || encoding === undefined ? [] : [`${path} (${encoding})`],
    );
    return names.length === 0
      ? ''
      : `Not UTF-8; keep the encoding of these files: ${names.join(', ')}. Windows-1252 is a guess: in such files write only ASCII, or characters that the file already contains.`;
  }

  /** Renders the files. `overflow`: number of tokens by which small files may exceed `maxTokens`. */
  async #renderFiles(ranked: readonly RankedFile[], maxTokens: number, overflow = 0): Promise<string> {
    const { files } = this.#options;
    const texts: string[] = [];
    let leftTokens = maxTokens;
    for (const file of ranked) {
      const text =
        texts.length < MAX_FILES_SHOWN && leftTokens + overflow > MIN_PARTS_TOKENS
          ? files.read(file.path)
          : undefined;
      const part =
        text === undefined
          ? undefined
          : await this.#renderFile(file, text, { room: leftTokens, maxTokens, overflow });
      const encoding = files.encoding?.(file.path);
      const shown = part?.extent ?? 'named';
      this.#shownFiles.push({ path: file.path, extent: shown, ...(encoding !== undefined && { encoding }) });
      if (!part) continue;
      texts.push(part.text);
      leftTokens -= this.#estimateTokens(part.text) + 2;
    }
    return texts.join('\n\n');
  }

  async #renderFile(
    { path, lines, points }: RankedFile,
    text: string,
    { room, maxTokens, overflow }: { room: number; maxTokens: number; overflow: number },
  ): Promise<{ text: string; extent: 'whole' | 'definitions' } | undefined> {
    const wholeText = renderWholeFile(path, text);
    const tokens = this.#estimateTokens(wholeText);
    const share = points >= CERTAIN_POINTS ? 1 : ONE_FILE_SHARE;
    const limit = Math.max(maxTokens * share, MAX_WHOLE_FILE_TOKENS);
    if (tokens <= room && tokens <= limit) return { text: wholeText, extent: 'whole' };
    if (!isCode(path)) return undefined;
    if (tokens <= SMALL_FILE_TOKENS && tokens <= room + overflow) return { text: wholeText, extent: 'whole' };
    const maxChars = Math.floor(Math.min(room, limit) * 2.5);
    const parts = await renderFileParts({ path, text, lines, maxChars, ...this.#wantedNames });
    return parts !== undefined && this.#estimateTokens(parts) <= room
      ? { text: parts, extent: 'definitions' }
      : undefined;
  }

  #renderTree(paths: readonly string[], maxTokens: number): string {
    const lines = renderTree(paths, MAX_TREE_LINES);
    return fitLines(lines, maxTokens, (line) => this.#estimateTokens(`${line}\n`)).join('\n');
  }

  #renderChecks(checks: readonly BaseCheck[], maxTokens: number): string {
    const texts: string[] = [];
    let leftTokens = maxTokens;
    for (const text of checks.map(formatCheck)) {
      const cost = this.#estimateTokens(text);
      const isFitting = cost <= leftTokens;
      texts.push(isFitting ? text : `${text.slice(0, Math.max(120, Math.floor(leftTokens * 2.5)))}…`);
      leftTokens -= cost;
      if (!isFitting) break;
    }
    return texts.join('\n\n');
  }
}

const formatSection = (title: string, text: string): string => (text === '' ? '' : `# ${title}\n${text}`);

/** Renders a check. Its output is indented, so that it cannot look like another part of the brief. */
function formatCheck({ name, passed, essence }: BaseCheck): string {
  const output = passed ? '' : essence.text;
  const head = `${passed ? 'PASSES' : 'FAILS'}: ${name.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
  return output === '' ? head : `${head}\n${output.replace(/^/gm, '    ')}`;
}
