/**
 * Lines by which an answer says that something stays as it is: `...`, `// rest unchanged`. They stand for what is in the
 * file and are never written into it.
 */

const COMMENT_START = String.raw`(?:\/\/+|#+|--|\/\*+|\*|<!--|;+|\{\/\*)`;
const DOTS = String.raw`(?:\.{3,}|…)`;
const DOTTED = new RegExp(`^\\s*${COMMENT_START}?\\s*\\(?${DOTS}.{0,120}$`);
const ENDS_DOTTED = new RegExp(`^\\s*${COMMENT_START}.{0,120}${DOTS}\\s*\\)?\\s*(?:\\*\\/\\}?|-->)?\\s*$`);
const COMMENT = new RegExp(`^${COMMENT_START}`);
/** What a comment must speak of to be a mark by its words alone. */
const ABOUT_CODE =
  /\b(code|rest|remain\w*|other|existing|unchanged|omitted|same|methods?|functions?|imports?|implementation|class|stays?|as (is|before)|not shown|previous|original|logic|file)\b/i;
/** "Add other checks here": what is there already is meant. */
const PLACEHOLDER = new RegExp(
  `^${COMMENT_START}\\s*\\(?(?:add|put|insert|place)\\s+(?:(?:the|your|any|all)\\s+)*(?:other|further|more|additional|remaining|existing|rest)\\b.{0,80}\\bhere\\b\\W*$`,
  'i',
);
const MAX_MARK_CHARS = 160;

export function isMark(line: string): boolean {
  if (line.length > MAX_MARK_CHARS) return false;
  const text = line.trim();
  if (/^(\.{3,}|…),?;?$/.test(text)) return true;
  if (/^(\.{3}|…)\s*[\w$([{]/.test(text) && !/^(\.{3}|…)\s+\w+ \w+/.test(text)) return false;
  if (DOTTED.test(text)) return COMMENT.test(text) || ABOUT_CODE.test(text);
  if (ENDS_DOTTED.test(text)) return ABOUT_CODE.test(text);
  if (PLACEHOLDER.test(text)) return true;
  return COMMENT.test(text) && isNoteOfAbsence(text);
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words that say that something is left out, without the `s` at their end. */
const TELLING = wordSet(
  'rest remainder remaining unchanged unmodified omitted existing other previou original same continue',
);
const TELLING_TOGETHER = /\b(?:as (?:is|before)|not shown|goes here)\b/iu;
/** Words that may stand beside these. */
const NEUTRAL = wordSet(
  'the your all keep leave thi these above below no change code file function method import implementation clas ' +
    'body logic member definition property propertie field test module program script constant variable type stay ' +
    'remain i are as it they and for brevity of here before go goe not shown',
);

/** "other methods stay the same" is one, "returns the same list" is not: a mark speaks of code and of nothing else. */
function isNoteOfAbsence(text: string): boolean {
  const words = (text.toLowerCase().match(/[^\W_]+/gu) ?? []).map((word) => word.replace(/s$/u, ''));
  const isTelling = TELLING_TOGETHER.test(text) || words.some((word) => TELLING.has(word));
  return isTelling && words.every((word) => TELLING.has(word) || NEUTRAL.has(word));
}

/**
 * The text with bare dots as comments that every grammar of the language reads: `...` between definitions is no
 * code in most of them. In Python it is, and stays.
 */
export function withMarksAsComments(text: string, commentStart: string): string {
  const open = commentStart === '#' ? '#' : '//';
  return text
    .split('\n')
    .map((line) => {
      const [, indent = '', dots = '', rest = ''] = /^(\s*)(\.{3,}|…)(.*)$/.exec(line) ?? [];
      if (dots !== '' && isMark(line)) return `${indent}${open} ...${rest.replace(/[;,]$/, '')}`;
      return open === '//' ? line.replace(/\{\s*(?:\.{3}|…)\s*\}/g, '{ /* ... */ }') : line;
    })
    .join('\n');
}

const WITHIN_LINE = /\{\s*(?:\/\*\s*(?:\.{3}|…)[^*]*\*\/|\/\/\s*(?:\.{3}|…).*)\s*\}?/;

export function hasMark(text: string): boolean {
  return text.split('\n').some((line) => isMark(line) || (line.length < 400 && WITHIN_LINE.test(line)));
}
