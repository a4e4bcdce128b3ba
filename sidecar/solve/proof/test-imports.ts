/**
 * What a test takes from the files that it imports: a helper that compares, data, or what it tests. Told by how the names are
 * used, since all of them may lie side by side. Pure.
 */
import { posix } from 'node:path';
import { importsOf, type FileIndex } from '../../brief/imports.ts';
import { isCode } from '../../brief/left-out.ts';

interface Sources {
  index: FileIndex;
  text: (path: string) => string;
  imports: (path: string) => string[];
}

/** Modules of assertions and of runners. */
const ASSERTS =
  /["'](?:node:)?(?:assert(?:\/strict)?|test|chai|expect|sinon|vitest|@jest\/globals|jest-[\w-]+|ava|tap|uvu(?:\/assert)?)["']|^[ \t]*(?:import|from)[ \t]+(?:pytest|unittest|nose)\b|^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?"testing"|\braise AssertionError\b/m;

/**
 * Whether a file that tests import, and no product does, is a part of the tests and not what they test: one of them compares
 * with it, or all that use it take data from it.
 */
export function isPartOfTests(path: string, tests: readonly string[], sources: Sources): boolean {
  if (!isCode(path) || ASSERTS.test(sources.text(path))) return true;
  const roles = tests.map((test) => roleOf(path, test, sources));
  return roles.includes('helper') || (roles.includes('data') && !roles.includes('subject'));
}

/** Returns what a test takes a file for; undefined if its text does not show that. */
function roleOf(path: string, test: string, sources: Sources): 'helper' | 'data' | 'subject' | undefined {
  if (isNamedAfter(test, path)) return 'subject';
  const text = sources.text(test);
  const bindings = bindingsOf(test, text, sources.index);
  const own = bindings.filter(({ files }) => files.includes(path)).flatMap(({ names }) => names);
  const others = bindings
    .filter(({ files }) => files.length > 0 && !files.includes(path))
    .flatMap(({ names }) => names);
  const isCalled = (name: string): boolean => new RegExp(`\\b${name}(?:\\.\\w+)*\\s*\\(`).test(text);
  if (own.length === 0) return undefined;
  if (!others.some(isCalled)) return own.some(isCalled) ? 'subject' : undefined;
  // What takes the results of others compares them, unless its own result is compared; what is never called is data.
  if (own.some((name) => others.some((other) => compares(text, name, other)))) return 'helper';
  return own.some(isCalled) ? 'subject' : 'data';
}

/** Whether a function is given what another one returns, and its own result is compared with nothing. */
function compares(text: string, name: string, other: string): boolean {
  const isGiven = new RegExp(`^[^;\\n]{0,300}\\b${other}(?:\\.\\w+)*\\s*\\(`);
  return [...text.matchAll(new RegExp(`\\b${name}(?:\\.\\w+)*\\s*\\(`, 'g'))].some((call) => {
    const rest = text.slice(call.index + call[0].length);
    return isGiven.test(rest) && !COMPARED.test(rest.slice(endOfCall(rest)));
  });
}

/** After a call: a comparison, another argument, a matcher. */
const COMPARED = /^\)?(?:\.\w+)*\s*(?:[=!<>]=|,|\)\s*\.[\w.]+\((?!\)|true\b|false\b))/;

/** Returns where the parenthesis closes that stands before a text; its end if none does. */
function endOfCall(text: string): number {
  let depth = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
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
  /(?:\b(?:const|let|var)\s+(\{[^}]{0,500}\}|\w+)\s*=\s*(?:await\s+import|require)\(\s*["']([^"'\n]{1,300})["']|\bimport\s+([^"';]{1,500}?)\s+from\s+["']([^"'\n]{1,300})["'])/g;
const PYTHON_BINDING =
  /^[ \t]{0,60}(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,2000}\)|[^\n]{1,500})|import[ \t]+([\w., \t]{1,500}))/gm;

/** Names that a source binds by its imports, and the files of the tree that they stand for. */
function bindingsOf(path: string, text: string, index: FileIndex): { names: string[]; files: string[] }[] {
  const pattern = path.endsWith('.py') ? PYTHON_BINDING : JS_BINDING;
  return [...text.matchAll(pattern)].map(([statement, ...parts]) => {
    const bound = path.endsWith('.py') ? (parts[1] ?? parts[2] ?? '') : (parts[0] ?? parts[2] ?? '');
    const names = (bound.match(/[A-Za-z_$][\w$]*/g) ?? []).filter(
      (name) => !/^(?:as|type|default)$/.test(name),
    );
    return {
      names: names.map((name) => name.replaceAll('$', String.raw`\$`)),
      files: importsOf(path, statement, index),
    };
  });
}

/** Names of Python modules that a source imports, without those of packages. */
export const specifiersOf = (path: string, text: string): string[] =>
  path.endsWith('.py')
    ? [...text.matchAll(PYTHON_BINDING)].flatMap(([, from, , names]) =>
        (from === undefined ? (names ?? '').split(',') : [from]).map(
          (name) => name.trim().split(/[\s.]/)[0] ?? '',
        ),
      )
    : [];
