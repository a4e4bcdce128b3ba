/**
 * What the model knows of the files of a task. It is learned from what the task shows and from the news in results
 * alone, so that a resumed task, whose results come from the journal, knows the same.
 */
import { posix } from 'node:path';
import { definitionsOf, type Definition } from '../../definitions/index.ts';
import { applyAnswer } from '../../applying/index.ts';
import { fenced } from '../../values/fenced.ts';
import { newsOf, type FileWatch, type Replacement } from '../../tools/file-watch.ts';
import type { ToolCallResult } from '../../tools/types.ts';

export interface KnownFilesOptions {
  /** Absolute; where relative paths begin. */
  workspaceDir: string;
  /** What the task says: whether something is to be taken away. */
  request: string;
}

export class KnownFiles implements FileWatch {
  readonly #options: KnownFilesOptions;
  readonly #known = new Set<string>();
  readonly #own = new Set<string>();
  readonly #misses = new Map<string, number>();
  readonly #shownInPart = new Set<string>();

  constructor(options: KnownFilesOptions) {
    this.#options = options;
  }

  isKnown(path: string): boolean {
    return this.#known.has(this.#key(path));
  }

  isOwn(path: string): boolean {
    return this.#own.has(this.#key(path));
  }

  misses(path: string): number {
    return this.#misses.get(this.#key(path)) ?? 0;
  }

  /** Paths, relative to the workspace, of files of which the model has seen something, whole ones first. */
  get shown(): string[] {
    return [...new Set([...this.#known, ...this.#shownInPart])];
  }

  /** These files were shown to the model, whole or in part. */
  show(paths: readonly string[], { isWhole = true } = {}): void {
    const seen = isWhole ? this.#known : this.#shownInPart;
    for (const path of paths) seen.add(this.#key(path));
  }

  /** Takes up what a result teaches, new or from the journal. */
  learn({ details }: Pick<ToolCallResult, 'details'>): void {
    const { known = [], created = [], missed = [] } = newsOf(details);
    this.show([...known, ...created]);
    for (const path of created) this.#own.add(this.#key(path));
    for (const path of missed) this.#misses.set(this.#key(path), this.misses(path) + 1);
  }

  async judgeReplacement(given: string, before: string, after: string): Promise<Replacement> {
    const path = this.#key(given);
    const lost = await lostNames(path, before, after);
    if (lost.length === 0 || REMOVES.test(this.#options.request)) return { ok: true };
    const candidates = await applyAnswer(`\`${path}\`:\n${fenced(after)}\n`, {
      read: (wanted) => Promise.resolve(wanted === path ? before : undefined),
      shown: [path],
      mayChange: (wanted) => wanted === path,
    });
    const merged = candidates.find(({ reading, problems }) => reading === 'merged' && problems.length === 0)
      ?.files[0]?.after;
    const isSafe = merged !== undefined && (await lostNames(path, before, merged)).length === 0;
    return isSafe ? { ok: false, lost, merged } : { ok: false, lost };
  }

  #key(path: string): string {
    const { workspaceDir } = this.#options;
    const relative = posix.isAbsolute(path) ? posix.relative(workspaceDir, path) : path;
    return posix.normalize(relative);
  }
}

/** A task that speaks of one of these may well want definitions to go. */
const REMOVES =
  /\b(?:remov|delet|drop|renam|replac|refactor|rewrit|split|mov(?:e|ing)|extract|merg|simplif|clean(?:ing)?[ -]?up|inlin|convert|migrat|port(?:ing)?\b|dead code|unused|deduplicat|get(?:ting)? rid)/i;

/** Kinds that others depend on by name. */
const NAMED = new Set<Definition['kind']>([
  'function',
  'method',
  'class',
  'interface',
  'type',
  'enum',
  'module',
  'object',
  'constant',
]);
/** What is defined inside of a function is its own business. */
const HOLDERS = new Set<Definition['kind']>(['class', 'interface', 'module', 'object', 'enum']);

/** Names that the old text defines and the new one does not; none for files that no grammar reads. */
async function lostNames(path: string, before: string, after: string): Promise<string[]> {
  const old = await definitionsOf(path, before);
  const now = await definitionsOf(path, after);
  if (!old || !now) return [];
  const kept = new Set(namesIn(now));
  return [...new Set(namesIn(old))].filter((name) => !kept.has(name));
}

function namesIn(definitions: readonly Definition[], within = ''): string[] {
  return definitions.flatMap(({ names, kind, children }) => {
    if (!NAMED.has(kind)) return [];
    const [first = ''] = names;
    const members = HOLDERS.has(kind) ? namesIn(children, `${within}${first}.`) : [];
    return [...names.map((name) => within + name), ...members];
  });
}
