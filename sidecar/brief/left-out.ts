/** Files that nobody works on by hand, and which kind the others are. By their paths alone, and `.gitattributes`. */
import { posix } from 'node:path';

/** Larger ones are data. */
export const MAX_FILE_BYTES = 1024 * 1024;

const FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|vendor|third_party|dist|build|out|target|coverage|\.git|\.hg|\.svn|\.venv|venv|site-packages|__pycache__|\.tox|\.mypy_cache|\.pytest_cache|\.next|\.nuxt|\.cache|\.idea|\.vscode|__snapshots__|Pods|\.gradle|\.terraform)\//;
const FILES =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|flake\.lock)$/;
const ENDINGS =
  /(?:\.min\.(?:js|css|mjs)|\.(?:map|snap|lock|pb\.go|g\.dart|designer\.cs|png|jpe?g|gif|webp|ico|svg|pdf|zip|t?gz|bz2|xz|7z|jar|war|class|so|dll|dylib|a|o|exe|bin|wasm|woff2?|ttf|otf|eot|mp[34]|mov|avi|wav|ogg|sqlite3?|db|pyc|parquet|npy|pt|gguf))$|_pb2(?:_grpc)?\.pyi?$/i;
/** A folder named `build` or `out` may hold sources that are imported from it: only what is below it at the top or in a package is left out. */
export const isLeftOut = (path: string): boolean =>
  FOLDERS.test(path) || FILES.test(path) || ENDINGS.test(path);

const CODE: Record<string, string> = {
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  jsx: 'jsx',
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  kt: 'kotlin',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  php: 'php',
  sh: 'bash',
  bash: 'bash',
  swift: 'swift',
  scala: 'scala',
  ex: 'elixir',
  exs: 'elixir',
  erl: 'erlang',
  lua: 'lua',
  pl: 'perl',
  r: 'r',
  dart: 'dart',
  vue: 'vue',
  svelte: 'svelte',
  sql: 'sql',
};
const OTHER: Record<string, string> = {
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'toml',
  md: 'markdown',
  html: 'html',
  css: 'css',
  scss: 'scss',
  xml: 'xml',
};

const endingOf = (path: string): string => posix.extname(path).slice(1).toLowerCase();

/** The name that a code fence gives the language; empty where there is none. */
export const fenceLanguage = (path: string): string => {
  const ending = endingOf(path);
  return CODE[ending] ?? OTHER[ending] ?? '';
};

export const isCode = (path: string): boolean => Object.hasOwn(CODE, endingOf(path));

const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|testing)\/|(?:^|\/)(?:test_[^/]+|conftest)\.py$|(?:[._-](?:test|spec|tests)|_test)\.\w+$|Tests?\.(?:java|kt|cs|php|swift)$/;

export const isTest = (path: string): boolean =>
  TEST.test(path) && (isCode(path) || /\.(?:json|txt|snap)$/.test(path));

/** Whether a path is marked; for each of the patterns at most the product of both lengths in steps. */
export type PathMark = (path: string) => boolean;

/** What `.gitattributes` marks as generated or vendored: the plain forms of its lines that are in use. */
export function generatedMark(attributes: string): PathMark {
  const patterns = attributes
    .slice(0, 100_000)
    .split('\n')
    .slice(0, 200)
    .flatMap((line) => {
      const [pattern = '', ...marks] = line.trim().split(/\s+/);
      const generated = marks.some((mark) => /^linguist-(?:generated|vendored)(?:=true)?$/.test(mark));
      return generated && pattern.length < 200 && !/^(?:#|$)/.test(pattern) ? [globOf(pattern)] : [];
    });
  return (path) => {
    const parts = path.split('/');
    return patterns.some((glob) => follows(glob, parts, '**', sameName));
  };
}

/** Parts of a path; a name without a slash may stand in any folder, and what is below a match is meant too. */
function globOf(pattern: string): string[] {
  const parts = pattern.split('/').filter(Boolean);
  return [...(pattern.replace(/\/$/, '').includes('/') ? [] : ['**']), ...parts, '**'];
}

const sameName = (glob: string, name: string): boolean =>
  follows(glob.split(''), name.split(''), '*', (one, other) => one === '?' || one === other);

/** Whether the items follow a pattern in which `star` stands for any number of them. No regular expression: many stars in one take for ever. */
function follows(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  same: (wanted: string, item: string) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let lastStar = -1;
  let afterStar = 0;
  while (item < items.length) {
    const wanted = pattern[at];
    if (wanted === star) {
      lastStar = at++;
      afterStar = item;
    } else if (wanted !== undefined && same(wanted, items[item] ?? '')) {
      at++;
      item++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      item = ++afterStar;
    } else return false;
  }
  return pattern.slice(at).every((left) => left === star);
}
