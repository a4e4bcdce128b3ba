/**
 * Reads calls written as Python: `[f(a=1), g(b='x')]`, one call, or one per line. Values are literals.
 * Arguments without names remain in order and are named later by the schema.
 */
import { readLiteral } from '../../../base/values/literal.ts';
import { MAX_CALLS, formatNotRun, pythonAdvice, type RawCall } from '../result.ts';
import { matchAt, findNameEnd, type AnswerText } from '../source.ts';
import { skipFence, type BodyReader, type BodyReading } from './body.ts';

const blank = /(?:[\s\uFEFF]|#[^\n]*)*/y;

/** Skips white space and comments. */
const skipBlank = ({ text }: AnswerText, at: number): number =>
  at + (matchAt(blank, text, at)?.[0].length ?? 0);

/** Reads a list of calls, or consecutive calls, with or without a code fence. */
export const readPythonBody: BodyReader = ({ source }, at) => {
  const reading = readCalls(source, skipFence(source, at));
  return reading.calls.length === 0 && reading.problem === undefined ? undefined : reading;
};

/**
 * Reads `[f(a=1), g(b='x')]` at `at`, closed or cut off after a complete call, or consecutive calls separated
 * by line breaks, commas or semicolons. Returns no calls for any other text.
 */
export function readCalls(source: AnswerText, at: number): BodyReading {
  const isList = source.text[at] === '[';
  const calls: RawCall[] = [];
  let end = isList ? at + 1 : at;
  for (;;) {
    const position = skipBlank(source, end);
    if (isList && source.text[position] === ']') return { calls, end: position + 1 };
    const read = readCall(source, position);
    if (read.calls.length === 0) return { calls, end, problem: read.problem };
    calls.push(...read.calls);
    if (calls.length > MAX_CALLS) return { calls, end: source.text.length };
    end = read.end;
    const next = skipBlank(source, end);
    const separator = source.text[next] ?? '';
    if (separator === ',' || (!isList && separator === ';')) end = next + 1;
    else if (isList && separator !== ']' && separator !== '')
      return { calls: [], end, problem: `the calls are not separated. ${pythonAdvice}` };
  }
}

/**
 * Reads `NAME(k=v, …)` at `at`. Returns at most one call, and a problem if a name and its bracket are there
 * but the arguments cannot be read.
 */
function readCall(source: AnswerText, at: number): BodyReading {
  const noCall: BodyReading = { calls: [], end: at };
  const end = findNameEnd(source.text, at);
  const bracketIndex = source.text.startsWith(' (', end) ? end + 1 : end;
  if (end === at || source.text[bracketIndex] !== '(') return noCall;
  const writtenName = source.text.slice(at, end);
  const printedCall = writtenName === 'print' ? parsePrintCall(source, bracketIndex + 1) : undefined;
  if (printedCall) return printedCall;
  // Llama's own tools have the form `brave_search.call(query=…)`.
  const name = writtenName.replace(/\.call$/, '');
  const read = readValues(source, bracketIndex + 1);
  return typeof read === 'string'
    ? { ...noCall, problem: formatNotRun(name, `${read}. ${pythonAdvice}`) }
    : { calls: [{ name, ...read.values }], end: read.end };
}

/** Returns the values between the brackets, or the reason why they cannot be read. */
function readValues(source: AnswerText, at: number): { values: Omit<RawCall, 'name'>; end: number } | string {
  const named: [string, unknown][] = [];
  const positional: unknown[] = [];
  let repaired = false;
  let position = skipBlank(source, at);
  while (source.text[position] !== ')') {
    const key = readKey(source, position);
    if (!source.hasBudget) return 'there is too much in one answer that cannot be read';
    const start = key?.end ?? position;
    const read = readLiteral(source.text, start, { syntax: 'python' });
    if (!read.ok) {
      source.countFailure(read.position - start);
      return read.reason;
    }
    repaired ||= !read.isExact;
    if (key) named.push([key.name, read.value]);
    else positional.push(read.value);
    position = skipBlank(source, read.end);
    if (source.text[position] === ',') position = skipBlank(source, position + 1);
    else if (source.text[position] !== ')') return 'a comma or the closing bracket is missing';
  }
  return { values: { arguments: Object.fromEntries(named), positional, repaired }, end: position + 1 };
}

/** Reads `print(default_api.read_file(…))`: Gemma prints the results of its calls. */
function parsePrintCall(source: AnswerText, at: number): BodyReading | undefined {
  const { calls, end } = readCall(source, skipBlank(source, at));
  const close = skipBlank(source, end);
  return calls.length > 0 && source.text[close] === ')' ? { calls, end: close + 1 } : undefined;
}

function readKey({ text }: AnswerText, at: number): { name: string; end: number } | undefined {
  const found = /^((?:[\w.-]|\\_){1,128})\s{0,8}=(?!=)/.exec(text.slice(at, at + 140));
  return found ? { name: (found[1] ?? '').replaceAll('\\_', '_'), end: at + found[0].length } : undefined;
}
