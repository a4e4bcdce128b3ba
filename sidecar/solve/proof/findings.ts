/**
 * Reasons for which passing checks are no proof of the work, each with its names: fewer tests than before, a program in the place of
 * a runner, lines that change what tests do. Pure.
 */
import type { CheckResult, VerificationReport } from '../../protocol/result.ts';
import { checkName, namesOf, sameCheck } from '../../verification/correction.ts';
import type { CheckFile } from './check-files.ts';

/** A program that was changed, and is no file of the checks. */
export interface ChangedSource {
  path: string;
  before: string | undefined;
  after: string;
}

const MAX_NAMED = 8;
const MAX_SHOWN_CHARS = 120;

export interface Comparison {
  reference: VerificationReport | undefined;
  now: VerificationReport;
  /** Where the figure of the reference is from. */
  before: string;
  /** The checks start a test runner that always says how many tests ran; other programs may be silent where all is well. */
  hasRunner: boolean;
}

/** Tests that ran before and do not run now, for each check. */
export function fewerTests({ reference, now, before, hasRunner }: Comparison): string[] {
  return now.checks.flatMap((check) => {
    const earlier = sameCheck(reference, check);
    const [ran, runs] = [testsIn(earlier), testsIn(check)];
    if (runs >= ran) return [];
    if (runs === 0 && !hasRunner && (earlier?.essence?.passed ?? 0) === 0) return [];
    return [`Fewer tests ran: ${runs} of the ${ran} that ran ${before} (${checkName(check)}).`];
  });
}

function testsIn(check: CheckResult | undefined): number {
  const { essence } = check ?? {};
  if (!essence || essence.runner === 'other') return 0;
  return (essence.passed ?? 0) + essence.failed.length;
}

export const shadows = (files: readonly CheckFile[]): string[] =>
  files
    .filter(({ program }) => program !== undefined)
    .slice(0, MAX_NAMED)
    .map(({ path, program }) => `${path} stands in the place of \`${program}\`, which the checks run.`);

/** Tests and settings of the base that were changed and may not be; new tests are no such change. `sources`: see `changesOwnTests`. */
export function changedChecks(
  files: readonly CheckFile[],
  sources: readonly Pick<ChangedSource, 'path'>[],
): string[] {
  const changed = [
    ...files.filter(({ isNew }) => !isNew).map(({ path }) => path),
    ...sources.map(({ path }) => `the tests in ${path}`),
  ];
  if (changed.length === 0) return [];
  return [`the task changed ${namesOf(changed)}; run it with --may-change-checks if that is wanted`];
}

const MAX_SOURCE_CHARS = 200_000;
const MAX_LINE_CHARS = 400;
/** Lines of a program that change what its tests do: assertions replaced, the process ended unseen, tests recognised. */
const TAMPERING: readonly RegExp[] = [
  /\bassert(?:\.\w+|\[[^\]]{1,40}\])\s*=[^=>]/,
  /\b(?:Object\.assign|Object\.defineProperty|Reflect\.set)\(\s*(?:assert|expect|test|it)\b/,
  /\b(?:TestCase|pytest|unittest)\.\w+\s*=[^=]/,
  /\bos\._exit\s*\(/,
  /\b(?:PYTEST_CURRENT_TEST|NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_WORKER_ID)\b/,
  /\bprocess\.(?:reallyExit|exitCode\s*=\s*0|exit\s*=[^=])/,
];

/** Lines that a program has now and did not have, and that change what its tests do. */
export function tampering({ path, before = '', after }: ChangedSource): string[] {
  const old = new Set(before.slice(0, MAX_SOURCE_CHARS).split('\n'));
  const line = after
    .slice(0, MAX_SOURCE_CHARS)
    .split('\n')
    .filter((text) => !old.has(text) && text.length <= MAX_LINE_CHARS)
    .find((text) => TAMPERING.some((sign) => sign.test(text)));
  return line === undefined
    ? []
    : [`${path} changes what its tests do: ${line.trim().slice(0, MAX_SHOWN_CHARS)}`];
}
