/**
 * Separates the part of a file that decides how checks run: runner settings in package.json, or tests in a source file. Only this part
 * counts as a file of the checks; dependencies, descriptions and program code do not. Pure.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../../base/values/json.ts';

type FilePart = readonly [name: string, content: unknown];

/** The parts of a manifest that describe a package or its dependencies, by their names. */
const DESCRIBING: ReadonlyMap<string, RegExp> = new Map([
  [
    'package.json',
    /^(?:name|version|description|private|author|contributors|license|repository|bugs|homepage|keywords|funding|files|man|main|module|browser|bin|exports|types|typings|typesVersions|sideEffects|engines|os|cpu|publishConfig|\w*[dD]ependencies\w*|overrides|resolutions|workspaces|packageManager)$/,
  ],
  ['pyproject.toml', /^(?:project|build-system|dependency-groups|tool\.poetry)(?:\.|$)/],
  ['Cargo.toml', /^(?:package|features|(?:target\..*\.)?(?:build-)?dependencies|workspace)(?:\.|$)/],
  ['setup.cfg', /^(?:metadata|options)(?:\.|$)/],
]);
const describingIn = (path: string): RegExp | undefined => DESCRIBING.get(posix.basename(path));

/**
 * Splits JSON into its keys, and any other file into the lines before the first heading and the sections. Returns undefined if the file
 * cannot be parsed.
 */
function partsOf(path: string, text: string): FilePart[] | undefined {
  if (path.endsWith('.json')) {
    const value = parseJson(text || '{}');
    return isRecord(value) ? Object.entries(value) : undefined;
  }
  return text
    .split(/^(?=[ \t]*\[{1,2}[\w"'.: -]+\]{1,2}[ \t]*(?:#.*)?$)/m)
    .map((part) => [/^\s*\[{1,2}([^\]]*)\]/.exec(part)?.[1]?.replaceAll('"', '').trim() ?? '', part]);
}

const join = (path: string, parts: readonly FilePart[]): string =>
  path.endsWith('.json')
    ? `${JSON.stringify(Object.fromEntries(parts), null, 2)}\n`
    : parts.map(([, part]) => String(part).replace(/\n*$/, '\n')).join('');

/**
 * Returns the part of a file of the checks that decides how they run: the whole text unless files of its kind also contain other things.
 */
export function decidingPart(path: string, text: string): string {
  const describing = describingIn(path);
  const parts = describing && partsOf(path, text)?.filter(([name]) => !describing.test(name));
  if (!parts) return text;
  return parts.length === 0 ? '' : join(path, parts).trim();
}

/** Returns the task's file with the deciding part of the base. Returns undefined if the base's whole file must replace it. */
export function withDecidingPart(path: string, base: string | undefined, work: string): string | undefined {
  const describing = describingIn(path);
  const [before, now] = [partsOf(path, base ?? ''), partsOf(path, work)];
  if (!describing || !before || !now) return undefined;
  const deciding = before.filter(([name]) => !describing.test(name));
  const [head, rest] = [deciding.filter(([name]) => name === ''), deciding.filter(([name]) => name !== '')];
  return join(path, [...head, ...now.filter(([name]) => describing.test(name)), ...rest]);
}

const MAX_CHARS = 400_000;
const BODY = String.raw`.*\n(?:\1[ \t]+.*(?:\n|$)|[ \t]*\n)*`;
/** Tests inside sources: doctests, the `__main__` part and the test methods of a Python module, tests of Rust. */
const TESTS: Readonly<Record<string, readonly RegExp[]>> = {
  '.py': [
    /^[ \t]*>>>.*(?:\n[ \t]*(?!>>>|"""|''')\S.*)*/gm,
    new RegExp(String.raw`^()if __name__\s*==\s*['"]__main__['"]` + BODY, 'gm'),
    new RegExp(String.raw`^([ \t]*)(?:@.*\n\1)*(?:async )?def test\w*\(` + BODY, 'gm'),
  ],
  '.ex': [/^[ \t]*iex>.*(?:\n[ \t]*(?!iex>|""")\S.*)*/gm],
  '.rs': [
    /^[ \t]*\/\/[/!][ \t]*```(?!text|ignore).*\n(?:[ \t]*\/\/[/!].*\n)*?[ \t]*\/\/[/!][ \t]*```/gm,
    /^([ \t]*)#\[(?:cfg\([^\]]*\btest\b|(?:\w+::)*test\b)[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?(?:mod|fn)\s+\w+[^;{]*(?:;|\{(?:.*\}[ \t]*$|[^]{0,100000}?^\1\}))/gm,
  ],
};
const ASSERTS = /\bassert|\b(?:unittest|doctest|pytest)\b/;

/** Returns the tests that a source contains. */
export const testsIn = (path: string, text: string): string[] =>
  (TESTS[posix.extname(path)] ?? []).flatMap((pattern) =>
    (text.slice(0, MAX_CHARS).match(pattern) ?? [])
      .map((test) => test.trimEnd())
      .filter((test) => !test.startsWith('if ') || ASSERTS.test(test)),
  );

/** Returns whether a text contains a test, ignoring whitespace. */
export const holdsTest = (text: string, test: string): boolean =>
  collapseSpaces(text).includes(collapseSpaces(test));
const collapseSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns a source of the product with the tests of the base. Returns undefined if it no longer has a place for one of them. */
export function withTests(path: string, base: string, work: string): string | undefined {
  const old = testsIn(path, base);
  if (old.length === 0) return undefined;
  let text = work;
  for (const test of old) {
    if (holdsTest(text, test)) continue;
    const now = testsIn(path, text).find((one) => nameOf(one) === nameOf(test) && !old.includes(one));
    if (now === undefined) return undefined;
    text = text.replace(now, () => test);
  }
  return text;
}

/** Returns the statement of a doctest, or the name of a function or a module. */
const nameOf = (test: string): string =>
  collapseSpaces(/\b(?:def|fn|mod)\s+\w+|^\s*(?:>>>|iex>).*|^if .*|^\s*\/\/.*\n.*/m.exec(test)?.[0] ?? '');
