/**
 * Decides whether a file that only tests import is a part of the tests. If a test is named after a file, the file is the subject of the
 * test. Parts are files that assert, data, and functions that check the result of another import. Pure.
 */
import { posix } from 'node:path';
import { findImports } from '../../brief/imports.ts';
import { isCode } from '../../../parsing/definitions/languages.ts';
import type { BaseFiles } from './base-files.ts';

/** Matches imports of assertion libraries and of test runners, and raised assertion errors. */
const ASSERTS =
  /["'](?:node:)?(?:assert(?:\/strict)?|test|chai|expect|sinon|vitest|@jest\/globals|jest-[\w-]+|ava|tap|uvu(?:\/assert)?)["']|^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest|nose)\b|^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"testing"|\braise AssertionError\b/m;
const HAS_CODE = /\b(?:function|class|def|lambda)\b|=>/;

/** Returns whether a file that only `tests` import is a part of them, not their subject. */
export function isPartOfTests(path: string, tests: readonly string[], base: BaseFiles): boolean {
  if (!isCode(path) || ASSERTS.test(base.text(path))) return true;
  if (tests.some((test) => isNamedAfter(test, path))) return false;
  const roles = tests.map((test) => roleIn(test, path, base));
  return roles.includes('part') && !roles.includes('subject');
}

/** Matches the text before a call whose result is dropped, or used as a verdict without a comparison. */
const VERDICT = String.raw`(?:(?:^|[;{}]|=>)|(?:!|\b(?:assert|not|if|ok|true|assertTrue|isTrue)\b\s*\(?)(?![^\n]*[=!<>]=))\s*(?:await\s+)?`;
const CALL = String.raw`(?:\.\w+)*\s*\(`;

function roleIn(test: string, path: string, base: BaseFiles): 'part' | 'subject' | undefined {
  const text = base.text(test);
  const bound = [...text.matchAll(test.endsWith('.py') ? PYTHON_BINDING : JS_BINDING)].map(
    ([statement, one, other]) => ({
      names: (one ?? other ?? '').match(/(?!(?:as|type|default)\b)[A-Za-z_$][\w$]*/g) ?? [],
      files: findImports(test, statement, base.index),
    }),
  );
  const namesOf = (isOwn: boolean): string =>
    bound
      .filter(({ files }) => files.length > 0 && files.includes(path) === isOwn)
      .flatMap(({ names }) => names.map((name) => name.replaceAll('$', '\\$')))
      .join('|') || '(?!)';
  const [own, others] = [namesOf(true), namesOf(false)];
  const calls = [...text.matchAll(new RegExp(`(?<![\\w$.])(?:${own})${CALL}`, 'g'))].length;
  const isOtherCalled = new RegExp(`(?<![\\w$.])(?:${others})${CALL}`);
  if (calls === 0) return !HAS_CODE.test(base.text(path)) && isOtherCalled.test(text) ? 'part' : undefined;
  const verdicts = [...text.matchAll(new RegExp(`${VERDICT}(?:${own})${CALL}([^;\\n]{0,400})`, 'gim'))];
  if (verdicts.length < calls) return 'subject';
  return verdicts.some(([, rest = '']) => isOtherCalled.test(rest)) ? 'part' : undefined;
}

const MARKS = /^(?:tests?[-_.]?)|(?:[-_.]?(?:tests?|spec|cy|it))$/gi;

/** Returns whether a test is named after a file: `sum.test.js` after `sum.js`. */
function isNamedAfter(test: string, path: string): boolean {
  const name = posix.basename(path).replace(/\..*$/, '');
  const stem = /^(?:index|__init__|mod|lib|main)$/.test(name) ? posix.basename(posix.dirname(path)) : name;
  const whole = posix.basename(test).replace(/\.\w+$/, '');
  const normalizeName = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  const [subject, own] = [normalizeName(whole.replaceAll(MARKS, '')), normalizeName(stem)];
  return subject !== '' && own !== '' && (subject.includes(own) || own.includes(subject));
}

const JS_BINDING =
  /(?:\b(?:const|let|var)\s+(\{[^}]{0,500}\}|\w+)\s*=\s*(?:await\s+import|require)\(\s*["'][^"'\n]{1,300}["']|\bimport\s+([^"';]{1,500}?)\s+from\s+["'][^"'\n]{1,300}["'])/g;
const PYTHON_BINDING =
  /^[ \t]{0,60}(?:from[ \t]+[\w.]+[ \t]+import[ \t]+(\([^)]{0,2000}\)|[^\n]{1,500})|import[ \t]+([\w., \t]{1,500}))/gm;
