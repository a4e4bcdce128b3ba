/**
 * Puts the answer of a model into files. Its code blocks are read by what they hold: definitions, which take the place
 * of those that they stand for; search and replace; patches; whole files. Nothing is dropped because an answer did not
 * mention it, and what cannot be placed without a guess is not placed, with the reason. Nothing is written.
 */
import { languageOf, newProblems, sourceOf } from '../definitions/index.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import { readBlocks, type AnswerBlock } from './answer-blocks.ts';
import { HomeFinder } from './block-home.ts';
import { PathFinder, type NamedBlock } from './block-path.ts';
import { readCode, withoutDiffSigns } from './code-block.ts';
import { applyUpdate, looksLikePatch, readPatch } from './patches.ts';
import { readSearchReplace } from '../tools/editing/search-replace.ts';
import { applySearchReplace, looksLikeSearchReplace } from './search-replace.ts';
import { applyLineChange, looksLikeLineDiff, readLineDiff } from './line-diff.ts';
import { spliceCode } from './splice.ts';
import { hasMark } from './marks.ts';
import { withPlainBlock } from './plain-text.ts';
import {
  excerptOf,
  type AnswerForm,
  type Placed,
  type PlacedFile,
  type PlacedProblem,
  type PlacingContext,
  type Unplaced,
  type UnplacedKind,
} from './types.ts';
import { isWholeFile } from './whole-file.ts';

/** A longer answer is not read at all. */
const MAX_ANSWER_CHARS = 400_000;
/** Blocks after these are not read. */
const MAX_BLOCKS = 100;

const NO_FILE = 'the block names no file, and no one file defines what it holds';
const NO_SUCH_LINES = 'no one file holds the removed lines once';

export async function placeAnswer(answer: string, context: PlacingContext): Promise<Placed> {
  const placer = new Placer(context, answer);
  if (answer.length > MAX_ANSWER_CHARS) placer.refuse(undefined, answer, 'the answer is too long', 'limit');
  else await placer.placeAll();
  return await placer.result();
}

class Placer {
  readonly #context: PlacingContext;
  readonly #answer: string;
  readonly #paths: PathFinder;
  readonly #homes: HomeFinder;
  readonly #before = new Map<string, string | undefined>();
  readonly #now = new Map<string, string>();
  readonly #unplaced: Unplaced[] = [];
  readonly #forms = new Set<AnswerForm>();

  constructor(context: PlacingContext, answer: string) {
    this.#context = context;
    this.#answer = answer;
    this.#paths = new PathFinder(context);
    this.#homes = new HomeFinder({ ...context, read: (path) => this.#text(path) });
  }

  refuse(path: string | undefined, text: string, reason: string, kind: UnplacedKind): void {
    this.#unplaced.push({ path, excerpt: excerptOf(text), reason, kind });
  }

