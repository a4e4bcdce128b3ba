/**
 * Glob patterns, compiled to a matcher that takes linear time per name: patterns come from the model, and
 * a regular expression made of many stars, or braces of braces, could hang the worker. Supports `*`, `?`,
 * `[a-z]`, `[!a]`, `{a,b}` and `**` as a whole segment; `\` takes the next character as it is.
 * Names that start with a dot are matched like any other.
 */
import { EnvironmentError } from './environment-error.ts';

const MAX_PATTERN_CHARS = 1000;
const MAX_ALTERNATIVES = 256;

type Token =
  | { kind: 'char'; char: string }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'class'; test: (char: string) => boolean };
type Segment = '**' | Token[];

/** Tells whether a relative path with `/` between its segments matches. */
export type PathMatcher = (path: string) => boolean;

/**
 * Compiles `pattern` for whole paths. Throws `EnvironmentError` (`INVALID_PATTERN`) when it is too long or
 * expands to more than 256 alternatives.
 */
export function compileGlob(pattern: string, options: { ignoreCase?: boolean } = {}): PathMatcher {
  const fold = (text: string) => (options.ignoreCase ? text.toLowerCase() : text);
  const alternatives = expandBraces(fold(pattern)).map((alternative) => parseSegments(alternative));
  return (path) => {
    const segments = fold(path).split('/');
    return alternatives.some((alternative) => matchSegments(alternative, segments));
  };
}

/** The alternatives of a pattern with braces; `{1..3}` and a brace without a comma stay as they are. */
export function expandBraces(pattern: string): string[] {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new EnvironmentError(
      'INVALID_PATTERN',
      `The glob pattern has more than ${MAX_PATTERN_CHARS} characters; use a shorter one`,
    );
  }
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = findBrace(next);
    if (!brace) done.push(next);
    else for (const option of brace.options) open.push(brace.before + option + brace.after);
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw new EnvironmentError(
        'INVALID_PATTERN',
        `The braces of the glob pattern expand to more than ${MAX_ALTERNATIVES} patterns; use fewer`,
      );
    }
  }
  return done.toReversed();
}

/** The first brace group with at least two options at its own level, or undefined. */
function findBrace(pattern: string): { before: string; options: string[]; after: string } | undefined {
  for (let start = pattern.indexOf('{'); start !== -1; start = pattern.indexOf('{', start + 1)) {
    if (pattern[start - 1] === '\\') continue;
    const options: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start; at < pattern.length; at += 1) {
      const char = pattern[at];
      if (char === '\\') at += 1;
      else if (char === '{') depth += 1;
      else if (char === ',' && depth === 1) {
        options.push(pattern.slice(from, at));
        from = at + 1;
      } else if (char === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (options.length === 0) break;
        options.push(pattern.slice(from, at));
        return { before: pattern.slice(0, start), options, after: pattern.slice(at + 1) };
      }
    }
  }
  return undefined;
}

function parseSegments(pattern: string): Segment[] {
  const segments: Segment[] = [];
  for (const text of pattern.replace(/^\.\//, '').split('/')) {
    if (text === '**') {
      if (segments.at(-1) !== '**') segments.push('**');
    } else segments.push(parseTokens(text));
  }
  return segments;
}

function parseTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') tokens.push({ kind: 'any' });
    else if (char === '[' && text.indexOf(']', at + 2) !== -1) {
      const end = text.indexOf(']', at + 2);
      tokens.push({ kind: 'class', test: parseClass(text.slice(at + 1, end)) });
      at = end;
    } else if (char === '\\' && at + 1 < text.length) {
      at += 1;
      tokens.push({ kind: 'char', char: text[at] ?? '' });
    } else tokens.push({ kind: 'char', char });
  }
  return tokens;
}

function parseClass(body: string): (char: string) => boolean {
  const negated = body.startsWith('!') || body.startsWith('^');
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < body.length; at += 1) {
    const from = body[at] ?? '';
    const to = body[at + 2];
    if (body[at + 1] === '-' && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== negated;
}

/** Greedy with one point to go back to, the last `**`: enough for patterns of this kind, and linear in practice. */
function matchSegments(pattern: Segment[], path: string[]): boolean {
  return matchWithStar(
    pattern.length,
    path.length,
    (at) => pattern[at] === '**',
    (patternAt, pathAt) => {
      const segment = pattern[patternAt];
      return segment !== undefined && segment !== '**' && matchTokens(segment, path[pathAt] ?? '');
    },
  );
}

function matchTokens(tokens: Token[], name: string): boolean {
  return matchWithStar(
    tokens.length,
    name.length,
    (at) => tokens[at]?.kind === 'star',
    (tokenAt, nameAt) => {
      const token = tokens[tokenAt];
      const char = name[nameAt] ?? '';
      if (token?.kind === 'char') return token.char === char;
      return token?.kind === 'any' || (token?.kind === 'class' && token.test(char));
    },
  );
}

/** Matches a sequence with stars: after a mismatch only the last star may take one more (at most n·m steps). */
function matchWithStar(
  patternLength: number,
  length: number,
  isStar: (patternAt: number) => boolean,
  matchesOne: (patternAt: number, at: number) => boolean,
): boolean {
  let patternAt = 0;
  let at = 0;
  let starAt = -1;
  let starTook = 0;
  while (at < length) {
    if (patternAt < patternLength && isStar(patternAt)) {
      starAt = patternAt;
      starTook = at;
      patternAt += 1;
    } else if (patternAt < patternLength && matchesOne(patternAt, at)) {
      patternAt += 1;
      at += 1;
    } else if (starAt !== -1) {
      starTook += 1;
      at = starTook;
      patternAt = starAt + 1;
    } else return false;
  }
  while (patternAt < patternLength && isStar(patternAt)) patternAt += 1;
  return patternAt === patternLength;
}
