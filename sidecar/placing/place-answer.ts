/**
 * Puts the answer of a model into files. Its code blocks are read by what they hold: definitions, which take the place
 * of those that they stand for; search and replace; patches; whole files. Nothing is dropped because an answer did not
 * mention it, and what cannot be placed without a guess is not placed, with the reason. Nothing is written.
 */
import { posix } from 'node:path';
import { languageOf } from '../definitions/index.ts';
import { readBlocks } from './answer-blocks.ts';
import { HomeFinder } from './block-home.ts';
import { PathFinder, type NamedBlock } from './block-path.ts';
import { BlockPlacer } from './block-placer.ts';
import { ChangePlacer, NO_SUCH_LINES } from './change-placer.ts';
import { looksLikeLineDiff } from './line-diff.ts';
import { withPassage } from './passage.ts';
import { looksLikePatch } from './patches.ts';
import { PlacedFiles } from './placed-files.ts';
import { looksLikeSearchReplace } from './search-replace.ts';
import type { AnswerBlock, Placed, PlacingContext } from './types.ts';

/** A longer answer is not read at all. */
const MAX_ANSWER_CHARS = 400_000;
/** Blocks, and parts of blocks that name files of their own, after these are not read. */
const MAX_BLOCKS = 100;

const NO_FILE = 'the block names no file, and no one file defines what it holds';
/** What is said before a line of code that is to take the place of one. */
const SAYS_CHANGE =
  /\b(?:(?:with|to|by|be|becomes?)\W*$|(?:chang|replac|fix|instead|updat|correct)[^.\n]*$)/i;
const MAX_SAID_CHARS = 200;

export async function placeAnswer(answer: string, context: PlacingContext): Promise<Placed> {
  const files = new PlacedFiles(context);
  if (answer.length > MAX_ANSWER_CHARS) files.refuse(undefined, answer, 'the answer is too long', 'limit');
  else await new AnswerPlacer(files, answer).place();
  return await files.result();
}

class AnswerPlacer {
  readonly #files: PlacedFiles;
  readonly #answer: string;
  readonly #paths: PathFinder;
  readonly #homes: HomeFinder;
  readonly #blocks: BlockPlacer;
  readonly #changes: ChangePlacer;
  #read = 0;

  constructor(files: PlacedFiles, answer: string) {
    this.#files = files;
    this.#answer = answer;
    this.#paths = new PathFinder(files.context);
    this.#homes = new HomeFinder({ ...files.context, read: (path) => files.read(path) });
    this.#blocks = new BlockPlacer(files, answer.replaceAll(/```[\s\S]*?```/g, ''));
    this.#changes = new ChangePlacer(files, this.#paths, this.#blocks);
  }

  async place(): Promise<void> {
    const blocks = readBlocks(this.#answer);
    if (blocks.length === 0) return await this.#unfenced();
    for (const block of blocks) {
      if (block.text.trim() === '') continue;
      if (!this.#isWithinLimit(block)) return;
      await this.#block(block);
    }
  }

  #isWithinLimit({ text }: AnswerBlock): boolean {
    this.#read += 1;
    if (this.#read <= MAX_BLOCKS) return true;
    if (this.#read === MAX_BLOCKS + 1)
      this.#files.refuse(undefined, text, `only the first ${MAX_BLOCKS} code blocks are read`, 'limit');
    return false;
  }

  /** An answer that is nothing but a patch, or nothing but code. */
  async #unfenced(): Promise<void> {
    const block = { info: '', text: this.#answer, before: '', closed: true };
    if (looksLikePatch(this.#answer) || looksLikeSearchReplace(this.#answer)) return await this.#block(block);
    const home = await this.#homes.of({ ...block, exists: false });
    if (home !== undefined) await this.#blocks.intoFile(home, { ...block, exists: true });
  }

  async #block(block: AnswerBlock): Promise<void> {
    if (looksLikeSearchReplace(block.text)) return await this.#changes.searchReplace(block);
    if (looksLikePatch(block.text) && (await this.#changes.patch(block))) return;
    const isDiff = looksLikeLineDiff(block.info, block.text);
    if (isDiff && (await this.#changes.lineDiff(block))) return;
    const parts = await this.#paths.name(block);
    for (const [index, part] of parts.entries()) {
      if (index > 0 && !this.#isWithinLimit(part)) return;
      await this.#code(part, isDiff ? NO_SUCH_LINES : NO_FILE);
    }
  }

  /** `whyNowhere`: what to say where no file is found for it. */
  async #code(block: NamedBlock, whyNowhere: string): Promise<void> {
    const { path } = block;
    if (path !== undefined && block.exists) {
      const instead = await this.#homes.insteadOf(path, block);
      return await this.#blocks.intoFile(instead ?? path, block);
    }
    const isImported = path !== undefined && imports(this.#answer, path);
    const home = isImported ? undefined : await this.#homes.of(block);
    if (home !== undefined) return await this.#blocks.intoFile(home, block);
    if (path !== undefined) return await this.#blocks.newFile(path, block);
    if (!(await this.#line(block))) this.#files.refuse(undefined, block.text, whyNowhere, 'unknown-file');
  }

  /** Whether it is one line that, as is said before it, takes the place of one that only one file has. */
  async #line({ text, before }: NamedBlock): Promise<boolean> {
    const said = before.trimEnd().slice(-MAX_SAID_CHARS);
    if (text.trim().includes('\n') || !SAYS_CHANGE.test(said)) return false;
    const found = await this.#files.tried((file, path) => languageOf(path) && withPassage(file, text));
    return this.#files.makeOnly(found);
  }
}

/** Whether an answer imports a file by the name that it has without its folders and its extension. */
function imports(answer: string, path: string): boolean {
  const { name } = posix.parse(path);
  return answer
    .split('\n')
    .some((line) => /\b(?:import|from|require|include|source|use|mod)\b/.test(line) && hasWord(line, name));
}

const hasWord = (line: string, word: string): boolean => line.split(/[^\w-]+/).includes(word);