  async placeAll(): Promise<void> {
    const blocks = readBlocks(this.#answer);
    if (blocks.length === 0 && (looksLikePatch(this.#answer) || looksLikeSearchReplace(this.#answer)))
      blocks.push({ info: '', text: this.#answer, before: '', closed: true });
    for (const block of blocks.slice(0, MAX_BLOCKS)) if (block.text.trim() !== '') await this.#block(block);
    const [next] = blocks.slice(MAX_BLOCKS);
    if (next) this.refuse(undefined, next.text, `only the first ${MAX_BLOCKS} code blocks are read`, 'limit');
  }

  async result(): Promise<Placed> {
    const files: PlacedFile[] = [];
    const problems: PlacedProblem[] = [];
    for (const [path, after] of this.#now) {
      const before = this.#before.get(path);
      if (before === after) continue;
      files.push({ path, before, after });
      for (const problem of await newProblems(path, before ?? '', after)) problems.push({ path, ...problem });
    }
    const [form = 'none', second] = this.#forms;
    return { files, unplaced: this.#unplaced, form: second === undefined ? form : 'mixed', problems };
  }

  async #block(block: AnswerBlock): Promise<void> {
    if (looksLikeSearchReplace(block.text)) return await this.#searchReplace(block);
    if (looksLikePatch(block.text) && (await this.#patch(block))) return;
    const isDiff = looksLikeLineDiff(block.info, block.text);
    if (isDiff && (await this.#lineDiff(block))) return;
    for (const part of await this.#paths.name(block))
      await this.#code(part, isDiff ? NO_SUCH_LINES : NO_FILE);
  }

  /** The text as the blocks so far leave it. */
  async #text(path: string): Promise<string | undefined> {
    const now = this.#now.get(path);
    if (now !== undefined) return now;
    if (!this.#before.has(path)) this.#before.set(path, await this.#context.read(path));
    return this.#before.get(path);
  }

  #change(path: string, text: string, form: AnswerForm): void {
    this.#now.set(path, text);
    this.#forms.add(form);
  }

  #mayChange(path: string, text: string): boolean {
    if (this.#context.mayChange(path)) return true;
    this.refuse(path, text, 'the file is not to be changed', 'protected');
    return false;
  }

  /** `whyNowhere`: what to say where no file is found for it. */
  async #code(block: NamedBlock, whyNowhere: string): Promise<void> {
    const { path } = block;
    if (path !== undefined && block.exists) return await this.#intoFile(path, block);
    const home = await this.#homes.of(block);
    if (home !== undefined) return await this.#intoFile(home, block);
    if (path === undefined) return this.refuse(undefined, block.text, whyNowhere, 'unknown-file');
    await this.#newFile(path, block);
  }

  async #newFile(path: string, block: NamedBlock): Promise<void> {
    const mayCreate = this.#context.mayCreate?.(path) ?? this.#context.mayChange(path);
    if (!isSafe(path) || !mayCreate)
      return this.refuse(path, block.text, 'no file may be made there', 'protected');
    if (!block.closed)
      return this.refuse(path, block.text, 'the answer ends in the middle of it', 'unreadable');
    if (hasMark(block.text))
      return this.refuse(path, block.text, 'the file is new, and parts of it are left out', 'loss');
    if ((await this.#text(path)) !== undefined) return await this.#intoFile(path, block);
    const lines = block.text.split('\n').filter(Boolean);
    const isAdded = lines.every((line) => line.startsWith('+'));
    const body = isAdded ? (withoutDiffSigns(block.text)?.text ?? '') : block.text;
    this.#change(path, `${body.trimEnd()}\n`, 'whole-file');
  }

  async #intoFile(path: string, block: NamedBlock): Promise<void> {
    const text = await this.#text(path);
    if (text === undefined || !this.#mayChange(path, block.text)) return;
    const language = languageOf(path);
    if (!language) return this.#intoPlain(path, text, block);
    // Everywhere else what is cut off does not parse.
    if (!block.closed && language === 'python')
      return this.refuse(path, block.text, 'the answer ends in the middle of it', 'unreadable');
    const document = new TextDocument(text);
    const code = await readCode(language, block.text);
    const source = await sourceOf(path, document.text);
    if (!code || !source) return this.refuse(path, block.text, 'it is too long to read', 'limit');
    if (
      code.source.problems.length > 0 &&
      !code.source.problems.every(({ text }) => source.problems.some((old) => old.text === text))
    ) {
      const [problem] = code.source.problems;
      return this.refuse(path, block.text, `it does not parse: ${problem?.text ?? ''}`, 'unreadable');
    }
    const original = new TextDocument(this.#before.get(path) ?? text).text;
    if (isWholeFile(path, source, document.text, code)) {
      if (block.text.trim() === document.text.trim() || block.text.trim() === original.trim()) return;
      return this.#change(path, inFormOf(document, block.text), 'whole-file');
    }
    const prose = this.#answer.replaceAll(/```[\s\S]*?```/g, '');
    const spliced = await spliceCode({
      language,
      path,
      text: document.text,
      original,
      block: code,
      prose: `${block.before}\n${prose}`,
    });
    this.#unplaced.push(...spliced.unplaced.map((each) => ({ path, ...each })));
    if (spliced.text !== document.text) this.#change(path, inFormOf(document, spliced.text), 'definitions');
    else if (
      spliced.placed === 0 &&
      spliced.unplaced.length === 0 &&
      !document.text.includes(block.text.trim())
    )
      this.refuse(path, block.text, 'it holds no definition that the file has', 'ambiguous');
  }

  #intoPlain(path: string, text: string, block: NamedBlock): void {
    const document = new TextDocument(text);
    const after = withPlainBlock(path, document.text, block.text);
    if (after === undefined)
      return this.refuse(
        path,
        block.text,
        'it is not the whole file, nor a part of it with one place',
        'loss',
      );
    if (after.trim() !== document.text.trim()) this.#change(path, inFormOf(document, after), 'whole-file');
  }

  async #searchReplace(block: AnswerBlock): Promise<void> {
    const [named] = await this.#paths.name(block);
    let path = named?.exists ? named.path : undefined;
    for (const change of readSearchReplace(block.text) ?? []) {
      path =
        (await this.#paths.resolve(change.above.replaceAll(/^\W+|[`*:]+$/g, ''))) ??
        path ??
        (await this.#holding(change.search));
      const text = path === undefined ? undefined : await this.#text(path);
      if (path === undefined || text === undefined) {
        this.refuse(undefined, change.search, 'no one file holds what is searched for', 'unknown-file');
        continue;
      }
      if (!this.#mayChange(path, change.replace)) continue;
      const outcome = applySearchReplace(text, change);
      if ('text' in outcome) this.#change(path, outcome.text, 'search-replace');
      else this.refuse(path, change.search, outcome.reason, 'ambiguous');
    }
  }

  /** Whether a change found its one place; a diff that finds none is tried as code. */
  async #lineDiff(block: AnswerBlock): Promise<boolean> {
    const [named] = await this.#paths.name(block);
    const paths = named?.exists && named.path !== undefined ? [named.path] : this.#context.shown;
    const missed: string[] = [];
    let isPlaced = false;
    for (const change of readLineDiff(block.text)) {
      const places: { path: string; text: string }[] = [];
      for (const path of paths) {
        const text = this.#context.mayChange(path) ? await this.#text(path) : undefined;
        const changed = text === undefined ? undefined : applyLineChange(text, change);
        if (changed !== undefined) places.push({ path, text: changed });
      }
      const place = this.#meant(places);
      if (place) {
        this.#change(place.path, place.text, 'patch');
        isPlaced = true;
      } else missed.push(change.removed.join('\n'));
    }
    if (isPlaced) for (const text of missed) this.refuse(undefined, text, NO_SUCH_LINES, 'ambiguous');
    return isPlaced;
  }

  /** The only one, or the only one in a file that the task names. */
  #meant<Place extends { path: string }>(places: readonly Place[]): Place | undefined {
    const named = places.filter(({ path }) => this.#context.named?.includes(path));
    const [place, second] = named.length > 0 ? named : places;
    return second === undefined ? place : undefined;
  }

  async #holding(search: string): Promise<string | undefined> {
    const found: string[] = [];
    for (const path of this.#context.shown)
      if ((await this.#text(path))?.includes(search.trim())) found.push(path);
    return found.length === 1 ? found[0] : undefined;
  }

  /** Whether it was dealt with as a patch; code with stray signs is tried as code. */
  async #patch(block: AnswerBlock): Promise<boolean> {
    const [named] = await this.#paths.name(block);
    const path = named?.exists ? named.path : undefined;
    const operations = readPatch(path !== undefined && named ? named.text : block.text, path);
    if (!Array.isArray(operations)) {
      const isPlaced = path === undefined && (await this.#namelessHunks(block.text));
      if (path === undefined && !isPlaced)
        this.refuse(undefined, block.text, operations.reason, 'unreadable');
      return path === undefined;
    }
    for (const operation of operations) {
      const target = (await this.#paths.resolve(operation.path)) ?? operation.path;
      if (operation.type === 'add') {
        await this.#newFile(target, { ...block, text: operation.lines.join('\n'), exists: false });
        continue;
      }
      const text = await this.#text(target);
      if (text === undefined) this.refuse(target, block.text, 'there is no such file', 'unknown-file');
      else if (operation.type === 'delete')
        this.refuse(target, block.text, 'an answer does not delete files', 'loss');
      else if (this.#mayChange(target, block.text)) {
        const outcome = applyUpdate(text, operation);
        if ('text' in outcome) this.#change(target, outcome.text, 'patch');
        else if (operations.length === 1 && languageOf(target) && (await this.#asCode(target, block)))
          continue;
        else this.refuse(target, block.text, outcome.reason, 'ambiguous');
      }
    }
    return true;
  }

  /** Whether hunks that name no file found the one that they all fit. */
  async #namelessHunks(hunks: string): Promise<boolean> {
    const places: { path: string; text: string }[] = [];
    for (const path of this.#context.shown) {
      const text = this.#context.mayChange(path) ? await this.#text(path) : undefined;
      const operations = text === undefined ? undefined : readPatch(hunks, path);
      const [operation, second] = Array.isArray(operations) ? operations : [];
      if (text === undefined || operation?.type !== 'update' || second) continue;
      const outcome = applyUpdate(text, operation);
      if ('text' in outcome) places.push({ path, text: outcome.text });
    }
    const place = this.#meant(places);
    if (place) this.#change(place.path, place.text, 'patch');
    return place !== undefined;
  }

  /** A hunk that fits nowhere may still hold whole definitions. */
  async #asCode(path: string, block: AnswerBlock): Promise<boolean> {
    const lines = block.text.split('\n').filter((line) => !/^(---|\+\+\+|@@|\*\*\*|diff |index )/.test(line));
    const text = withoutDiffSigns(lines.join('\n'))?.text;
    if (text === undefined) return false;
    const before = this.#now.get(path);
    await this.#intoFile(path, { ...block, text, path, exists: true });
    return this.#now.get(path) !== before;
  }
}

/** Inside of the workspace, and no part of git's own. */
const isSafe = (path: string): boolean =>
  path !== '' &&
  !path.startsWith('/') &&
  !path.split('/').some((part) => part === '..' || part === '.git') &&
  !path.endsWith('/');

/** `text` with the byte order mark, the line ends and the last line break of the file. */
function inFormOf(document: TextDocument, text: string): string {
  const endsClosed = document.text.endsWith('\n') || document.text === '';
  const body = endsClosed
    ? `${text.replace(/\n+$/, '')}${/\n*$/.exec(document.text)?.[0] || '\n'}`
    : text.replace(/\n+$/, '');
  return document.bom + (document.lineEnding === '\n' ? body : body.replaceAll('\n', document.lineEnding));
}
