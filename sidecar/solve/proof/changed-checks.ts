/** Which changes of a task are changes of its checks, and the content that the base has in their place. */
import { posix } from 'node:path';
import { importsOf, fileIndex } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';
import { isSettings } from '../../brief/runners.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { ChecksOfBase } from './check-files.ts';
import { decidingPart, withDecidingPart } from './deciding-part.ts';
import { specifiersOf } from './test-imports.ts';

export interface ChangesInput {
  checks: ChecksOfBase;
  changed: readonly string[];
  /** Texts of the base, and of the changed files as the task left them. */
  before: ReadonlyMap<string, string>;
  after: ReadonlyMap<string, string>;
  paths: ReadonlySet<string>;
  /** The checks' report of the base. */
  base: VerificationReport | undefined;
}

/** Returns the changed paths that are files of the checks; new ones are those that a runner finds or loads by itself. */
export function changedChecks({ checks, changed, before, after, paths, base }: ChangesInput): string[] {
  const isUsed = usedByProduct({ checks, changed, after, paths });
  const decides = (path: string): boolean => {
    const [was, is] = [before.get(path), after.get(path)];
    if (!isSettings(path) || (was ?? is) === undefined) return true;
    return decidingPart(path, was ?? '') !== decidingPart(path, is ?? '');
  };
  const hasJudged = checks.hasTests || checks.runners.length === 0;
  return changed.filter((path) => {
    if (paths.has(path)) return checks.files.has(path) && decides(path);
    if (checks.made.has(path)) return false;
    const name = posix.basename(path).replace(/\.(?:cmd|exe|ps1)$/, '');
    if (checks.programs.has(name) || checks.optional.has(path)) return true;
    if (checks.hasTests && (shadowsFile(path, checks) || shadowsModule(path, { checks, isUsed, base })))
      return true;
    if (isSettings(path)) return hasJudged && decides(path);
    return checks.hasTests && checks.isTest(path) && !isUsed(path);
  });
}

/** Returns the content with which a file of the checks is put back; undefined if all of it is the base's. */
export const putBack = (
  path: string,
  before: string | undefined,
  after: string | undefined,
): string | undefined => {
  if (after === undefined) return undefined;
  const merged = withDecidingPart(path, before, after);
  return merged === before ? undefined : merged;
};

const withoutEnding = (path: string): string => path.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, '');

/** Whether a new file is found in the place of a file of the checks: `a.js` beside `a.json`, `a/__init__.py` beside `a.py`. */
const shadowsFile = (path: string, { files }: ChecksOfBase): boolean =>
  isCode(path) &&
  [...files].some(
    (file) => file !== path && withoutEnding(file) === withoutEnding(path) && withoutEnding(path) !== path,
  );

/** Whether a new module of Python is found before one that is installed: no product uses it, and the checks ran without it. */
function shadowsModule(
  path: string,
  { checks, isUsed, base }: Pick<ChangesInput, 'checks' | 'base'> & { isUsed: (path: string) => boolean },
): boolean {
  const [name] = path.split('/');
  const module = (name ?? '').replace(/\.py$/, '');
  if (
    !path.endsWith('.py') ||
    ![...checks.programs].some((program) => /^(?:python[\d.]*|pytest)$/.test(program))
  )
    return false;
  if (path.includes('/') && !/^[^/]+\/(?:__init__|__main__)\.py$/.test(path)) return false;
  if (checks.importedBy(module).length === 0) return !isUsed(path);
  const said = (base?.checks ?? [])
    .map(({ essence, output }) => `${essence?.errors.join('\n') ?? ''}\n${output}`)
    .join('\n');
  return base !== undefined && !new RegExp(`No module named '${module}\\b`).test(said);
}

/** Whether a changed or new source that is no file of the checks imports a new file. */
function usedByProduct({
  checks,
  changed,
  after,
  paths,
}: Pick<ChangesInput, 'checks' | 'changed' | 'after' | 'paths'>) {
  const index = fileIndex([...new Set([...paths, ...changed])]);
  const used = new Set<string>();
  const modules = new Set<string>();
  for (const [path, text] of after) {
    if (checks.files.has(path) || checks.isTest(path)) continue;
    for (const other of importsOf(path, text, index)) used.add(other);
    for (const name of specifiersOf(path, text)) modules.add(name);
  }
  return (path: string): boolean => used.has(path) || modules.has(path.replace(/(?:\/__\w+__)?\.py$/, ''));
}
