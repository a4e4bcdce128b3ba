/** Which changes of a task are changes of its checks, and the content that the base has in their place. */
import { posix } from 'node:path';
import { fileIndex, importsOf } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';
import { isSettings } from '../../brief/runners.ts';
import type { VerificationReport } from '../../protocol/result.ts';
import type { ChecksOfBase } from './check-files.ts';
import { decidingPart, holdsTest, isManifest, testsIn } from './deciding-part.ts';

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
export function changedChecks(input: ChangesInput): string[] {
  const { checks, changed, before, after, paths } = input;
  const isUsed = usedByProduct(input);
  const decides = (path: string): boolean => {
    const [was, is] = [before.get(path), after.get(path)];
    // A text that is the same was given another mode, or cannot be read.
    return was === is || decidingPart(path, was ?? '') !== decidingPart(path, is ?? '');
  };
  const hasJudged = checks.hasTests || checks.runners.length === 0;
  return changed.filter((path) => {
    if (paths.has(path)) return checks.files.has(path) ? decides(path) : losesTests(path, input);
    if (checks.isSwitch(path)) return true;
    if (checks.isWanted(path)) return false;
    if (isSettings(path)) return hasJudged && decides(path) && !isNewPackage(path, paths);
    return checks.hasTests && !isUsed(path) && (checks.isTest(path) || standsInPlace(path, input));
  });
}

/** Whether a manifest is that of a new package, which settles nothing for others. */
const isNewPackage = (path: string, paths: ReadonlySet<string>): boolean =>
  isManifest(path) &&
  path.includes('/') &&
  ![...paths].some((other) => other.startsWith(`${posix.dirname(path)}/`));

/** Whether a source of the product has lost tests of its own, or they read otherwise now. */
function losesTests(path: string, { before, after }: ChangesInput): boolean {
  const now = after.get(path) ?? [...after.values()].join('\n');
  return testsIn(path, before.get(path) ?? '').some((test) => !holdsTest(now, test));
}

const withoutEnding = (path: string): string => path.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, '');

/** Whether a new file is found before a file, a module or a program of the checks: `a.js` beside `a.json`, `tools/node`. */
function standsInPlace(path: string, { checks, base }: ChangesInput): boolean {
  const stem = withoutEnding(path);
  if (checks.programs.has(posix.basename(path).replace(/\.(?:cmd|exe|ps1)$/, ''))) return true;
  if (isCode(path) && [...checks.files].some((file) => file !== path && withoutEnding(file) === stem))
    return true;
  // A module of Python comes before one that is installed, unless the checks missed it.
  const [, module] = /^(\w+)(?:\/__(?:init|main)__)?\.py$/.exec(path) ?? [];
  if (module === undefined || ![...checks.programs].some((name) => /^(?:python|pytest)/.test(name)))
    return false;
  const missed = (base?.checks ?? [])
    .map(({ essence, output }) => `${essence?.errors.join('\n')}\n${output}`)
    .join('\n');
  return !new RegExp(`No module named '${module}\\b`).test(missed);
}

/** Whether a changed or new source that is no file of the checks imports a new file. */
function usedByProduct({ checks, changed, after, paths }: ChangesInput): (path: string) => boolean {
  const index = fileIndex([...new Set([...paths, ...changed])]);
  const sources = [...after].filter(([path]) => !checks.files.has(path) && !checks.isTest(path));
  const used = new Set(sources.flatMap(([path, text]) => importsOf(path, text, index)));
  return (path) => used.has(path);
}
