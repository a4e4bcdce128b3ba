/**
 * The files of the checks: what their commands and runners load (roots), and what is reached from there and not from the
 * product. All of it is read from the base; nothing is run for it. Pure but for the texts that it is given.
 */
import { posix } from 'node:path';
import { fileIndex, importsOf, type FileIndex } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';
import { isSettings, isTestByDefault } from '../../brief/runners.ts';
import { compileGlob } from '../../files/glob-pattern.ts';
import { isRecord, parseJson } from '../../values/json.ts';
import { followChecks, type StartedByChecks } from './check-commands.ts';
import { decidingPart } from './deciding-part.ts';
import { isPartOfTests, specifiersOf } from './test-imports.ts';

export interface ChecksOfBase extends Pick<StartedByChecks, 'made' | 'optional' | 'programs' | 'runners'> {
  /** The files of the checks. */
  files: ReadonlySet<string>;
  /** Whether a path that the base may not have is a test for one of its runners. */
  isTest: (path: string) => boolean;
  /** The test runners that a command starts. */
  runnersOf: (command: string) => readonly string[];
  /** Whether the base has tests. */
  hasTests: boolean;
  /** Whether a source of the base imports a name that no file of it stands for. */
  importedBy: (name: string) => string[];
}

interface ChecksInput {
  /** The commands of the checks, as they are run. */
  commands: readonly string[];
  texts: ReadonlyMap<string, string>;
  paths: readonly string[];
  /** Files that the operator names, as globs. */
  protect: readonly string[];
}

export function findChecksOfBase({ commands, texts, paths, protect }: ChecksInput): ChecksOfBase {
  const graph = new Graph(paths, texts);
  const base = {
    paths: graph.index.paths,
    read: (path: string) => texts.get(path),
    usesOthers: (path: string) => graph.uses(path).length > 0,
  };
  const started = followChecks(commands, base);
  const patterns = [...started.patterns, ...patternsIn(paths, texts)].flatMap(({ folder, glob }) =>
    matcherOf(posix.join(folder, glob)),
  );
  patterns.push(...protect.flatMap(matcherOf));
  const isTest = (path: string): boolean =>
    isTestByDefault(path) || patterns.some((matches) => matches(path));
  const roots = paths.filter((path) => started.roots.has(path) || isTest(path) || isSettings(path));
  const files = closure(roots, graph);
  const tests = [...files].filter((path) => started.roots.has(path) || isTest(path));
  return {
    ...started,
    files,
    isTest,
    runnersOf: (command) => followChecks([command], base).runners,
    hasTests: tests.some((path) => isCode(path) || !isSettings(path)),
    importedBy: (name) =>
      [...texts].flatMap(([path, text]) => (specifiersOf(path, text).includes(name) ? [path] : [])),
  };
}

function matcherOf(glob: string): ((path: string) => boolean)[] {
  try {
    return [compileGlob(glob)];
  } catch {
    return [];
  }
}

