/** Which file a code block is for that names none, or a path that does not exist. */
import { languageOf, sourceOf, withNested } from '../definitions/index.ts';
import { isFenceOf } from '../definitions/languages.ts';
import { TextDocument } from '../tools/editing/text-document.ts';
import { kindOf } from './answer-blocks.ts';
import type { NamedBlock } from './block-path.ts';
import { readCode } from './code-block.ts';
import { importedNames } from './imports.ts';
import { isTextOfInfo, mergeText } from './merge-text.ts';
import type { ApplyingContext } from './types.ts';
import { isWholeFile } from './whole-file.ts';

export class HomeFinder {
  readonly #context: ApplyingContext;

  /** `context.read` gives the files as the blocks so far leave them. */
  constructor(context: ApplyingContext) {
    this.#context = context;
  }

  /** The one file that the block fits into, of those that the model saw; undefined where none or several do. */
  async of(block: NamedBlock): Promise<string | undefined> {
    return (await this.#ofCode(block)) ?? (await this.#ofPlainText(block));
  }

  /**
   * The file to take in place of the one that is named: that one defines nothing of the block, and imports from the only file
   * that does, or is not to be changed. Undefined where the name is right.
   */
  async insteadOf(path: string, block: NamedBlock): Promise<string | undefined> {
    const language = languageOf(path);
    const text = language && (await this.#context.read(path));
    const source = text === undefined ? undefined : await sourceOf(path, text);
    const code = language && (await readCode(language, block.text));
    if (!source || !code || text === undefined) return undefined;
    const given = code.items.flatMap((item) => (item.type === 'definition' ? [item.definition.name] : []));
    const known = new Set(withNested(source.definitions).flatMap(({ names }) => names));
    if (given.some((name) => known.has(name))) return undefined;
    const imported = importedNames(source, text);
    if (this.#context.mayChange(path) && !given.some((name) => imported.has(name))) return undefined;
    const { found, mostly } = await this.#definers(block);
    const [home] = mostly;
    return home !== undefined && found.length === 1 && this.#context.mayChange(home) ? home : undefined;
  }

  /** The only one that defines what the block holds. */
  async #ofCode(block: NamedBlock): Promise<string | undefined> {
    const { found, mostly, ofLanguage } = await this.#definers(block);
    if (block.path !== undefined) {
      // A bare name may be that of anything; a path of which nobody spoke, with what another file defines, is made up.
      if (!block.path.includes('/')) return found.length === 1 ? found[0] : undefined;
      return found.length === 1 && !this.#context.isNamed?.(block.path) ? mostly[0] : undefined;
    }
    if (found.length === 1) return found[0];
    const changeable = found.filter((path) => this.#context.mayChange(path));
    if (changeable.length === 1) return changeable[0];
    return found.length === 0 && ofLanguage.length === 1 ? ofLanguage[0] : undefined;
  }

  /** The shown files that define something of the block, those that define most of it, and those of its language. */
  async #definers(block: NamedBlock): Promise<Record<'found' | 'mostly' | 'ofLanguage', string[]>> {
    const found: string[] = [];
    const mostly: string[] = [];
    const ofLanguage: string[] = [];
    for (const path of this.#context.shown) {
      const language = languageOf(path);
      const text = language && (await this.#context.read(path));
      if (!language || text === undefined || !isFenceOf(kindOf(block.info), language)) continue;
      const code = await readCode(language, block.text);
      const source = await sourceOf(path, text);
      if (!code || !source || code.source.problems.length > 0) continue;
      const names = code.items.flatMap((item) => (item.type === 'definition' ? [item.definition] : []));
      const known = new Set<string>();
      for (const { names } of withNested(source.definitions)) for (const name of names) known.add(name);
      // Values alone are an example of use.
      const holdsCode = names.some(({ kind }) => kind !== 'constant');
      if (holdsCode && this.#context.mayChange(path)) ofLanguage.push(path);
      const isFound = names.some(
        ({ name, children }) =>
          known.has(name) && (children.length === 0 || children.some((child) => known.has(child.name))),
      );
      if (!isFound) continue;
      found.push(path);
      const redefined = names.filter(({ name }) => known.has(name) && name !== 'main');
      if (holdsCode && redefined.length > names.length / 2) mostly.push(path);
    }
    return { found, mostly, ofLanguage };
  }

  /** The only one that the block's fence may mean and that takes it. */
  async #ofPlainText(block: NamedBlock): Promise<string | undefined> {
    if (block.path !== undefined || !block.closed) return undefined;
    const found: string[] = [];
    for (const path of this.#context.shown.filter((each) => isTextOfInfo(block.info, each))) {
      const text = this.#context.mayChange(path) ? await this.#context.read(path) : undefined;
      if (text === undefined) continue;
      const before = new TextDocument(text).text;
      if ((await isWholeFile(path, before, block.text)) || mergeText(path, before, block.text) !== undefined)
        found.push(path);
    }
    return found.length === 1 ? found[0] : undefined;
  }
}
