/** The files of the base as a graph: which of them a file imports, which it names in its text, and who uses it. Pure. */
import { posix } from 'node:path';
import { fileIndex, importsOf, type FileIndex } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';
import { isSettings } from '../../brief/runners.ts';
import { isRecord, parseJson } from '../../values/json.ts';
import { decidingPart } from './deciding-part.ts';

const SHEBANG: Readonly<Record<string, string>> = {
  node: '.js',
  python: '.py',
  ruby: '.rb',
  sh: '.sh',
  bash: '.sh',
};
const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.ts'];
/** Settings name what they build as well: that is no part of the checks. */
const BUILT =
  /\b(?:entry\w*|input|main|lib|files|include|imports|source)["']?\s*[:=]\s*(?:\{[^}]{0,2000}\}|\[[^\]]{0,2000}\]|["'][^"'\n]{0,400}["'])/g;
const isManifest = (path: string): boolean => posix.basename(path) === 'package.json';

export class BaseFiles {
  readonly index: FileIndex;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #imports = new Map<string, string[]>();
  readonly #names = new Map<string, string[]>();
  #users: Map<string, string[]> | undefined;

  constructor(paths: readonly string[], texts: ReadonlyMap<string, string>) {
    this.index = fileIndex(paths);
    this.#texts = texts;
  }

  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  /** Whether a file is a program, by its ending or its first line. */
  isSource(path: string): boolean {
    return isCode(path) || this.text(path).startsWith('#!');
  }

  imports(path: string): string[] {
    return kept(this.#imports, path, () => {
      const text = this.text(path);
      const [, language = ''] = /^#!.*\b(node|python|ruby|sh|bash)/.exec(text) ?? [];
      const ending = posix.extname(path) === '' ? (SHEBANG[language] ?? '') : '';
      return [...importsOf(path + ending, text, this.index), ...this.#developed(path, text)];
    });
  }

  uses(path: string): string[] {
    return [...this.imports(path), ...kept(this.#names, path, () => [...new Set(this.#named(path))])];
  }

  /** Returns the sources that import or name a file, and manifests that export or start it. */
  users(path: string): string[] {
    this.#users ??= this.#allUsers();
    return this.#users.get(path) ?? [];
  }

  /** Returns the file that a name stands for in a folder, with or without its ending. */
  find(folder: string, name: string, endings: readonly string[] = ENDINGS): string | undefined {
    const target = posix.join(folder, name);
    return endings.map((ending) => target + ending).find((one) => this.index.paths.has(one));
  }

  #allUsers(): Map<string, string[]> {
    const users = new Map<string, string[]>();
    for (const user of this.#texts.keys()) {
      const used = this.isSource(user) ? this.uses(user) : isManifest(user) ? this.#entries(user) : [];
      for (const path of used) if (path !== user) users.set(path, [...(users.get(path) ?? []), user]);
    }
    return users;
  }

  #entries(path: string): string[] {
    const { main, module, bin, exports, browser } = Object(parseJson(this.text(path))) as Record<
      string,
      unknown
    >;
    return this.#quoted(JSON.stringify([main, module, bin, exports, browser]), path);
  }

  #named(path: string): string[] {
    const text = this.text(path);
    if (this.isSource(path))
      return this.#quoted(joined(isSettings(path) ? text.replaceAll(BUILT, '') : text), path);
    const manifest = isManifest(path) ? parseJson(text) : undefined;
    // Scripts are followed as the commands that they are.
    const deciding = decidingPart(
      path,
      isRecord(manifest) ? JSON.stringify({ ...manifest, scripts: {} }) : text,
    );
    const words = deciding.replaceAll(BUILT, '').match(/[^\s"'`=,:[\](){}]+/g) ?? [];
    return this.#quoted(words.map((word) => `"${word}"`).join(' '), path);
  }

  /** Crates that only the tests of a crate depend on. */
  #developed(path: string, text: string): string[] {
    if (posix.basename(path) !== 'Cargo.toml') return [];
    const [, section = ''] = /^\[dev-dependencies[^\]]*\]\n((?:(?!\[).*\n?)*)/m.exec(text) ?? [];
    const folders = [...section.matchAll(/\bpath\s*=\s*"([^"]+)"/g)].map(
      ([, to = '']) => `${posix.join(posix.dirname(path), to)}/`,
    );
    return [...this.index.paths].filter((file) => folders.some((folder) => file.startsWith(folder)));
  }

  /** The files, and the data of folders, that quoted texts name: from the file's own folder or from the root. */
  #quoted(text: string, path: string): string[] {
    const folders = [...new Set([posix.dirname(path), '.'])];
    const isSetting = isSettings(path);
    return [...text.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].flatMap(([, word = '']) => {
      const name = word.replace(/^<rootDir>\/?|^file:/, '').replace(/^\/(?=\w)/, '');
      if (!/^[\w@.~-][\w@./ ~+-]*$/.test(name) || /^\.{0,2}\/?$/.test(name)) return [];
      for (const folder of folders) {
        const module = isSetting ? `${name.replaceAll('.', '/')}.py` : '';
        const found = this.find(folder, name) ?? (module && this.find(folder, module));
        if (found) return found === path ? [] : [found];
        const inside = this.index.byFolder.get(posix.join(folder, name).replace(/\/$/, ''));
        if (inside) return inside.filter((one) => !this.isSource(one));
      }
      return [];
    });
  }
}

function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Parts of a path that stand apart (`join('data', 'a.json')`, `/ "data" / "a.json"`) as one text besides. */
const joined = (text: string): string =>
  `${text}\n${[...text.matchAll(/["'][\w.-]+["'](?:\s*[,/]\s*["'][\w. -]+["'])+/g)]
    .map(([parts]) => `"${parts.replaceAll(/["']\s*[,/]\s*["']/g, '/').slice(1, -1)}"`)
    .join('\n')}`;
