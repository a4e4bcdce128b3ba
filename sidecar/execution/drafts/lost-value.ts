/**
 * Whether a change leaves a way through a function on which it no longer gives a value, as where `return` is written for
 * one case only. Such a change may pass the checks. For languages whose own tools do not tell of it; where the last
 * statement is none that is surely known, nothing is said.
 */
import { definitionsOf, languageOf, withNested, type Span } from '../../definitions/index.ts';
import type { PlacedFile } from '../../placing/index.ts';

const LANGUAGES = new Set(['javascript', 'typescript', 'tsx', 'python']);
/** A last statement that gives a value, or ends the function otherwise. */
const GIVES = /^(?:return\b\s*[^\s;]|throw\b|raise\b)/u;
/** Statements that may end on each of their ways, or never. */
const UNSURE =
  /^(?:if\b.*\belse\b|(?:process|sys|os)\.(?:_?exit|abort)\b|else\b|switch\b|match\b|try\b|except\b|finally\b|with\b|do\b|while\s*(?:\(\s*)?(?:true|1)\b|for\s*\(\s*;\s*;)/iu;

/** The name of the first such function; undefined where there is none. */
export async function lostValueIn(files: readonly PlacedFile[]): Promise<string | undefined> {
  for (const { path, before, after } of files) {
    if (before === undefined || !LANGUAGES.has(languageOf(path) ?? '')) continue;
    const gave = new Set((await endings(path, before)).filter(({ gives }) => gives).map(({ name }) => name));
    const lost = (await endings(path, after)).find(({ name, gives }) => gives === false && gave.has(name));
    if (lost) return lost.name;
  }
  return undefined;
}

interface FunctionEnding {
  /** With what it stands in. */
  name: string;
  /** Undefined where it is not known. */
  gives: boolean | undefined;
}

async function endings(path: string, text: string): Promise<FunctionEnding[]> {
  return withNested((await definitionsOf(path, text)) ?? []).flatMap(
    ({ name, container, body, children }) => {
      if (!body || children.length > 0) return [];
      const fullName = [container, name].filter(Boolean).join('.');
      return [{ name: fullName, gives: givesAtEnd(bodyText(text, body)) }];
    },
  );
}

/** With the white space before its first statement, where that begins a line. */
function bodyText(text: string, { start, end }: Span): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  return text.slice(text.slice(lineStart, start).trim() === '' ? lineStart : start, end);
}

/** By the last statement that begins as far left as the first one. */
function givesAtEnd(body: string): boolean | undefined {
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|#|\/?\*)/u.test(line));
  const indent = /^\s*/u.exec(lines[0] ?? '')?.[0] ?? '';
  const statements = lines.filter(
    (line) => line.startsWith(indent) && !/^\s/u.test(line.slice(indent.length)),
  );
  const last = statements.map((line) => line.trim()).findLast((line) => !/^[)\]}]+[;,)]*$/u.test(line));
  if (last === undefined || UNSURE.test(last) || /^[)\]}]/u.test(last)) return undefined;
  return GIVES.test(last);
}
