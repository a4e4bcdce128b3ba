/**
 * Whether a file that tests import is a part of them or what they test. Told by how its names are used, since both may lie side
 * by side. Pure.
 */
import { posix } from 'node:path';
import { importsOf } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';
import type { BaseFiles } from './base-files.ts';

/** Modules of assertions and of runners. */
const ASSERTS =
  /["'](?:node:)?(?:assert(?:\/strict)?|test|chai|expect|sinon|vitest|@jest\/globals|jest-[\w-]+|ava|tap|uvu(?:\/assert)?)["']|^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest|nose)\b|^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"testing"|\braise AssertionError\b/m;
const HAS_CODE = /\b(?:function|class|def|lambda)\b|=>/;

/** Whether a file asserts itself; or one test compares with it or takes data from it, and none calls it for its result. */
export function isPartOfTests(path: string, tests: readonly string[], base: BaseFiles): boolean {
  if (!isCode(path) || ASSERTS.test(base.text(path))) return true;
  const roles = tests.map((test) => roleOf(path, test, base));
  return roles.includes('part') && !roles.includes('subject');
}

function roleOf(path: string, test: string, base: BaseFiles): 'part' | 'subject' | undefined {
  if (isNamedAfter(test, path)) return 'subject';
  const text = base.text(test);
  const bindings = bindingsOf(test, base).filter(({ files }) => files.length > 0);
  const own = bindings
    .filter(({ files }) => files.includes(path))
    .flatMap(({ names }) => callsOf(names, text));
  if (own.some(({ isForResult }) => isForResult)) return 'subject';
  const others = bindings
    .filter(({ files }) => !files.includes(path))
    .flatMap(({ names }) => callsOf(names, text));
  const compares = own.some((call) => others.some(({ at }) => at > call.at && at < call.end));
  const isData =
    own.length === 0 && !HAS_CODE.test(base.text(path)) && others.some(({ isForResult }) => isForResult);
  return compares || isData ? 'part' : undefined;
}

/** Before a call whose result is dropped, or is a verdict. */
const VERDICT = /(?:^|[;{}\n!]|=>|\b(?:assert|not|if|ok|true|assertTrue|isTrue)\b\s*\(?)\s*(?:await\s+)?$/i;
/** After a call: a comparison, another argument, a matcher. */
const COMPARED = /^\)?(?:\.\w+)*\s*(?:[=!<>]=|[<>,]|\)\s*\.[\w.]+\((?!\)|true\b|false\b))/;

/** Calls of some names: where they begin and end, and whether something is done with what they return. */
const callsOf = (names: readonly string[], text: string) =>
  names.flatMap((name) => {
    const pattern = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?:\\.\\w+)*\\s*\\(`, 'g');
    return [...text.matchAll(pattern)].map(({ index: at, 0: call }) => {
      const end = endOfCall(text, at + call.length);
      const isVerdict = VERDICT.test(text.slice(Math.max(0, at - 80), at));
      return { at, end, isForResult: !isVerdict || COMPARED.test(text.slice(end, end + 200)) };
    });
  });

const MAX_CALL_CHARS = 5_000;

/** Where the parenthesis closes that is open at a place. */
function endOfCall(text: string, from: number): number {
  const end = Math.min(text.length, from + MAX_CALL_CHARS);
  let depth = 1;
  let at = from;
  for (; at < end && depth > 0; at += 1) depth += Number(text[at] === '(') - Number(text[at] === ')');
  return at;
}

const MARKS = /^(?:tests?[-_.]?)|(?:[-_.]?(?:tests?|spec|cy|it))$/gi;
const stemOf = (path: string): string => {
  const name = posix.basename(path).replace(/\..*$/, '');
  return /^(?:index|__init__|mod|lib|main)$/.test(name) ? posix.basename(posix.dirname(path)) : name;
};

/** `sum.test.js` is named after `sum.js`. */
function isNamedAfter(test: string, path: string): boolean {
  const whole = posix.basename(test).replace(/\.\w+$/, '');
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  const [of, own] = [plain(whole.replaceAll(MARKS, '')), plain(stemOf(path))];
  return of !== '' && own !== '' && (of.includes(own) || own.includes(of));
}

const JS_BINDING =
  /(?:\b(?:const|let|var)\s+(\{[^}]{0,500}\}|\w+)\s*=\s*(?:await\s+import|require)\(\s*["'][^"'\n]{1,300}["']|\bimport\s+([^"';]{1,500}?)\s+from\s+["'][^"'\n]{1,300}["'])/g;
const PYTHON_BINDING =
  /^[ \t]{0,60}(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(\([^)]{0,2000}\)|[^\n]{1,500})|import[ \t]+([\w., \t]{1,500}))/gm;

/** Names that a source binds by its imports, and the files of the base that they stand for. */
const bindingsOf = (path: string, base: BaseFiles): { names: string[]; files: string[] }[] =>
  [...base.text(path).matchAll(path.endsWith('.py') ? PYTHON_BINDING : JS_BINDING)].map(
    ([statement, one, other]) => ({
      names: ((one ?? other ?? '').match(/[A-Za-z_$][\w$]*/g) ?? []).filter(
        (name) => !/^(?:as|type|default)$/.test(name),
      ),
      files: importsOf(path, statement, base.index),
    }),
  );
