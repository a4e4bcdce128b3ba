/** Assignments to members of an assertion library or of a test case: no program has a use for them. Pure. */
const TAMPERING =
  /\bassert(?:\.\w+|\[[^\]]{1,40}\])\s*=[^=>]|\b(?:Object\.assign|Object\.defineProperty|Reflect\.set)\(\s*(?:assert|expect|test|it)\b|\b(?:TestCase|pytest|unittest)\.\w+\s*=[^=]|\b\w+\.__doc__\s*=[^=]/;
const MAX_CHARS = 400_000;
const MAX_SHOWN_CHARS = 120;

/** Returns a line that a source has now and did not have, and that changes what tests do. */
export function tamperingLine(before: string, after: string): string | undefined {
  const old = new Set(before.split('\n'));
  const line = after
    .slice(0, MAX_CHARS)
    .split('\n')
    .find((text) => !old.has(text) && text.length <= 400 && TAMPERING.test(text));
  return line?.trim().slice(0, MAX_SHOWN_CHARS);
}
