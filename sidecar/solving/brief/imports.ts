/**
 * Finds the files of the tree that a file imports: relative imports, and modules of the tree for Python, Go, Java and Rust. Imports whose
 * name does not resolve to a file are ignored. Pure.
 */
import { posix } from 'node:path';

const MAX_READ_CHARS = 40_000;
const MAX_IMPORTS = 60;

/** An index of the tree's files by name. */
export interface FileIndex {
  paths: ReadonlySet<string>;
  /** Paths by their last part. */
  byName: ReadonlyMap<string, readonly string[]>;
  /** Paths by their folder. */
  byFolder: ReadonlyMap<string, readonly string[]>;
}

export function buildFileIndex(paths: readonly string[]): FileIndex {
  const byName = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    addToList(byName, posix.basename(path), path);
    addToList(byFolder, posix.dirname(path), path);
  }
  return { paths: new Set(paths), byName, byFolder };
}

function addToList(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Returns the files that a file imports. If the file has no extension, the first line decides on its language. */
export function findImports(path: string, text: string, index: FileIndex): string[] {
  const source = text.slice(0, MAX_READ_CHARS);
  const [, language = ''] = /^#!.*\b(node|python|ruby|sh|bash)/.exec(source) ?? [];
  const resolve = RESOLVERS.get(posix.basename(path)) ?? RESOLVERS.get(posix.extname(path) || language);
  const importedPaths = resolve ? resolve(source, path, index) : [];
  return [...new Set(importedPaths)].filter((other) => other !== path).slice(0, MAX_IMPORTS);
}

type Resolver = (source: string, path: string, index: FileIndex) => string[];

const JS_ENDINGS = ['.js', '.ts', '.tsx', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.vue', '.svelte', '.json'];
const JS_IMPORT =
  /(?:\bfrom\s{0,20}|\bimport\s{0,20}(?:\(\s{0,20})?|\brequire\s{0,4}\(\s{0,20})["']([^"'\n]{1,300})["']/g;

const resolveJavascript: Resolver = (source, path, { paths }) =>
  [...source.matchAll(JS_IMPORT)].flatMap(([, specifier = '']) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), specifier.replace(/[?#].*$/, ''));
    // TypeScript imports name the compiled file.
    const stem = target.replace(/\.[cm]?jsx?$/, '');
    const candidates = [
      target,
      ...JS_ENDINGS.map((ending) => target + ending),
      ...['.ts', '.tsx', '.mts', '.cts'].map((ending) => stem + ending),
      ...JS_ENDINGS.map((ending) => `${target}/index${ending}`),
    ];
    return candidates.find((candidate) => paths.has(candidate)) ?? [];
  });

const resolvePython: Resolver = (source, path, index) => {
  const modules: string[] = [];
  const folder = posix.dirname(path);
  for (const [, dots = '', module = '', names = ''] of source.matchAll(
    /^[ \t]{0,60}from[ \t]{1,20}(\.{0,10})(\w[\w.]{0,200}|)[ \t]{0,20}import[ \t]{1,20}(\([^)]{0,2000}\)|[^\n]{0,500})/gm,
  )) {
    const parts = module.split('.').filter(Boolean);
    const members = names.match(/[A-Za-z_]\w*/g) ?? [];
    const bases = dots === '' ? listModuleRoots(folder) : [posix.join(folder, '../'.repeat(dots.length - 1))];
    modules.push(...resolvePythonModule(bases, parts, members, index));
  }
  for (const [, names = ''] of source.matchAll(/^[ \t]{0,60}import[ \t]{1,20}([\w., \t]{1,500})/gm)) {
    for (const name of names.split(','))
      modules.push(
        ...resolvePythonModule(
          listModuleRoots(folder),
          name.trim().split(/\s/)[0]?.split('.') ?? [],
          [],
          index,
        ),
      );
  }
  return modules;
};

/** Returns the folders in which the name of a module may start: the parent folders, nearest first, and `src`. */
function listModuleRoots(folder: string): string[] {
  const parts = folder === '.' ? [] : folder.split('/');
  const parentFolders = parts.map((_, depth) => parts.slice(0, parts.length - depth).join('/'));
  return [...parentFolders, '.', 'src'];
}

function resolvePythonModule(
  bases: readonly string[],
  parts: readonly string[],
  members: readonly string[],
  { paths }: FileIndex,
): string[] {
  for (const base of bases) {
    const target = posix.join(base, ...parts);
    const modules = [
      `${target}.py`,
      `${target}/__init__.py`,
      ...members.map((name) => `${target}/${name}.py`),
    ].filter((candidate) => paths.has(candidate));
    if (modules.length > 0) return modules;
  }
  return [];
}

const MAX_PACKAGE_FILES = 12;

/**
 * Resolves a Go package, which is a folder. The beginning of the import path is the name of the module; the rest is a folder of the tree.
 */
const resolveGo: Resolver = (source, path, { byFolder }) => {
  const ownFiles = byFolder.get(posix.dirname(path)) ?? [];
  const importedFiles = [
    ...source.matchAll(
      /^[ \t]{0,60}(?:import[ \t]{1,20})?(?:[\w.]{1,80}[ \t]{1,20})?"([\w.\-/]{1,300})"[ \t]{0,20}$/gm,
    ),
  ].flatMap(([, name = '']) => {
    const parts = name.split('/');
    const vendoredFiles = byFolder.get(`vendor/${name}`);
    if (vendoredFiles) return vendoredFiles;
    for (let from = 1; from < parts.length; from += 1) {
      const files = byFolder.get(parts.slice(from).join('/'));
      if (files) return files;
    }
    return [];
  });
  return [...ownFiles, ...importedFiles]
    .filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
    .slice(0, MAX_PACKAGE_FILES);
};

const resolveRust: Resolver = (source, path, { paths }) => {
  const folder = /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path) ? posix.dirname(path) : path.replace(/\.rs$/, '');
  const names = [
    ...source.matchAll(
      /^[ \t]{0,60}(?:pub(?:\([^)]{0,40}\))?[ \t]{1,20})?mod[ \t]{1,20}(\w{1,80})[ \t]{0,20};/gm,
    ),
  ].map(([, name = '']) => posix.join(folder, name));
  const crate = path.includes('src/') ? path.slice(0, path.indexOf('src/') + 4) : '';
  const usedModules = [...source.matchAll(/\bcrate::([\w:]{1,200})/g)].flatMap(([, name = '']) => {
    const parts = name.split('::');
    return parts.map((_, count) => crate + parts.slice(0, parts.length - count).join('/'));
  });
  return [...names, ...usedModules].flatMap((stem) =>
    [`${stem}.rs`, `${stem}/mod.rs`].filter((candidate) => paths.has(candidate)),
  );
};

/** Resolves `import a.b.C` to `a/b/C.java` in any source folder. */
const resolveJava: Resolver = (source, path, { byName }) =>
  [...source.matchAll(/^[ \t]{0,60}import[ \t]{1,20}(?:static[ \t]{1,20})?([\w.]{3,300});?/gm)].flatMap(
    ([, name = '']) => {
      const suffix = `${name.replaceAll('.', '/')}${posix.extname(path)}`;
      return (byName.get(posix.basename(suffix)) ?? []).filter((file) => file.endsWith(suffix));
    },
  );
const createPathResolver =
  (pattern: RegExp, ending: string): Resolver =>
  (source, path, { paths }) =>
    [...source.matchAll(pattern)].flatMap(([, name = '']) => {
      const target = posix.join(posix.dirname(path), name);
      return [target, target + ending].find((candidate) => paths.has(candidate)) ?? [];
    });
const resolveRuby = createPathResolver(
  /^[ \t]{0,60}require_relative[ \t]{1,20}["']([^"'\n]{1,300})["']/gm,
  '.rb',
);
const resolveC = createPathResolver(/^[ \t]{0,60}#[ \t]{0,20}include[ \t]{1,20}"([^"\n]{1,300})"/gm, '.h');
const resolvePhp = createPathResolver(
  /\b(?:require|include)(?:_once)?\s{0,4}(?:\(\s{0,4})?(?:__DIR__\s{0,4}\.\s{0,4})?["']\/?([^"'\n]{1,300})["']/g,
  '.php',
);
const resolveShell = createPathResolver(
  /^[ \t]{0,60}(?:source|\.)[ \t]{1,20}["']?(?:\$\{?\w+\}?\/|\$\(dirname[^)]{0,60}\)\/)?([\w./-]{1,300})["']?/gm,
  '.sh',
);

/** Resolves the crates on which only the tests of a crate depend. */
const resolveDevCrates: Resolver = (source, path, { paths }) => {
  const [, section = ''] = /^\[dev-dependencies[^\]]*\]\n((?:(?!\[).*\n?)*)/m.exec(source) ?? [];
  const folders = [...section.matchAll(/\bpath\s*=\s*"([^"]+)"/g)].map(
    ([, cratePath = '']) => `${posix.join(posix.dirname(path), cratePath)}/`,
  );
  return [...paths].filter((file) => folders.some((folder) => file.startsWith(folder)));
};

const RESOLVERS = new Map<string, Resolver>([
  ...JS_ENDINGS.slice(0, -1).map((ending): [string, Resolver] => [ending, resolveJavascript]),
  ...Object.entries({
    '.py': resolvePython,
    '.go': resolveGo,
    '.rs': resolveRust,
    '.java': resolveJava,
    '.kt': resolveJava,
    '.rb': resolveRuby,
    '.c': resolveC,
    '.h': resolveC,
    '.cc': resolveC,
    '.cpp': resolveC,
    '.hpp': resolveC,
    '.php': resolvePhp,
    '.sh': resolveShell,
    'Cargo.toml': resolveDevCrates,
    node: resolveJavascript,
    python: resolvePython,
    ruby: resolveRuby,
    sh: resolveShell,
    bash: resolveShell,
  }),
]);
