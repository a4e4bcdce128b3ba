/**
 * Files that hold what decides how checks run beside other things: settings of runners in package.json, tests in a source. That
 * part is a file of the checks; dependencies, descriptions and the program are not. Pure.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../values/json.ts';

type Parts = readonly (readonly [name: string, content: unknown])[];

interface Kind {
  /** Names of parts that describe a package, or what it depends on. */
  describing: RegExp;
  /** Undefined for what cannot be read. */
  read: (text: string) => Parts | undefined;
  write: (parts: Parts) => string;
}

const json: Omit<Kind, 'describing'> = {
  read: (text) => {
    const value = parseJson(text === '' ? '{}' : text);
    return isRecord(value) ? Object.entries(value) : undefined;
  },
  write: (parts) => `${JSON.stringify(Object.fromEntries(parts), null, 2)}\n`,
};
/** The lines before the first heading, then each heading with its lines. */
const sections: Omit<Kind, 'describing'> = {
  read: (text) =>
    text
      .split(/^(?=[ \t]*\[{1,2}[\w"'.: -]+\]{1,2}[ \t]*(?:#.*)?$)/m)
      .map((part) => [/^\s*\[{1,2}([^\]]*)\]/.exec(part)?.[1]?.replaceAll('"', '').trim() ?? '', part]),
  write: (parts) => parts.map(([, part]) => String(part).replace(/\n*$/, '\n')).join(''),
};

const KINDS: Readonly<Record<string, Kind>> = {
  'package.json': {
    ...json,
    describing:
      /^(?:name|version|description|private|author|contributors|license|repository|bugs|homepage|keywords|funding|files|man|main|module|browser|bin|exports|types|typings|typesVersions|sideEffects|engines|os|cpu|publishConfig|\w*[dD]ependencies\w*|overrides|resolutions|workspaces|packageManager)$/,
  },
  'pyproject.toml': {
    ...sections,
    describing: /^(?:project|build-system|dependency-groups|tool\.poetry)(?:\.|$)/,
  },
  'Cargo.toml': {
    ...sections,
    describing: /^(?:package|features|(?:target\..*\.)?(?:build-)?dependencies|workspace)(?:\.|$)/,
  },
  'setup.cfg': { ...sections, describing: /^(?:metadata|options)(?:\.|$)/ },
};
const kindOf = (path: string): Kind | undefined => KINDS[posix.basename(path)];

/** Whether a file holds settings of runners beside the description of a package. */
export const isManifest = (path: string): boolean => kindOf(path) !== undefined;

/** Returns the part of a file of the checks that decides how they run: all of it unless its kind holds other things as well. */
export function decidingPart(path: string, text: string): string {
  const kind = kindOf(path);
  const parts = kind?.read(text)?.filter(([name]) => !kind.describing.test(name));
  if (!kind || !parts) return text;
  return parts.length === 0 ? '' : kind.write(parts).trim();
}

/** Returns the file of the work with the deciding part of the base; undefined if the base's whole file takes its place. */
export function withDecidingPart(path: string, base: string | undefined, work: string): string | undefined {
  const kind = kindOf(path);
  if (!kind) return undefined;
  const [before, now] = [kind.read(base ?? ''), kind.read(work)];
  if (!before || !now) return undefined;
  const deciding = before.filter(([name]) => !kind.describing.test(name));
  const head = deciding.filter(([name]) => name === '');
  const describing = now.filter(([name]) => kind.describing.test(name));
  return kind.write([...head, ...describing, ...deciding.filter((part) => !head.includes(part))]);
}

const MAX_CHARS = 400_000;
const BODY = String.raw`.*\n(?:\1[ \t]+.*(?:\n|$)|[ \t]*\n)*`;
/** Tests inside sources: doctests; the part of a Python module that runs by itself; its test methods; tests of Rust. */
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

/** Returns the tests that stand inside of a source. */
export const testsIn = (path: string, text: string): string[] =>
  (TESTS[posix.extname(path)] ?? []).flatMap((pattern) =>
    (text.slice(0, MAX_CHARS).match(pattern) ?? [])
      .map((test) => test.trimEnd())
      .filter((test) => !test.startsWith('if ') || ASSERTS.test(test)),
  );

/** Whether a text holds a test, however it is broken into lines. */
export const holdsTest = (text: string, test: string): boolean => plain(text).includes(plain(test));
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Returns a source of the product with the tests of the base; undefined if one has no place in it any more. */
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

/** The statement of a doctest, the name of a function or a module. */
const nameOf = (test: string): string =>
  plain(/\b(?:def|fn|mod)\s+\w+|^\s*(?:>>>|iex>).*|^if .*|^\s*\/\/.*\n.*/m.exec(test)?.[0] ?? '');
