/**
 * Answers without a call, most of code, as models gave them (those named `model-` by Qwen 2.5 Coder 1.5B): nothing in
 * them is read as a call.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';

const cases = join(import.meta.dirname, '../cases/applying');

describe('an answer that holds code and no call', () => {
  test.each(readdirSync(cases))('%s', (name) => {
    const content = readFileSync(join(cases, name, 'answer.txt'), 'utf8');
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content: content.trim() });
  });
});
