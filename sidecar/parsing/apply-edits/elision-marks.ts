/** Recognises elision marks: lines such as `...` or `// rest unchanged` that stand for omitted code. They are never written to a file. */

const COMMENT_START = String.raw`(?:\/\/+|#+|--|\/\*+|\*|<!--|;+|\{\/\*)`;
const DOTS = String.raw`(?:\.{3,}|…)`;
const DOTTED_LINE = new RegExp(`^\\s*${COMMENT_START}?\\s*\\(?${DOTS}.{0,120}$`);
const DOTTED_COMMENT = new RegExp(`^\\s*${COMMENT_START}.{0,120}${DOTS}\\s*\\)?\\s*(?:\\*\\/\\}?|-->)?\\s*$`);
const COMMENT_LINE = new RegExp(`^${COMMENT_START}`);
/** Words that alone make a comment an elision mark ("… rest of the code"). */
const CODE_WORD =
  /\b(code|rest|remain\w*|other|existing|unchanged|omitted|same|methods?|functions?|imports?|implementation|class|stays?|as (is|before)|not shown|previous|original|logic|file)\b/i;
/** Matches comments such as "add other checks here", which stand for existing code. */
const PLACEHOLDER = new RegExp(
  `^${COMMENT_START}\\s*\\(?(?:add|put|insert|place)\\s+(?:(?:the|your|any|all)\\s+)*(?:other|further|more|additional|remaining|existing|rest)\\b.{0,80}\\bhere\\b\\W*$`,
  'i',
);
/** Matches comments such as "other methods stay the same". */
const UNCHANGED_COMMENT = new RegExp(
  `^${COMMENT_START}\\W*(?:(?:the|all)\\s+)*(?:rest|remain\\w+|others?|existing|previous)\\b(?:(?!\\bnot\\b)[\\w\\s]){0,40}\\b(?:unchanged|omitted|same|as is|as before)\\W*$`,
  'i',
);
const MAX_MARK_CHARS = 160;

export function isElisionMark(line: string): boolean {
  if (line.length > MAX_MARK_CHARS) return false;
  const text = line.trim();
  if (/^(\.{3,}|…),?;?$/.test(text)) return true;
  if (/^(\.{3}|…)\s*[\w$([{]/.test(text) && !/^(\.{3}|…)\s+\w+ \w+/.test(text)) return false;
  if (DOTTED_LINE.test(text)) return COMMENT_LINE.test(text) || CODE_WORD.test(text);
  if (DOTTED_COMMENT.test(text)) return CODE_WORD.test(text);
  if (PLACEHOLDER.test(text)) return true;
  return UNCHANGED_COMMENT.test(text);
}

const INLINE_MARK = /\{\s*(?:\/\*\s*(?:\.{3}|…)[^*]*\*\/|\/\/\s*(?:\.{3}|…).*)\s*\}?/;

export function hasElisionMark(text: string): boolean {
  return text
    .split('\n')
    .some((line) => isElisionMark(line) || (line.length < 400 && INLINE_MARK.test(line)));
}
