/**
 * The `.gitignore` files of a workspace, as one question: is this path ignored? Later rules win over earlier
 * ones, deeper files over those above, and nothing below an ignored folder can be taken back, as in git.
 */
import { compileGlob, type PathMatcher } from './glob-pattern.ts';

interface Rule {
  matches: PathMatcher;
  /** Folder of the .gitignore file, with a slash at the end, or empty. */
  base: string;
  negated: boolean;
  foldersOnly: boolean;
}

/** Rules of one search, over all files. Each path is held against each of them. */
const MAX_RULES = 2_000;

/** Rules are added from the top folder down; those past the limit are left out. */
export class IgnoreRules {
  readonly #rules: Rule[] = [];

  /** Adds the rules of the file in `folder` (relative to the workspace, empty for its top). */
  add(folder: string, text: string): void {
    const base = folder === '' ? '' : `${folder}/`;
    for (const line of text.split(/\r?\n/)) {
      if (this.#rules.length >= MAX_RULES) return;
      const rule = parseRule(line, base);
      if (rule) this.#rules.push(rule);
    }
  }

  /** Whether `path` (relative, with `/`) or a folder above it is ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    if (this.#rules.length === 0) return false;
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (this.ignoresItself(path.slice(0, end), true)) return true;
    }
    return this.ignoresItself(path, isFolder);
  }

  /** As `ignores`, without the folders above. */
  ignoresItself(path: string, isFolder: boolean): boolean {
    let ignored = false;
    for (const { matches, base, negated, foldersOnly } of this.#rules) {
      if (negated !== ignored || (foldersOnly && !isFolder) || !path.startsWith(base)) continue;
      if (matches(path.slice(base.length))) ignored = !negated;
    }
    return ignored;
  }
}

/** `text` without the `char`s at its end. */
function withoutEnd(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}

function parseRule(line: string, base: string): Rule | undefined {
  let pattern = withoutEnd(line, ' ');
  // A space that a backslash holds belongs to the name.
  if (pattern.length < line.length && pattern.endsWith('\\')) pattern += ' ';
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  pattern = withoutEnd(pattern, '/');
  if (pattern === '') return undefined;
  // A pattern with a slash before its end is about paths from the file's folder, any other about names.
  const anchored = pattern.includes('/');
  // Git knows no braces.
  const literal = pattern.replace(/^\/+/, '').replace(/[{}]/g, String.raw`\$&`);
  try {
    return { matches: compileGlob(anchored ? literal : `**/${literal}`), base, negated, foldersOnly };
  } catch {
    // Too long to be meant; git would match nothing with it either.
    return undefined;
  }
}
