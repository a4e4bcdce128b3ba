/**
 * Decides which paths of a workspace are never written: `.git` and everything below, `.env*`, key files, and paths that the operator's
 * configuration lists. They can be read. Names are compared without regard to case, as some file systems do. A name that ends with a word
 * for shared files, such as `.env.example` or `id_rsa.pub`, counts as free of secrets.
 */
import { join } from 'node:path';
import { findFiles } from './find-files.ts';
import { compileGlob, type PathMatcher } from './glob-pattern.ts';

/** Names that are matched against every segment of a path, so that everything below a protected folder is protected, too. */
export const PROTECTED_NAMES = [
  '.git',
  '.env*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  'id_{rsa,dsa,ecdsa,ed25519}{,.*}',
  '.ssh',
  '.gnupg',
  '.netrc',
  '.pypirc',
] as const;

/** Name that no configuration can exclude from the protection, since git runs programs that files in it name. */
const PROTECTED_FOLDER = '.git';
/** Suffixes of names of templates and public keys, which contain no secrets. */
const TEMPLATE_SUFFIX = /[._-](?:examples?|samples?|templates?|tmpl|tpl|dist|defaults?|pub)$/i;

const MAX_SCAN_DEPTH = 3;
const MAX_SCAN_ENTRIES = 5000;
const MAX_SCAN_RESULTS = 24;

/**
 * Creates a function that returns the pattern which protects a path (relative to the workspace), or undefined. A configured pattern without
 * a slash is matched against every segment; one with a slash is matched against the path and its parent folders. A pattern that begins with
 * `!` excludes its paths from the protection.
 */
export function createProtection(configured: readonly string[] = []): (path: string) => string | undefined {
  const compile = (pattern: string) => ({ pattern, matches: compileGlob(pattern, { ignoreCase: true }) });
  const buildMatcher = (patterns: readonly string[]) => {
    const trimmed = patterns.map((pattern) => pattern.replace(/^(\.?\/)+/, '').replace(/\/+$/, ''));
    const byName = trimmed.filter((pattern) => !pattern.includes('/')).map(compile);
    const byPath = trimmed.filter((pattern) => pattern.includes('/')).map(compile);
    return (name: string, path: string) =>
      findMatchingPattern(byName, name) ?? findMatchingPattern(byPath, path);
  };
  const builtIn = PROTECTED_NAMES.map(compile);
  const isAdded = buildMatcher(configured.filter((pattern) => !pattern.startsWith('!')));
  const isFreed = buildMatcher(
    configured.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
  );
  return (path) => {
    const segments = path.split('/').filter(Boolean);
    for (const [index, name] of segments.entries()) {
      const parent = segments.slice(0, index + 1).join('/');
      const pattern = TEMPLATE_SUFFIX.test(name) ? undefined : findMatchingPattern(builtIn, name);
      const protection = pattern ?? isAdded(name, parent);
      if (protection && (protection === PROTECTED_FOLDER || isFreed(name, parent) === undefined))
        return protection;
    }
    return undefined;
  };
}

function findMatchingPattern(
  patterns: { pattern: string; matches: PathMatcher }[],
  text: string,
): string | undefined {
  return patterns.find(({ matches }) => matches(text))?.pattern;
}

/**
 * Finds protected files and folders near the root of a workspace, as absolute paths, so that the sandbox can mount them read-only. Depth,
 * entries and results are limited; deeper paths are protected by the file methods only.
 */
export async function findProtectedPaths(
  workspace: string,
  protectionOf: (path: string) => string | undefined,
): Promise<string[]> {
  const protectedPaths: string[] = [];
  await findFiles(workspace, {
    maxEntries: MAX_SCAN_ENTRIES,
    maxDepth: MAX_SCAN_DEPTH,
    select: (entries) =>
      entries.filter(({ path, dirent }) => {
        if (!protectionOf(path)) return true;
        if (!dirent.isSymbolicLink()) protectedPaths.push(join(workspace, path));
        return false;
      }),
  });
  return protectedPaths.slice(0, MAX_SCAN_RESULTS);
}
