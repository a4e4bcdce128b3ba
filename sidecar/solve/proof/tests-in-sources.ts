/**
 * Tests that stand inside the sources that they test: doctests, `#[cfg(test)]` modules of Rust, and the `__main__` part of a
 * Python module that asserts. A test of the base that is not there any more, word for word, was changed. Pure.
 */
import { posix } from 'node:path';

const MAX_CHARS = 400_000;
/** A statement of a doctest, with what it is to print. */
const DOCTEST = /^[ \t]*(?:>>>|iex>).*(?:\n[ \t]*(?!>>>|iex>|"""|''')\S.*)*/gm;
const MAIN = /^if __name__\s*==\s*['"]__main__['"].*\n(?:[ \t]+.*(?:\n|$)|[ \t]*\n)*/gm;
const ASSERTS = /\bassert|\b(?:unittest|doctest|pytest)\b/;
const RUST_DOCTEST =
  /^[ \t]*\/\/[/!][ \t]*```(?!text|ignore).*\n(?:[ \t]*\/\/[/!].*\n)*?[ \t]*\/\/[/!][ \t]*```/gm;
const RUST_MODULE = /^[ \t]*#\[cfg\(test\)\]/m;
const RUST_TEST = /^[ \t]*#\[(?:\w+::)?test\b/m;

/** Whether a source lost or changed a test that the base has in it; new ones change none. */
export function changesOwnTests(path: string, before: string | undefined, after: string): boolean {
  const tests = testsIn(path, (before ?? '').slice(0, MAX_CHARS));
  if (tests.length === 0) return false;
  const left = testsIn(path, after.slice(0, MAX_CHARS));
  return tests.some((test) => {
    const at = left.indexOf(test);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function testsIn(path: string, text: string): string[] {
  switch (posix.extname(path)) {
    case '.py':
      return [...all(text, DOCTEST), ...all(text, MAIN).filter((part) => ASSERTS.test(part))];
    case '.ex':
      return all(text, DOCTEST);
    case '.rs':
      return [...all(text, RUST_DOCTEST), ...rustTests(text)];
    default:
      return [];
  }
}

/** The tests of a module, one by one; what stands before the first is used by all of them. */
function rustTests(text: string): string[] {
  const at = text.search(RUST_MODULE);
  if (at < 0) return [];
  const parts = text.slice(at).split(new RegExp(RUST_TEST.source, 'gm'));
  return parts.map((part) => part.trim().replace(/(?:\s*\})+$/u, ''));
}

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([part]) => part.trimEnd());
