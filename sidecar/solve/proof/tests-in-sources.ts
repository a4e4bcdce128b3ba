/**
 * Tests that stand inside the sources that they test: doctests, `#[test]` functions of Rust and what stands beside them, test
 * methods and the `__main__` part of a Python module that asserts. Pure.
 */
import { posix } from 'node:path';

const MAX_CHARS = 400_000;
/** A statement of a doctest, with what it is to print. */
const DOCTEST = /^[ \t]*(?:>>>|iex>).*(?:\n[ \t]*(?!>>>|iex>|"""|''')\S.*)*/gm;
const MAIN = /^if __name__\s*==\s*['"]__main__['"].*\n(?:[ \t]+.*(?:\n|$)|[ \t]*\n)*/gm;
const ASSERTS = /\bassert|\b(?:unittest|doctest|pytest)\b/;
/** A test function or method of Python, with its decorators. */
const PYTHON_TEST = /^([ \t]*)(?:@.*\n\1)*(?:async )?def test\w*\(.*\n(?:\1[ \t]+.*\n?|[ \t]*\n)*/gm;
const RUST_DOCTEST =
  /^[ \t]*\/\/[/!][ \t]*```(?!text|ignore).*\n(?:[ \t]*\/\/[/!].*\n)*?[ \t]*\/\/[/!][ \t]*```/gm;
const RUST_MODULE = /#\[cfg\([^\]]*\btest\b[^\]]*\)\]\s*(?:pub\s+)?mod\s+\w+\s*(?=\{)/g;
const RUST_TEST =
  /#\[(?:\w+::)*test\b[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+\w+[^{;]*(?=\{)/g;
const RUST_ITEM =
  /(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?(?:fn|macro_rules!|const|static)\s+\w+[^{;]*(?=[{;])/g;

/** Returns the tests of a source that are gone from it, or have another text. `after`: all sources as they are now. */
export function lostTests(path: string, before: string, after: string): string[] {
  const now = after.slice(0, MAX_CHARS).replaceAll(/\s+/g, ' ');
  return testsIn(path, before.slice(0, MAX_CHARS)).filter(
    (test) => !now.includes(test.replaceAll(/\s+/g, ' ').trim()),
  );
}

export function testsIn(path: string, text: string): string[] {
  switch (posix.extname(path)) {
    case '.py':
      return [
        ...all(text, DOCTEST),
        ...all(text, MAIN).filter((part) => ASSERTS.test(part)),
        ...all(text, PYTHON_TEST),
      ];
    case '.ex':
      return all(text, DOCTEST);
    case '.rs': {
      const modules = blocks(text, RUST_MODULE);
      return [
        ...all(text, RUST_DOCTEST),
        ...blocks(text, RUST_TEST),
        ...all(text, RUST_MODULE),
        ...modules.flatMap((module) => blocks(module, RUST_ITEM)),
      ];
    }
    default:
      return [];
  }
}

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([part]) => part.trimEnd());

/** Each match with the braces behind it. */
const blocks = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(({ index, 0: head }) => {
    let depth = 0;
    for (let at = index + head.length; at < text.length; at += 1) {
      if (text[at] === '{') depth += 1;
      if (text[at] === ';' && depth === 0) return text.slice(index, at);
      if (text[at] === '}' && (depth -= 1) <= 0) return text.slice(index, at + 1);
    }
    return text.slice(index);
  });

/** Assignments to members of an assertion library or of a test case: no program has a use for them. */
const TAMPERING =
  /\bassert(?:\.\w+|\[[^\]]{1,40}\])\s*=[^=>]|\b(?:Object\.assign|Object\.defineProperty|Reflect\.set)\(\s*(?:assert|expect|test|it)\b|\b(?:TestCase|pytest|unittest)\.\w+\s*=[^=]|\b\w+\.__doc__\s*=[^=]/;
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
