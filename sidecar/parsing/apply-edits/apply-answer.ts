/**
 * Reads the answer of a model as file changes. The content of each code block determines its kind: a whole file, a patch, search and
 * replace, or definitions that replace their counterparts. Ambiguous changes are left out, with the reason. No file is written.
 */
import { posix } from 'node:path';
import { readBlocks } from './answer-blocks.ts';
import { isDeletion } from './deletions.ts';
import { TargetFileFinder } from './target-file.ts';
import { PathFinder, type NamedBlock } from './block-path.ts';
import { BlockApplier } from './apply-block.ts';
import { ChangeApplier, NO_UNIQUE_PLACE_REASON } from './apply-changes.ts';
import { looksLikeLineDiff, looksLikePatch, looksLikeSearchReplace } from './patches.ts';
import { ChangedFiles } from './changed-files.ts';
import type { AnswerBlock, ApplyContext, AnswerCandidate, BlockReading } from './types.ts';

/** Maximum length of an answer. Longer answers are rejected. */
const MAX_ANSWER_CHARS = 400_000;
/** Maximum number of code blocks, and of parts of blocks that name their own files. Further ones are ignored. */
const MAX_BLOCKS = 100;

/**
 * Returns one or more readings of an answer, in the order in which to try them: first as written, then with omitted parts restored.
 * Readings with syntax errors come last. Of several readings with identical changes, only one is returned.
 */
export async function applyAnswer(
  answer: string,
  context: ApplyContext,
): Promise<[AnswerCandidate, ...AnswerCandidate[]]> {
  const candidates: [AnswerCandidate, ...AnswerCandidate[]] = [
    await applyReading('as written', answer, context),
  ];
  for (const reading of ['whole files', 'merged'] as const) {
    const candidate = await applyReading(reading, answer, context);
    if (!candidates.some((other) => areChangesEqual(other, candidate))) candidates.push(candidate);
  }
  return candidates.sort((candidate, other) => Number(isUsable(other)) - Number(isUsable(candidate)));
}

const isUsable = ({ files, problems }: AnswerCandidate): boolean => files.length > 0 && problems.length === 0;

async function applyReading(
  reading: BlockReading,
  answer: string,
  context: ApplyContext,
): Promise<AnswerCandidate> {
  const files = new ChangedFiles(context);
  if (answer.length > MAX_ANSWER_CHARS) files.refuse(undefined, answer, 'the answer is too long');
  else await new AnswerApplier(files, answer, reading).apply();
  return files.buildCandidate(reading);
}

const areChangesEqual = (candidate: AnswerCandidate, other: AnswerCandidate): boolean =>
  candidate.files.length === other.files.length &&
  candidate.files.every(({ path, after }) =>
    other.files.some((file) => file.path === path && file.after === after),
  );

class AnswerApplier {
  readonly #files: ChangedFiles;
  readonly #answer: string;
  readonly #paths: PathFinder;
  readonly #fileFinder: TargetFileFinder;
  readonly #blocks: BlockApplier;
  readonly #changes: ChangeApplier;
  #readBlockCount = 0;

  constructor(files: ChangedFiles, answer: string, reading: BlockReading) {
    this.#files = files;
    this.#answer = answer;
    this.#paths = new PathFinder(files.context);
    this.#fileFinder = new TargetFileFinder({ ...files.context, read: (path) => files.read(path) });
    this.#blocks = new BlockApplier(files, reading);
    this.#changes = new ChangeApplier(files, this.#paths, this.#blocks);
  }

  async apply(): Promise<void> {
    const blocks = readBlocks(this.#answer);
    if (blocks.length === 0) return await this.#applyUnfenced();
    for (const block of blocks) {
      if (block.text.trim() === '') continue;
      if (!this.#isWithinLimit(block)) return;
      await this.#applyBlock(block);
    }
  }

  #isWithinLimit({ text }: AnswerBlock): boolean {
    this.#readBlockCount += 1;
    if (this.#readBlockCount <= MAX_BLOCKS) return true;
    if (this.#readBlockCount === MAX_BLOCKS + 1)
      this.#files.refuse(undefined, text, `only the first ${MAX_BLOCKS} code blocks are read`);
    return false;
  }

  /** Applies an answer that consists only of a patch or only of code. */
  async #applyUnfenced(): Promise<void> {
    const block = { info: '', text: this.#answer, precedingProse: '', closed: true };
    if (looksLikePatch(this.#answer) || looksLikeSearchReplace(this.#answer))
      return await this.#applyBlock(block);
    const path = await this.#fileFinder.find({ ...block, textWithPathLine: block.text, exists: false });
    if (path !== undefined)
      await this.#blocks.applyToFile(path, { ...block, textWithPathLine: block.text, exists: true });
  }

  async #applyBlock(block: AnswerBlock): Promise<void> {
    if (looksLikeSearchReplace(block.text)) return await this.#changes.applySearchReplace(block);
    if (looksLikePatch(block.text) && (await this.#changes.applyPatch(block))) return;
    const isDiff = looksLikeLineDiff(block.info, block.text);
    if (isDiff && (await this.#changes.applyLineDiff(block))) return;
    const parts = await this.#paths.splitByFile(block);
    const [part] = parts;
    if (part && parts.length === 1 && isDeletion(part.text)) {
      const { path, closed } = part;
      // Deleting a file that does not exist has no effect.
      const fileExists = path !== undefined && (await this.#files.read(path)) !== undefined;
      return fileExists && closed ? this.#files.remove(path) : undefined;
    }
    const reasonWithoutFile = isDiff
      ? NO_UNIQUE_PLACE_REASON
      : 'the block names no file, and its definitions belong to no single file';
    for (const [index, part] of parts.entries()) {
      if (index > 0 && !this.#isWithinLimit(part)) return;
      await this.#applyCode(part, reasonWithoutFile);
    }
  }

  /** Applies a code block. `noFileReason`: reason that is reported if no file fits. */
  async #applyCode(block: NamedBlock, noFileReason: string): Promise<void> {
    const { path } = block;
    if (path !== undefined && block.exists) {
      const otherFile = await this.#fileFinder.findAlternative(path, block);
      return await this.#blocks.applyToFile(otherFile ?? path, block);
    }
    const isImported = path !== undefined && importsFile(this.#answer, path);
    const home = isImported ? undefined : await this.#fileFinder.find(block);
    if (home !== undefined) return await this.#blocks.applyToFile(home, block);
    if (path !== undefined) return await this.#blocks.createFile(path, block);
    this.#files.refuse(undefined, block.text, noFileReason);
  }
}

/** Returns whether an answer imports a file by its base name without the extension. */
function importsFile(answer: string, path: string): boolean {
  const { name } = posix.parse(path);
  return answer
    .split('\n')
    .some(
      (line) =>
        /\b(?:import|from|require|include|source|use|mod)\b/.test(line) &&
        line.split(/[^\w-]+/).includes(name),
    );
}
