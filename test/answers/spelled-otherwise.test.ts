import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { spelledOtherwise } from './spelled-otherwise.cases.ts';
import { writtenValues } from './written-values.cases.ts';

const shortened = (reason: string): string =>
  reason.replace(/^the call of (.+?) was not run: /, '$1: ').replace(/\. Send the whole call again.*/s, '');

/**
 * An answer in one line: `family name {arguments} ; name {arguments} … why there are no more | prose before them`, or why
 * it has no calls.
 */
function readingOf(content: string): string {
  const answer = parseToolCalls({ content });
  if (answer.type === 'malformed') return `malformed: ${shortened(answer.reason)}`;
  if (answer.type !== 'tool_calls') return answer.type;
  const calls = answer.calls.map(({ name, arguments: args, repaired, id }) =>
    [
      name,
      JSON.stringify(args),
      ...(repaired ? ['repaired'] : []),
      ...(id === undefined ? [] : [`#${id}`]),
    ].join(' '),
  );
  const unread = answer.unread === undefined ? '' : ` … ${shortened(answer.unread)}`;
  const before = answer.content === undefined ? '' : ` | ${answer.content}`;
  return `${answer.family ?? 'json'} ${calls.join(' ; ')}${unread}${before}`;
}

describe.each(Object.entries({ ...spelledOtherwise, ...writtenValues }))('%s', (_family, rows) => {
  test.each(rows)('%s', (_title, text, reading) => expect(readingOf(text)).toBe(reading));
});
