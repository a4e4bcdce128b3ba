/** Represents the files of the base as a graph: the files that each file imports or names, and the files that use it. Pure. */
import { posix } from 'node:path';
import { buildFileIndex, findImports, type FileIndex } from '../../brief/imports.ts';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings } from '../../brief/runners.ts';
import { compileLenientGlob } from '../../../workspace/files/glob-pattern.ts';
import { extractDecidingPart } from './deciding-part.ts';

const IMPORT_ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.ts'];
/**
 * Matches settings that name inputs and outputs of the build, which are not part of the checks, and scripts, which are followed as
 * commands.
 */
const BUILD_SETTINGS =
  /\b(?:entry\w*|input|main|lib|files|include|imports|scripts|source)["']?\s*[:=]\s*(?:\{[^}]{0,2000}\}|\[[^\]]{0,2000}\]|["'][^"'\n]{0,400}["'])/g;

const QUOTED_TEXT = /["'`]([^"'`\n]{1,200})["'`]/g;
const WORD_PATTERN = /[^\s"'`=,:[\](){}]+/g;

interface FileLinks {
  imports: readonly string[];
  /** Files that the file imports or names. Source code names a file by a quoted text, any other file by a word. */
  uses: readonly string[];
}

export class BaseFiles {
  readonly index: FileIndex;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #links = new Map<string, FileLinks>();
  readonly #users = new Map<string, string[]>();

  constructor(paths: readonly string[], texts: ReadonlyMap<string, string>) {
    this.index = buildFileIndex(paths);
    this.#texts = texts;
    for (const user of paths.filter((path) => this.isSource(path)))
      for (const path of this.linksOf(user).uses) this.#users.set(path, [...this.usersOf(path), user]);
  }

  linksOf(path: string): FileLinks {
    const known = this.#links.get(path);
    if (known) return known;
    const isSource = this.isSource(path);
    const text = isSource ? this.text(path) : extractDecidingPart(path, this.text(path));
    const imports = findImports(path, text, this.index);
    const own = isSource && !isSettings(path) ? text : text.replaceAll(BUILD_SETTINGS, '');
    const words = [...own.matchAll(isSource ? QUOTED_TEXT : WORD_PATTERN)].map(
      ([word, quoted = word]) => quoted,
    );
    const links = { imports, uses: [...new Set([...imports, ...this.#findReferencedFiles(words, path)])] };
    this.#links.set(path, links);
    return links;
  }

  /** Returns the sources that use a file. */
  usersOf(path: string): readonly string[] {
    return this.#users.get(path) ?? [];
  }

  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  /** Returns whether a file is source code, by its extension or its `#!` line. */
  isSource(path: string): boolean {
    return isCode(path) || this.text(path).startsWith('#!');
  }

  /** Returns the files with this path, with or without its extension, in any folder. A name may be a glob. */
  findAnywhere(name: string): string[] {
    const path = posix.normalize(name).replace(/^(?:\.*\/)+/, '');
    if (/^[^\s*{]*[*{]\S*$/.test(path)) return [...this.index.paths].filter(compileLenientGlob(`**/${path}`));
    return IMPORT_ENDINGS.slice(0, -2)
      .map((ending) => path + ending)
      .flatMap((one) =>
        (this.index.byName.get(posix.basename(one)) ?? []).filter((other) => `/${other}`.endsWith(`/${one}`)),
      );
  }

  /**
   * Returns the files that `words` name, relative to the file's folder or to the root. If a word names a folder, returns its data files.
   */
  #findReferencedFiles(words: readonly string[], path: string): string[] {
    return words.flatMap((word) => {
      const name = word.replace(/^<rootDir>\/?|^file:/, '').replace(/^\/(?=\w)/, '');
      if (!/^[\w@.~-][\w@./ ~+-]*$/.test(name) || /^\.{0,2}\/?$/.test(name)) return [];
      const names = [...IMPORT_ENDINGS.map((ending) => name + ending), `${name.replaceAll('.', '/')}.py`];
      const targets = [posix.dirname(path), '.'].flatMap((folder) =>
        names.map((one) => posix.join(folder, one)),
      );
      const found = targets.find((one) => this.index.paths.has(one));
      if (found !== undefined) return found === path ? [] : [found];
      const folder = targets.map((one) => one.replace(/\/$/, '')).find((one) => this.index.byFolder.has(one));
      return (this.index.byFolder.get(folder ?? '') ?? []).filter((one) => !this.isSource(one));
    });
  }
}
