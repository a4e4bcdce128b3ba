/**
 * Finds the files of the tree that a file imports: relative imports, and for Python, Go, Java and Rust modules of the tree. An import
 * that its name does not resolve is not followed. Pure.
 */
import { posix } from 'node:path';

const MAX_READ_CHARS = 40_000;
const MAX_IMPORTS = 60;

/** An index of the tree's files by name. */
export interface FileIndex {
  paths: ReadonlySet<string>;
  /** Files by their last part. */
  byName: ReadonlyMap<string, readonly string[]>;
  /** Files by their folder. */
  byFolder: ReadonlyMap<string, readonly string[]>;
}

export function fileIndex(paths: readonly string[]): FileIndex {
  const byName = new Map<string, string[]>();
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    push(byName, posix.basename(path), path);
    push(byFolder, posix.dirname(path), path);
  }
  return { paths: new Set(paths), byName, byFolder };
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Returns the files that a file imports. A program without an ending is read by its first line. */
export function importsOf(path: string, text: string, index: FileIndex): string[] {
  const source = text.slice(0, MAX_READ_CHARS);
  const [, language = ''] = /^#!.*\b(node|python|ruby|sh|bash)/.exec(source) ?? [];
  const resolve = resolvers.get(posix.basename(path)) ?? resolvers.get(posix.extname(path) || language);
  const found = resolve ? resolve(source, path, index) : [];
  return [...new Set(found)].filter((other) => other !== path).slice(0, MAX_IMPORTS);
}

type Resolver = (source: string, path: string, index: FileIndex) => string[];

