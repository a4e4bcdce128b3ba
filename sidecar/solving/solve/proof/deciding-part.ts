/**
 * Separates the part of a file that decides how checks run: runner settings in package.json, or tests in a source file. Only this part
 * counts as a file of the checks; dependencies, descriptions and program code do not. Pure.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../../base/values/json.ts';

/** Names of the parts of a manifest that describe the package or its dependencies, by file. */
const DESCRIPTION_KEYS: Readonly<Record<string, RegExp>> = {
  'package.json':
    /^(?:name|version|description|private|author|contributors|license|repository|bugs|homepage|keywords|funding|files|man|main|module|browser|bin|exports|types|typings|typesVersions|sideEffects|engines|os|cpu|publishConfig|\w*[dD]ependencies\w*|overrides|resolutions|workspaces|packageManager)$/,
  'pyproject.toml': /^(?:project|build-system|dependency-groups|tool\.poetry)(?:\.|$)/,
  'Cargo.toml': /^(?:package|features|(?:target\..*\.)?(?:build-)?dependencies|workspace)(?:\.|$)/,
  'setup.cfg': /^(?:metadata|options)(?:\.|$)/,
};

type FilePart = readonly [name: string, content: unknown];

/** Splits a manifest into two lists of keys or sections: first those that decide how checks run, then the others. Returns undefined for other files. */
function partsOf(path: string, text: string): [deciding: FilePart[], describing: FilePart[]] | undefined {
  const name = posix.basename(path);
  const json = name.endsWith('.json') ? parseJson(text || '{}') : {};
  const pattern =
    isRecord(json) && Object.hasOwn(DESCRIPTION_KEYS, name) ? DESCRIPTION_KEYS[name] : undefined;
  if (!pattern || !isRecord(json)) return undefined;
  const sections = text.split(/^(?=[ \t]*\[{1,2}[\w"'.: -]+\]{1,2}[ \t]*(?:#.*)?$)/m);
  const parts: FilePart[] = name.endsWith('.json')
    ? Object.entries(json)
    : sections.map((part) => [
        /^\s*\[{1,2}([^\]]*)\]/.exec(part)?.[1]?.replaceAll('"', '').trim() ?? '',
        part,
      ]);
  return [parts.filter(([key]) => !pattern.test(key)), parts.filter(([key]) => pattern.test(key))];
}

const joinParts = (path: string, parts: readonly FilePart[]): string =>
  path.endsWith('.json')
    ? `${JSON.stringify(Object.fromEntries(parts), null, 2)}\n`
    : parts.map(([, part]) => String(part).replace(/\n*$/, '\n')).join('');

/** Returns the part of a file that decides how checks run: for a manifest its settings, otherwise all of it. */
export function extractDecidingPart(path: string, text: string): string {
  const [deciding] = partsOf(path, text) ?? [];
  if (!deciding) return text;
  return deciding.length === 0 ? '' : joinParts(path, deciding).trim();
}

/** Returns the task's file with the deciding part of the base. Returns undefined if the base's whole file must replace it. */
export function restoreDecidingPart(
  path: string,
  base: string | undefined,
  work: string,
): string | undefined {
  const [before, now] = [partsOf(path, base ?? ''), partsOf(path, work)];
  return before && now && joinParts(path, [...before[0], ...now[1]]);
}

const MAX_CHARS = 400_000;
const BODY_PATTERN = String.raw`.*\n(?:\1[ \t]+.*(?:\n|$)|[ \t]*\n)*`;
/** Patterns of tests inside sources, by extension: doctests, the `__main__` part and the test methods of a Python module, tests of Rust. */
const TEST_PATTERNS: Readonly<Record<string, readonly RegExp[]>> = {
  '.py': [
    /^[ \t]*>>>.*(?:\n[ \t]*(?!>>>|"""|''')\S.*)*/gm,
    new RegExp(String.raw`^()if __name__\s*==\s*['"]__main__['"]` + BODY_PATTERN, 'gm'),
    new RegExp(String.raw`^([ \t]*)(?:@.*\n\1)*(?:async )?def test\w*\(` + BODY_PATTERN, 'gm'),
  ],
  '.ex': [/^[ \t]*iex>.*(?:\n[ \t]*(?!iex>|""")\S.*)*/gm],
  '.rs': [
    /^[ \t]*\/\/[/!][ \t]*```(?!text|ignore).*\n(?:[ \t]*\/\/[/!].*\n)*?[ \t]*\/\/[/!][ \t]*```/gm,
    /^([ \t]*)#\[(?:cfg\([^\]]*\btest\b|(?:\w+::)*test\b)[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?(?:mod|fn)\s+\w+[^;{]*(?:;|\{(?:.*\}[ \t]*$|[^]{0,100000}?^\1\}))/gm,
  ],
};
const ASSERTION = /\bassert|\b(?:unittest|doctest|pytest)\b/;

/** Returns the tests that a source contains. */
const findTests = (path: string, text: string): string[] =>
  (TEST_PATTERNS[posix.extname(path)] ?? [])
    .flatMap((pattern) => text.slice(0, MAX_CHARS).match(pattern) ?? [])
    .map((test) => test.trimEnd())
    .filter((test) => !test.startsWith('if ') || ASSERTION.test(test));

const collapseSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns the tests of the base's source that a text does not contain. Whitespace is ignored. */
export const findLostTests = (path: string, base: string, text: string): string[] =>
  findTests(path, base).filter((test) => !collapseSpaces(text).includes(collapseSpaces(test)));

/** Returns a source of the product with the tests of the base. Returns undefined if it no longer has a place for one of them. */
export function restoreTests(path: string, base: string, work: string): string | undefined {
  const old = findTests(path, base);
  let text: string | undefined = old.length > 0 ? work : undefined;
  for (const test of findLostTests(path, base, work)) {
    const now = findTests(path, text ?? '').find((one) => nameOf(one) === nameOf(test) && !old.includes(one));
    text = now === undefined ? undefined : text?.replace(now, () => test);
  }
  return text;
}

/** Returns the statement of a doctest, or the name of a function or a module. */
const nameOf = (test: string): string =>
  collapseSpaces(/\b(?:def|fn|mod)\s+\w+|^\s*(?:>>>|iex>).*|^if .*|^\s*\/\/.*\n.*/m.exec(test)?.[0] ?? '');
