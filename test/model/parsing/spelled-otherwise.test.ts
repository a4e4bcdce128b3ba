import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../../sidecar/model/parsing/parse-tool-calls.ts';
import { spelledOtherwise } from './spelled-otherwise.cases.ts';
import { writtenValues } from './written-values.cases.ts';

/** An answer in one line: `family name {arguments} ; name {arguments} | prose before them`, or why it has no calls. */
function readingOf(content: string): string {
  const answer = parseToolCalls({ content });
  if (answer.type === 'malformed')
    return `malformed: ${answer.reason.replace(/^the call of (.+?) was not run: /, '$1: ').replace(/\. Send the whole call again.*/s, '')}`;
  if (answer.type !== 'tool_calls') return answer.type;
  const calls = answer.calls.map(({ name, arguments: args, repaired, id }) =>
    [
      name,
      JSON.stringify(args),
      ...(repaired ? ['repaired'] : []),
      ...(id === undefined ? [] : [`#${id}`]),
    ].join(' '),
  );
  const before = answer.content === undefined ? '' : ` | ${answer.content}`;
  return `${answer.family ?? 'json'} ${calls.join(' ; ')}${before}`;
}

describe.each(Object.entries({ ...spelledOtherwise, ...writtenValues }))('%s', (_family, rows) => {
  test.each(rows)('%s', (_title, text, reading) => expect(readingOf(text)).toBe(reading));
});
