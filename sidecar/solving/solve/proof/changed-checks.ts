/** Finds the changes of a task that are changes of its checks. Pure. */
import { posix } from 'node:path';
import { buildFileIndex, findImports } from '../../brief/imports.ts';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings } from '../../brief/runners.ts';
import type { VerificationReport } from '../../../base/protocol/result.ts';
import type { ChecksOfBase } from './check-files.ts';
import type { ComparedTrees } from './compared-trees.ts';
import { decidingPart, holdsTest, testsIn } from './deciding-part.ts';

export interface ComparedChecks extends ComparedTrees {
  checks: ChecksOfBase;
  /** The checks' report of the base. */
  base: VerificationReport | undefined;
}

/** Returns the changed paths that are files of the checks, including new files that a runner finds or loads by itself. */
export function changedChecks(compared: ComparedChecks): string[] {
  const { checks, changed, before, after, paths } = compared;
  const isUsed = usedByProduct(compared);
  const hasJudged = checks.hasTests || checks.runners.length === 0;
  const decides = (path: string): boolean => {
    const [was, is] = [before.get(path), after.get(path)];
    // Equal texts: only the mode changed, or the file cannot be read.
    return was === is || decidingPart(path, was ?? '') !== decidingPart(path, is ?? '');
  };
  return changed.filter((path) => {
    if (paths.has(path)) return checks.files.has(path) ? decides(path) : losesTests(path, compared);
    if (checks.isSwitch(path)) return true;
    if (checks.isWanted(path)) return false;
    if (isSettings(path)) return hasJudged && decides(path);
    return checks.hasTests && !isUsed(path) && (checks.isTest(path) || shadowsCheckFile(path, compared));
  });
}

/** Returns whether a source of the product has lost or changed tests that it contains. */
function losesTests(path: string, { before, after }: ComparedChecks): boolean {
  const now = after.get(path) ?? [...after.values()].join('\n');
  return testsIn(path, before.get(path) ?? '').some((test) => !holdsTest(now, test));
}

const withoutEnding = (path: string): string => path.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, '');

/** Returns whether a new file is resolved in place of a file, a module or a program of the checks: `a.js` beside `a.json`, `tools/node`. */
function shadowsCheckFile(path: string, { checks, base, paths }: ComparedChecks): boolean {
  if (checks.programs.has(posix.basename(path).replace(/\.(?:cmd|exe|ps1)$/, ''))) return true;
  const stem = withoutEnding(path);
  if (isCode(path) && [...checks.files].some((file) => withoutEnding(file) === stem)) return true;
  // A local Python module shadows an installed one, unless the base has it in another form, or the checks failed because it was missing.
  const [, module] = /^(\w+)(?:\/__(?:init|main)__)?\.py$/.exec(path) ?? [];
  const isPython = [...checks.programs].some((name) => /^(?:python|pytest)/.test(name));
  const printed = (base?.checks ?? []).map(({ essence, output }) => [...(essence?.errors ?? []), output]);
  return (
    module !== undefined &&
    isPython &&
    ![...paths].some((one) => withoutEnding(one) === stem) &&
    !printed.flat().join('\n').includes(`No module named '${module}`)
  );
}

/** Returns a predicate for files that a source outside the checks imports. */
function usedByProduct({ checks, changed, after, paths }: ComparedChecks): (path: string) => boolean {
  const index = buildFileIndex([...new Set([...paths, ...changed])]);
  const sources = [...after].filter(([path]) => !checks.files.has(path) && !checks.isTest(path));
  const used = new Set(sources.flatMap(([path, text]) => findImports(path, text, index)));
  return (path) => used.has(path);
}

/** Assignments to members of an assertion library or of a test case. Product code does not need them. */
const TAMPERING =
  /\bassert(?:\.\w+|\[[^\]]{1,40}\])\s*=[^=>]|\b(?:Object\.assign|Object\.defineProperty|Reflect\.set)\(\s*(?:assert|expect|test|it)\b|\b(?:TestCase|pytest|unittest)\.\w+\s*=[^=]|\b\w+\.__doc__\s*=[^=]/;
const MAX_TEXT_CHARS = 400_000;
const MAX_LINE_CHARS = 400;
const MAX_SHOWN_CHARS = 120;

/** Returns the changed sources of the product with a new line that changes how tests behave. */
export function tamperingLines({ checks, before, after }: ComparedChecks): string[] {
  return [...after].flatMap(([path, text]) => {
    const was = checks.files.has(path) || !isCode(path) ? undefined : before.get(path);
    if (was === undefined) return [];
    const old = new Set(was.split('\n'));
    const lines = text.slice(0, MAX_TEXT_CHARS).split('\n');
    const line = lines.find((one) => !old.has(one) && one.length <= MAX_LINE_CHARS && TAMPERING.test(one));
    return line === undefined
      ? []
      : [`${path} changes what its tests do: ${line.trim().slice(0, MAX_SHOWN_CHARS)}`];
  });
}
