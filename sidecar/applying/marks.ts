/**
 * Lines by which an answer says that something stays as it is: `...`, `// rest unchanged`. They stand for what is in the
 * file and are never written into it.
 */

const COMMENT_START = String.raw`(?:\/\/+|#+|--|\/\*+|\*|<!--|;+|\{\/\*)`;
const DOTS = String.raw`(?:\.{3,}|…)`;
const WORDS = String.raw`(?:(?:the\s+)?(?:rest|remainder|remaining|other|others|existing|previous|original|unchanged|omitted|same)\b.*|.*\b(?:stays?|remains?|unchanged|as before|as is|same as (?:before|above)|not shown|omitted|goes here|unmodified|(?:your|existing|original|previous) (?:code|implementation|logic|function|method)s?|(?:code|function|method|import|definition)s? (?:here|continues?))\b.*)`;
const DOTTED = new RegExp(`^\\s*${COMMENT_START}?\\s*\\(?${DOTS}.{0,120}$`);
const ENDS_DOTTED = new RegExp(`^\\s*${COMMENT_START}.{0,120}${DOTS}\\s*\\)?\\s*(?:\\*\\/\\}?|-->)?\\s*$`);
const WORDED = new RegExp(`^\\s*${COMMENT_START}\\s*\\(?${WORDS}\\)?\\s*(?:\\*\\/\\}?|-->)?\\s*$`, 'i');
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
  if (DOTTED.test(text))
    return new RegExp(`^${COMMENT_START}`).test(text) || ABOUT_CODE.test(text) || /^(\.{3,}|…)$/.test(text);
  if (ENDS_DOTTED.test(text)) return ABOUT_CODE.test(text);
  if (PLACEHOLDER.test(text)) return true;
  return WORDED.test(text) && isNoteOfAbsence(text);
}

/** "other methods stay the same" is one, "returns the same list" is not: a mark speaks of code and of nothing else. */
const isNoteOfAbsence = (text: string): boolean =>
  /^\W*\(?(?:the\s+)?(?:rest|remainder|remaining|unchanged|omitted|existing|other)\b(?:\s+(?:of|the|your|this|code|class|file|functions?|methods?|imports?|implementation|body|logic|members?|definitions?|properties|fields|tests?|remains?|stays?|is|are|as|it|they|unchanged|same|goes|go|here|before|omitted|module|program|script|for|brevity|and|above|below|existing|remaining|other|constants?|variables?|types?))*\W*$/i.test(
    text,
  ) ||
  (/^\W*(?:(?:the|your|all|keep|leave|this|these|above|below|no changes?|code|functions?|methods?|imports?|implementation|class|body|logic|members?|definitions?|stays?|remains?|is|are|as|it|they|unchanged|the same|same|before|here|omitted|not shown|unmodified|previous|original|existing|goes|continues?|other|rest|of)\s*)+\W*$/i.test(
    text,
  ) &&
    /\b(unchanged|same|as (?:is|before)|not shown|omitted|unmodified|goes here|existing|previous|original|rest|continues?)\b/i.test(
      text,
    ));

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
