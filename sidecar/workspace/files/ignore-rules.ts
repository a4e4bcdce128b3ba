/**
 * Decides by the `.gitignore` files of a workspace whether a path is ignored. As in git, later rules override earlier ones, deeper files
 * override those above, and nothing below an ignored folder can be included again. The package `ignore` makes a regular expression of each
 * line: lines and paths that would take long are skipped.
 */
import ignore, { type Ignore } from 'ignore';

/** Maximum number of rules of one search, over all files. Each path is matched against each rule. */
const MAX_RULES = 2_000;
const MAX_LINE_CHARS = 250;
const MAX_PATH_CHARS = 1_000;
const MAX_PATH_SEGMENTS = 50;
/** The cost of a line is exponential in its wildcards, with the path length as base. */
const MAX_WILDCARDS = 4;
const CHEAP_WILDCARDS = 2;
const MAX_COSTLY_RULES = 20;

/** Rules of a search. They are added from the root folder down; those past the limits are skipped. */
export class IgnoreRules {
  readonly #files: { base: string; rules: Ignore }[] = [];
  #count = 0;
  #costly = 0;

  /** Adds the rules of the file in `folder` (relative to the workspace, empty for its top). */
  add(folder: string, text: string): void {
    const lines = text.split(/\r?\n/).filter((line) => this.#isTaken(line));
    if (lines.length === 0) return;
    const base = folder === '' ? '' : `${folder}/`;
    this.#files.push({ base, rules: ignore({ ignorecase: false }).add(lines) });
  }

  /** Returns whether `path` (relative, with `/`) or a folder above it is ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    if (path.length > MAX_PATH_CHARS || path.split('/').length > MAX_PATH_SEGMENTS) return false;
    let ignored = false;
    for (const { base, rules } of this.#files) {
      if (!path.startsWith(base)) continue;
      const found = rules.test(path.slice(base.length) + (isFolder ? '/' : ''));
      ignored = found.ignored || (ignored && !found.unignored);
    }
    return ignored;
  }

  #isTaken(line: string): boolean {
    if (line === '' || line.startsWith('#') || line.length > MAX_LINE_CHARS) return false;
    const wildcards = line.match(/\*+/g)?.length ?? 0;
    if (wildcards > MAX_WILDCARDS || this.#count >= MAX_RULES) return false;
    if (wildcards > CHEAP_WILDCARDS && (this.#costly += 1) > MAX_COSTLY_RULES) return false;
    this.#count += 1;
    return true;
  }
}