const JS_ENDINGS = ['.js', '.ts', '.tsx', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.vue', '.svelte', '.json'];
const JS_IMPORT =
  /(?:\bfrom\s{0,20}|\bimport\s{0,20}(?:\(\s{0,20})?|\brequire\s{0,4}\(\s{0,20})["']([^"'\n]{1,300})["']/g;

const javascript: Resolver = (source, path, { paths }) =>
  [...source.matchAll(JS_IMPORT)].flatMap(([, specifier = '']) => {
    if (!specifier.startsWith('.')) return [];
    const target = posix.join(posix.dirname(path), specifier.replace(/[?#].*$/, ''));
    // TypeScript names the compiled file.
    const stem = target.replace(/\.[cm]?jsx?$/, '');
    const candidates = [
      target,
      ...JS_ENDINGS.map((ending) => target + ending),
      ...['.ts', '.tsx', '.mts', '.cts'].map((ending) => stem + ending),
      ...JS_ENDINGS.map((ending) => `${target}/index${ending}`),
    ];
    return candidates.find((candidate) => paths.has(candidate)) ?? [];
  });

const python: Resolver = (source, path, index) => {
  const found: string[] = [];
  const folder = posix.dirname(path);
  for (const [, dots = '', module = '', names = ''] of source.matchAll(
    /^[ \t]{0,60}from[ \t]{1,20}(\.{0,10})(\w[\w.]{0,200}|)[ \t]{0,20}import[ \t]{1,20}(\([^)]{0,2000}\)|[^\n]{0,500})/gm,
  )) {
    const parts = module.split('.').filter(Boolean);
    const members = names.match(/[A-Za-z_]\w*/g) ?? [];
    const bases = dots === '' ? rootsOf(folder) : [posix.join(folder, '../'.repeat(dots.length - 1))];
    found.push(...pythonModule(bases, parts, members, index));
  }
  for (const [, names = ''] of source.matchAll(/^[ \t]{0,60}import[ \t]{1,20}([\w., \t]{1,500})/gm)) {
    for (const name of names.split(','))
      found.push(...pythonModule(rootsOf(folder), name.trim().split(/\s/)[0]?.split('.') ?? [], [], index));
  }
  return found;
};

/** Returns the folders in which a module's name may begin: parent folders, the nearest first, and `src`. */
function rootsOf(folder: string): string[] {
  const parts = folder === '.' ? [] : folder.split('/');
  const above = parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
  return [...above, '.', 'src'];
}

function pythonModule(
  bases: readonly string[],
  parts: readonly string[],
  members: readonly string[],
  { paths }: FileIndex,
): string[] {
  for (const base of bases) {
    const target = posix.join(base, ...parts);
    const found = [
      `${target}.py`,
      `${target}/__init__.py`,
      ...members.map((name) => `${target}/${name}.py`),
    ].filter((candidate) => paths.has(candidate));
    if (found.length > 0) return found;
  }
  return [];
}

const MAX_PACKAGE_FILES = 12;

/** Resolves a package, which is a folder; the module's own name is the part of the path that is no folder of the tree. */
const go: Resolver = (source, path, { byFolder }) => {
  const own = byFolder.get(posix.dirname(path)) ?? [];
  const imported = [
    ...source.matchAll(
      /^[ \t]{0,60}(?:import[ \t]{1,20})?(?:[\w.]{1,80}[ \t]{1,20})?"([\w.\-/]{1,300})"[ \t]{0,20}$/gm,
    ),
  ].flatMap(([, name = '']) => {
    const parts = name.split('/');
    const vendored = byFolder.get(`vendor/${name}`);
    if (vendored) return vendored;
    for (let from = 1; from < parts.length; from += 1) {
      const files = byFolder.get(parts.slice(from).join('/'));
      if (files) return files;
    }
    return [];
  });
  return [...own, ...imported]
    .filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
    .slice(0, MAX_PACKAGE_FILES);
};

const rust: Resolver = (source, path, { paths }) => {
  const folder = /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path) ? posix.dirname(path) : path.replace(/\.rs$/, '');
  const names = [
    ...source.matchAll(
      /^[ \t]{0,60}(?:pub(?:\([^)]{0,40}\))?[ \t]{1,20})?mod[ \t]{1,20}(\w{1,80})[ \t]{0,20};/gm,
    ),
  ].map(([, name = '']) => posix.join(folder, name));
  const crate = path.includes('src/') ? path.slice(0, path.indexOf('src/') + 4) : '';
  const used = [...source.matchAll(/\bcrate::([\w:]{1,200})/g)].flatMap(([, name = '']) => {
    const parts = name.split('::');
    return parts.map((_, at) => crate + parts.slice(0, parts.length - at).join('/'));
  });
  return [...names, ...used].flatMap((stem) =>
    [`${stem}.rs`, `${stem}/mod.rs`].filter((candidate) => paths.has(candidate)),
  );
};

/** Resolves `import a.b.C` to `a/b/C.java` below any source folder, and `require_relative 'x'`, `#include "x.h"` as relative paths. */
const java: Resolver = (source, path, { byName }) =>
  [...source.matchAll(/^[ \t]{0,60}import[ \t]{1,20}(?:static[ \t]{1,20})?([\w.]{3,300});?/gm)].flatMap(
    ([, name = '']) => {
      const suffix = `${name.replaceAll('.', '/')}${posix.extname(path)}`;
      return (byName.get(posix.basename(suffix)) ?? []).filter((file) => file.endsWith(suffix));
    },
  );
const included =
  (pattern: RegExp, ending: string): Resolver =>
  (source, path, { paths }) =>
    [...source.matchAll(pattern)].flatMap(([, name = '']) => {
      const target = posix.join(posix.dirname(path), name);
      return [target, target + ending].find((candidate) => paths.has(candidate)) ?? [];
    });
const ruby = included(/^[ \t]{0,60}require_relative[ \t]{1,20}["']([^"'\n]{1,300})["']/gm, '.rb');
const c = included(/^[ \t]{0,60}#[ \t]{0,20}include[ \t]{1,20}"([^"\n]{1,300})"/gm, '.h');
const php = included(
  /\b(?:require|include)(?:_once)?\s{0,4}(?:\(\s{0,4})?(?:__DIR__\s{0,4}\.\s{0,4})?["']\/?([^"'\n]{1,300})["']/g,
  '.php',
);
const shell = included(
  /^[ \t]{0,60}(?:source|\.)[ \t]{1,20}["']?(?:\$\{?\w+\}?\/|\$\(dirname[^)]{0,60}\)\/)?([\w./-]{1,300})["']?/gm,
  '.sh',
);

/** The crates that only the tests of a crate depend on. */
const devCrates: Resolver = (source, path, { paths }) => {
  const [, section = ''] = /^\[dev-dependencies[^\]]*\]\n((?:(?!\[).*\n?)*)/m.exec(source) ?? [];
  const folders = [...section.matchAll(/\bpath\s*=\s*"([^"]+)"/g)].map(
    ([, to = '']) => `${posix.join(posix.dirname(path), to)}/`,
  );
  return [...paths].filter((file) => folders.some((folder) => file.startsWith(folder)));
};

const resolvers = new Map<string, Resolver>([
  ...JS_ENDINGS.slice(0, -1).map((ending): [string, Resolver] => [ending, javascript]),
  ...Object.entries({
    '.py': python,
    '.go': go,
    '.rs': rust,
    '.java': java,
    '.kt': java,
    '.rb': ruby,
    '.c': c,
    '.h': c,
    '.cc': c,
    '.cpp': c,
    '.hpp': c,
    '.php': php,
    '.sh': shell,
    'Cargo.toml': devCrates,
    node: javascript,
    python,
    ruby,
    sh: shell,
    bash: shell,
  }),
]);
