/**
 * Matches glob patterns with minimatch: segment by segment, in linear time. `*`, `?`, `[a-z]`, `[!a]`, `{a,b}` and `**` as a whole segment
 * have their usual meaning, `\` escapes the next character, and nothing else is special. Names that start with a dot match like any other.
 * Every pattern also matches itself literally, brackets included, since web frameworks name files `[id].tsx`.
 */
import { braceExpand, Minimatch } from 'minimatch';
import { EnvironmentError } from './environment-error.ts';

const MAX_PATTERN_CHARS = 1000;
const MAX_ALTERNATIVES = 256;
const MAX_STARS = 3;

/** Returns whether a relative path, with `/` between its segments, matches. */
export type PathMatcher = (path: string) => boolean;

/**
 * Compiles `pattern` for whole paths. Throws `EnvironmentError` (`INVALID_PATTERN`) if it has more than 1,000 characters or expands to more
 * than 256 alternatives.
 */
export function compileGlob(pattern: string, options: { ignoreCase?: boolean } = {}): PathMatcher {
  if (pattern.length > MAX_PATTERN_CHARS)
    throw createPatternError(
      `The glob pattern has more than ${MAX_PATTERN_CHARS} characters; use a shorter one`,
    );
  const limit = { braceExpandMax: MAX_ALTERNATIVES + 1 };
  if (braceExpand(pattern, limit).length > MAX_ALTERNATIVES)
    throw createPatternError(
      `The braces of the glob pattern expand to more than ${MAX_ALTERNATIVES} patterns; use fewer`,
    );
  const compiled = [...new Set([pattern, escapeBrackets(pattern)])].map(
    (text) =>
      new Minimatch(text.replace(/^\.\//, ''), {
        ...limit,
        dot: true,
        noext: true,
        nonegate: true,
        nocomment: true,
        nocase: options.ignoreCase === true,
        platform: 'linux',
      }),
  );
  return (path) => path === pattern || compiled.some((matcher) => matcher.match(path));
}

/** Compiles a pattern like `compileGlob`; an invalid pattern matches nothing. */
export function compileLenientGlob(pattern: string): PathMatcher {
  try {
    return compileGlob(pattern);
  } catch {
    return () => false;
  }
}

/** Escapes the brackets of a pattern. */
export const escapeBrackets = (pattern: string): string =>
  pattern.replaceAll(/\\.|[[\]]/gsu, (match) => (match.length > 1 ? match : `\\${match}`));

/** Compiles a pattern that a model wrote, like `compileGlob`. Also throws if a segment has more than three stars. */
export function compileModelGlob(pattern: string): PathMatcher {
  if (pattern.split('/').some((segment) => segment.split('*').length - 1 > MAX_STARS))
    throw createPatternError(
      `The glob pattern has more than ${MAX_STARS} stars in one name; use fewer, for example *part*`,
    );
  return compileGlob(pattern);
}

const createPatternError = (message: string): EnvironmentError =>
  new EnvironmentError('INVALID_PATTERN', message);
