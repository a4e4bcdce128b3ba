/** Finds the changes of a task that are changes of its checks. Pure. */
import { posix } from 'node:path';
import { buildFileIndex, findImports } from '../../brief/imports.ts';
import { isCode } from '../../../parsing/definitions/languages.ts';
import { isSettings } from '../../brief/runners.ts';
import type { ChecksOfBase } from './check-files.ts';
import { extractDecidingPart, findLostTests } from './deciding-part.ts';

/** The two trees that a proof compares. */
export interface ComparedTrees {
  /** Paths of the base. */
  paths: ReadonlySet<string>;
  changed: readonly string[];
  /** Texts of the base. */
  before: ReadonlyMap<string, string>;
  /** Texts of the changed files after the task. */
  after: ReadonlyMap<string, string>;
}

export interface ComparedChecks extends ComparedTrees {
  checks: ChecksOfBase;
}

/** Returns the changed paths that are files of the checks, including new files that a runner finds or loads by itself. */
export function findChangedChecks(compared: ComparedChecks): string[] {
  const { checks, changed, before, after, paths } = compared;
  const index = buildFileIndex([...new Set([...paths, ...changed])]);
  const sources = [...after].filter(([path]) => !checks.files.has(path) && !checks.isTest(path));
  const used = new Set(sources.flatMap(([path, text]) => findImports(path, text, index)));
  const decides = (path: string): boolean => {
    const [was, is] = [before.get(path), after.get(path)];
    // Equal texts: only the mode changed, or the file cannot be read.
    return was === is || extractDecidingPart(path, was ?? '') !== extractDecidingPart(path, is ?? '');
  };
  return changed.filter((path) => {
    if (checks.files.has(path)) return decides(path);
    if (paths.has(path)) return findLostTests(path, before.get(path) ?? '', after.get(path) ?? '').length > 0;
    if (checks.isScriptCondition(path)) return true;
    if (checks.isRequestedFile(path)) return false;
    if (isSettings(path)) return decides(path);
    return checks.hasTests && !used.has(path) && (checks.isTest(path) || shadowsCheckFile(path, compared));
  });
}

const removeExtension = (path: string): string =>
  path.replace(/(?:\/(?:index|__init__|__main__|mod))?\.\w+$/, '');

/** Returns whether a new file is resolved in place of a file, a module or a program of the checks: `a.js` beside `a.json`, `tools/node`. */
function shadowsCheckFile(path: string, { checks, before }: ComparedChecks): boolean {
  if (checks.programs.has(posix.basename(path).replace(/\.(?:cmd|exe|ps1)$/, ''))) return true;
  const stem = removeExtension(path);
  if (isCode(path) && [...checks.files].some((file) => removeExtension(file) === stem)) return true;
  // A new Python module at the root may shadow an installed package. If a file of the base names it, it is taken for the project's own.
  if (!path.endsWith('.py') || !/^\w+$/.test(stem)) return false;
  return (
    checks.programs.has(stem) || ![...before.values()].some((text) => new RegExp(`\\b${stem}\\b`).test(text))
  );
}

/** Matches assignments to members of an assertion library or of a test case. Product code does not need them. */
const TAMPERING_CODE =
  /\bassert(?:\.\w+|\[[^\]]{1,40}\])\s*=[^=>]|\b(?:Object\.assign|Object\.defineProperty|Reflect\.set)\(\s*(?:assert|expect|test|it)\b|\b(?:TestCase|pytest|unittest)\.\w+\s*=[^=]|\b\w+\.__doc__\s*=[^=]/;
const MAX_TEXT_CHARS = 400_000;
const MAX_LINE_CHARS = 400;
const MAX_SHOWN_CHARS = 120;

/** Returns the changed sources of the product with a new line that changes how tests behave. */
export function findTamperingLines({ checks, before, after }: ComparedChecks): string[] {
  return [...after].flatMap(([path, text]) => {
    const was = checks.files.has(path) || !isCode(path) ? undefined : before.get(path);
    if (was === undefined) return [];
    const old = new Set(was.split('\n'));
    const lines = text.slice(0, MAX_TEXT_CHARS).split('\n');
    const line = lines.find(
      (one) => !old.has(one) && one.length <= MAX_LINE_CHARS && TAMPERING_CODE.test(one),
    );
    return line === undefined
      ? []
      : [`A new line of ${path} changes how tests behave: ${line.trim().slice(0, MAX_SHOWN_CHARS)}`];
  });
}
