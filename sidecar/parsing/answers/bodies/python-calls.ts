/**
 * Reads calls written in Python: `[f(a=1), g(b='x')]`, a single call, or one call per line. Values are literals. Arguments without names
 * stay in order, and are named later by the schema.
 */
import { readLiteral } from '../../../base/values/literal.ts';
import { MAX_CALLS, formatNotRun, pythonAdvice, type RawCall } from '../parsed-answer.ts';
import { matchAt, findNameEnd, type AnswerText } from '../answer-text.ts';
import { skipFence, type BodyReader, type BodyReading } from './body-reader.ts';

const blank = /(?:[\s\uFEFF]|#[^\n]*)*/y;

/** Skips white space and comments. */
const skipBlank = ({ text }: AnswerText, offset: number): number =>
  offset + (matchAt(blank, text, offset)?.[0].length ?? 0);

/** Reads a list of calls, or consecutive calls, with or without a code fence. */
export const readPythonBody: BodyReader = ({ source }, offset) => {
  const reading = readPythonCalls(source, skipFence(source, offset));
  return reading.calls.length === 0 && reading.problem === undefined ? undefined : reading;
};

/**
 * Reads `[f(a=1), g(b='x')]` at `offset`, complete or cut off after a complete call, or consecutive calls separated by line breaks, commas
 * or semicolons. Returns no calls for any other text.
 */
export function readPythonCalls(source: AnswerText, offset: number): BodyReading {
  const isList = source.text[offset] === '[';
  const calls: RawCall[] = [];
  let end = isList ? offset + 1 : offset;
  for (;;) {
    const position = skipBlank(source, end);
    if (isList && source.text[position] === ']') return { calls, end: position + 1 };
    const reading = readPythonCall(source, position);
    if (reading.calls.length === 0) return { calls, end, problem: reading.problem };
    calls.push(...reading.calls);
    if (calls.length > MAX_CALLS) return { calls, end: source.text.length };
    end = reading.end;
    const next = skipBlank(source, end);
    const separator = source.text[next] ?? '';
    if (separator === ',' || (!isList && separator === ';')) end = next + 1;
    else if (isList && separator !== ']' && separator !== '')
      return { calls: [], end, problem: `the calls are not separated. ${pythonAdvice}` };
  }
}

/**
 * Reads a call `NAME(k=v, …)` at `offset`. Returns at most one call. Returns a problem if there are a name and its bracket but the
 * arguments cannot be read.
 */
function readPythonCall(source: AnswerText, offset: number): BodyReading {
  const noCall: BodyReading = { calls: [], end: offset };
  const end = findNameEnd(source.text, offset);
  const bracketIndex = source.text.startsWith(' (', end) ? end + 1 : end;
  if (end === offset || source.text[bracketIndex] !== '(') return noCall;
  const writtenName = source.text.slice(offset, end);
  const printedCall = writtenName === 'print' ? parsePrintCall(source, bracketIndex + 1) : undefined;
  if (printedCall) return printedCall;
  // Llama's own tools have the form `brave_search.call(query=…)`.
  const name = writtenName.replace(/\.call$/, '');
  const reading = readPythonArguments(source, bracketIndex + 1);
  return typeof reading === 'string'
    ? { ...noCall, problem: formatNotRun(name, `${reading}. ${pythonAdvice}`) }
    : { calls: [{ name, ...reading.values }], end: reading.end };
}

/** Returns the values between the brackets, or the reason why they cannot be read. */
function readPythonArguments(
  source: AnswerText,
  offset: number,
): { values: Omit<RawCall, 'name'>; end: number } | string {
  const namedValues: [string, unknown][] = [];
  const positional: unknown[] = [];
  let repaired = false;
  let position = skipBlank(source, offset);
  while (source.text[position] !== ')') {
    const key = readKey(source, position);
    if (!source.hasBudget) return 'there is too much in one answer that cannot be read';
    const start = key?.end ?? position;
    const literal = readLiteral(source.text, start, { syntax: 'python' });
    if (!literal.ok) {
      source.countFailure(literal.position - start);
      return literal.reason;
    }
    repaired ||= !literal.isExact;
    if (key) namedValues.push([key.name, literal.value]);
    else positional.push(literal.value);
    position = skipBlank(source, literal.end);
    if (source.text[position] === ',') position = skipBlank(source, position + 1);
    else if (source.text[position] !== ')') return 'a comma or the closing bracket is missing';
  }
  return { values: { arguments: Object.fromEntries(namedValues), positional, repaired }, end: position + 1 };
}

/** Reads a call inside of a print, such as `print(default_api.read_file(…))`, because Gemma prints the results of its calls. */
function parsePrintCall(source: AnswerText, offset: number): BodyReading | undefined {
  const { calls, end } = readPythonCall(source, skipBlank(source, offset));
  const close = skipBlank(source, end);
  return calls.length > 0 && source.text[close] === ')' ? { calls, end: close + 1 } : undefined;
}

function readKey({ text }: AnswerText, offset: number): { name: string; end: number } | undefined {
  const match = /^((?:[\w.-]|\\_){1,128})\s{0,8}=(?!=)/.exec(text.slice(offset, offset + 140));
  return match ? { name: (match[1] ?? '').replaceAll('\\_', '_'), end: offset + match[0].length } : undefined;
}
