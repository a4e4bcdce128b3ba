/** Represents the files of the base as a graph: the files that each file imports or names, and the files that use it. Pure. */
import { posix } from 'node:path';
import { buildFileIndex, findImports, type FileIndex } from '../../brief/imports.ts';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings } from '../../brief/runners.ts';
import { isRecord, parseJson } from '../../../base/values/json.ts';
import { decidingPart } from './deciding-part.ts';

const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.ts'];
/** Settings that name inputs and outputs of the build, which are not part of the checks. */
const BUILD_SETTINGS =
  /\b(?:entry\w*|input|main|lib|files|include|imports|source)["']?\s*[:=]\s*(?:\{[^}]{0,2000}\}|\[[^\]]{0,2000}\]|["'][^"'\n]{0,400}["'])/g;

export class BaseFiles {
  readonly index: FileIndex;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #imports = new Map<string, string[]>();
  readonly #names = new Map<string, string[]>();
  #users: Map<string, string[]> | undefined;

  constructor(paths: readonly string[], texts: ReadonlyMap<string, string>) {
    this.index = buildFileIndex(paths);
    this.#texts = texts;
  }

  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  /** Returns whether a file is source code, by its extension or its `#!` line. */
  isSource(path: string): boolean {
    return isCode(path) || this.text(path).startsWith('#!');
  }

  imports(path: string): string[] {
    return getOrCreate(this.#imports, path, () => findImports(path, this.text(path), this.index));
  }

  /** Returns the files that a file imports or names in quotes. */
  uses(path: string): string[] {
    return [
      ...this.imports(path),
      ...getOrCreate(this.#names, path, () => [...new Set(this.#namedIn(path))]),
    ];
  }

  /** Returns the sources that use a file, and the manifests that export or start it. */
  users(path: string): string[] {
    this.#users ??= this.#findUsers();
    return this.#users.get(path) ?? [];
  }

  /** Returns the path of a file in a folder, with or without its extension. */
  find(folder: string, name: string, endings: readonly string[] = ENDINGS): string | undefined {
    const target = posix.join(folder, name);
    return endings.map((ending) => target + ending).find((one) => this.index.paths.has(one));
  }

  #findUsers(): Map<string, string[]> {
    const users = new Map<string, string[]>();
    for (const [user, text] of this.#texts) {
      const manifest = posix.basename(user) === 'package.json' && parseJson(text);
      const { main, module, bin, exports, browser } = isRecord(manifest) ? manifest : {};
      const used = this.isSource(user)
        ? this.uses(user)
        : manifest
          ? this.#quotedIn(JSON.stringify([main, module, bin, exports, browser]), user)
          : [];
      for (const path of used) if (path !== user) users.set(path, [...(users.get(path) ?? []), user]);
    }
    return users;
  }

  #namedIn(path: string): string[] {
    const text = this.text(path);
    const own = isSettings(path) || !this.isSource(path) ? text.replaceAll(BUILD_SETTINGS, '') : text;
    if (this.isSource(path)) return this.#quotedIn(`${own}\n${joinedParts(own)}`, path);
    const manifest = posix.basename(path) === 'package.json' ? parseJson(text) : undefined;
    // Scripts are left out, since they are followed as commands (check-commands.ts).
    const whole = isRecord(manifest) ? JSON.stringify({ ...manifest, scripts: {} }) : text;
    const words = decidingPart(path, whole)
      .replaceAll(BUILD_SETTINGS, '')
      .match(/[^\s"'`=,:[\](){}]+/g);
    return this.#quotedIn((words ?? []).map((word) => `"${word}"`).join(' '), path);
  }

  /**
   * Returns the files that quoted texts name, relative to the file's folder or to the root. If a text names a folder, returns its data
   * files.
   */
  #quotedIn(text: string, path: string): string[] {
    const folders = [...new Set([posix.dirname(path), '.'])];
    return [...text.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].flatMap(([, word = '']) => {
      const name = word.replace(/^<rootDir>\/?|^file:/, '').replace(/^\/(?=\w)/, '');
      if (!/^[\w@.~-][\w@./ ~+-]*$/.test(name) || /^\.{0,2}\/?$/.test(name)) return [];
      const module = isSettings(path) && `${name.replaceAll('.', '/')}.py`;
      for (const folder of folders) {
        const found = this.find(folder, name) ?? (module && this.find(folder, module));
        if (found) return found === path ? [] : [found];
        const inside = this.index.byFolder.get(posix.join(folder, name).replace(/\/$/, ''));
        if (inside) return inside.filter((one) => !this.isSource(one));
      }
      return [];
    });
  }
}

function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Finds the paths that are written in parts (`join('data', 'a.json')`, `/ "data" / "a.json"`). Returns them joined and quoted, one per line. */
const joinedParts = (text: string): string =>
  [...text.matchAll(/["'][\w.-]+["'](?:\s*[,/]\s*["'][\w. -]+["'])+/g)]
    .map(([parts]) => `"${parts.replaceAll(/["']\s*[,/]\s*["']/g, '/').slice(1, -1)}"`)
    .join('\n');