/** Globs of tests in the settings of runners. What these call `include` elsewhere, linters and coverage look at. */
const PATTERN_KEYS =
  /["']?\b(testMatch|spec|python_files|testpaths|include|test_match)["']?\s*[:=]\s*(\[[^\]]{0,2000}\]|[^\n]{1,400})/g;
const COVERAGE = /\bcoverage["']?\s*:\s*\{[^}]{0,2000}\}/g;

function patternsIn(
  paths: readonly string[],
  texts: ReadonlyMap<string, string>,
): { folder: string; glob: string }[] {
  return paths
    .filter((path) => isSettings(path) || /(?:^|\/)config\//.test(path))
    .flatMap((path) => {
      if (/(?:^|\/)(?:ts|js)config/.test(path)) return [];
      const text = (texts.get(path) ?? '').replaceAll(COVERAGE, '');
      const found = [...text.matchAll(PATTERN_KEYS)].flatMap(([, key, value = '']) =>
        key === 'include' && !isCode(path) ? [] : value.split(/[\s"'`,[\]]+/),
      );
      return found
        .filter((glob) => glob.includes('*') && /[a-z]/i.test(glob.replace(/\.\w+$/, '')))
        .flatMap((glob) => {
          const plain = glob.replace(/^<rootDir>\//, '');
          const named = plain.includes('/') ? plain : `**/${plain}`;
          return [
            { folder: '.', glob: named },
            { folder: posix.dirname(path), glob: named },
          ];
        });
    });
}

/** Who uses whom among the files of the base. */
class Graph {
  readonly index: FileIndex;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #imports = new Map<string, string[]>();
  readonly #literals = new Map<string, string[]>();
  #users: Map<string, string[]> | undefined;

  constructor(paths: readonly string[], texts: ReadonlyMap<string, string>) {
    this.index = fileIndex(paths);
    this.#texts = texts;
  }

  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  imports(path: string): string[] {
    const known = this.#imports.get(path) ?? importsOf(path, this.text(path), this.index);
    this.#imports.set(path, known);
    return known;
  }

  /** Paths of the base that a file names in its text. */
  literals(path: string): string[] {
    const known =
      this.#literals.get(path) ?? [...new Set(this.#named(path))].filter((other) => other !== path);
    this.#literals.set(path, known);
    return known;
  }

  uses(path: string): string[] {
    return [...this.imports(path), ...this.literals(path)];
  }

  /** Sources that import or name a file; of package.json only what it exports and starts. */
  users(path: string): string[] {
    this.#users ??= this.#allUsers();
    return this.#users.get(path) ?? [];
  }

  #allUsers(): Map<string, string[]> {
    const users = new Map<string, string[]>();
    for (const user of this.#texts.keys()) {
      const used = isCode(user)
        ? this.uses(user)
        : posix.basename(user) === 'package.json'
          ? this.#entries(user)
          : [];
      for (const path of used) users.set(path, [...(users.get(path) ?? []), user]);
    }
    return users;
  }

  #entries(path: string): string[] {
    const manifest = parseJson(this.text(path));
    if (!isRecord(manifest)) return [];
    const { main, module, bin, exports, browser } = manifest;
    return this.#files(JSON.stringify([main, module, bin, exports, browser]), path);
  }

  #named(path: string): string[] {
    const text = this.text(path);
    if (isCode(path)) return this.#files(joined(isSettings(path) ? text.replaceAll(BUILT, '') : text), path);
    const { scripts: _scripts, ...rest } = Object(parseJson(text)) as Record<string, unknown>;
    const plain =
      posix.basename(path) === 'package.json'
        ? decidingPart(path, JSON.stringify(rest))
        : decidingPart(path, text);
    const named = [
      ...this.#files(plain, path),
      ...this.#files(
        plain
          .split(/[\s"'`=,:[\](){}]+/)
          .filter(Boolean)
          .map((word) => `"${word}"`)
          .join(' '),
        path,
      ),
    ];
    return [...named.filter((other) => !isCompiled(other)), ...this.#developed(path, text)];
  }

  /** Crates that only the tests of a crate depend on. */
  #developed(path: string, text: string): string[] {
    if (posix.basename(path) !== 'Cargo.toml') return [];
    const section = /^\[dev-dependencies[^\]]*\]\n((?:(?!\[).*\n?)*)/m.exec(text)?.[1] ?? '';
    const folders = [...section.matchAll(/\bpath\s*=\s*"([^"]+)"/g)].map(
      ([, to = '']) => `${posix.join(posix.dirname(path), to)}/`,
    );
    return [...this.index.paths].filter((file) => folders.some((folder) => file.startsWith(folder)));
  }

  /** The files and folders that quoted texts name: from the file's own folder, from those above, and from the root. */
  #files(text: string, path: string): string[] {
    const folders = [...new Set([posix.dirname(path), '.'])];
    return [...text.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].flatMap(([, word = '']) => {
      const name = word.replace(/^<rootDir>\/?|^file:/, '').replace(/^\/(?=\w)/, '');
      if (!/^[\w@.~-][\w@./ ~+-]*$/.test(name) || /^\.{0,2}\/?$/.test(name)) return [];
      for (const folder of folders) {
        const target = posix.join(folder, name);
        const found = ENDINGS.map((ending) => target + ending).find((one) => this.index.paths.has(one));
        if (found !== undefined) return [found];
        const inside = this.index.byFolder.get(target.replace(/\/$/, ''));
        if (inside && target !== '.') return inside.filter((one) => !isCode(one));
      }
      return [];
    });
  }
}

const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js', '/index.ts'];

/** Parts of a path that stand apart (`join('data', 'a.json')`, `/ "data" / "a.json"`) as one text besides. */
const joined = (text: string): string =>
  [
    text,
    ...[...text.matchAll(/["'][\w.-]+["'](?:\s*[,/]\s*["'][\w. -]+["'])+/g)].map(
      ([parts]) => `"${parts.replaceAll(/["']\s*[,/]\s*["']/g, '/').slice(1, -1)}"`,
    ),
  ].join('\n');

/** Settings name what they build as well: that is no part of the checks. */
const BUILT =
  /\b(?:entry\w*|input|main|lib)["']?\s*[:=]\s*(?:\{[^}]{0,2000}\}|\[[^\]]{0,2000}\]|["'][^"'\n]{0,400}["'])/g;

/** Whether a source is no script, so that settings which name it have it compiled: a part of the product, unless its path names tests. */
const isCompiled = (path: string): boolean =>
  /\.(?:rs|c|cc|cpp|cxx|h|hh|hpp|go|java|kt|scala|cs|fs|vb|swift|m|mm|zig|d|hs|ml|f90)$/.test(path) &&
  !/(?:^|[/_.-])tests?(?:[/_.-]|$)|Tests?\./.test(path);

function closure(roots: readonly string[], graph: Graph): Set<string> {
  const files = new Set(roots);
  // Settings, and what they load: all that these use is a part of the checks, unless the product uses it too.
  const loaded = new Set(roots.filter((path) => isSettings(path)));
  const isOfProduct = (path: string): boolean =>
    graph
      .users(path)
      .some((user) => !files.has(user) || (isCode(path) && posix.basename(user) === 'package.json'));
  // What a source imports is product, whatever its name.
  for (const path of roots) {
    if (isCode(path) && isTestByDefault(path) && graph.users(path).some((user) => !files.has(user)))
      files.delete(path);
  }
  const importersOf = (path: string): string[] =>
    graph.users(path).filter((user) => files.has(user) && graph.imports(user).includes(path));
  for (let size = -1; size !== files.size;) {
    size = files.size;
    for (const path of files) {
      for (const other of loaded.has(path)
        ? graph.uses(path)
        : [...graph.imports(path), ...graph.literals(path)]) {
        const isImport = graph.imports(path).includes(other);
        if (files.has(other) || isOfProduct(other)) continue;
        const tests = importersOf(other).filter((user) => !loaded.has(user));
        if (loaded.has(path) && tests.length > 0 && !isPartOfTests(other, tests, graph)) continue;
        if (loaded.has(path)) loaded.add(other);
        else if (isImport ? !isPartOfTests(other, importersOf(other), graph) : isCode(other)) continue;
        files.add(other);
      }
    }
  }
  return files;
}
