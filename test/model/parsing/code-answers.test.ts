/**
 * Answers without a call, most of code, as models gave them (those named `model-` by Qwen 2.5 Coder 1.5B): nothing in
 * them is read as a call, and where they hold code they stand for a change that nobody made yet.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { announcesNextStep } from '../../../sidecar/model/parsing/announcement.ts';
import { parseToolCalls } from '../../../sidecar/model/parsing/parse-tool-calls.ts';
import { standsForChange } from '../../../sidecar/model/parsing/unmade-change.ts';

const cases = join(import.meta.dirname, '../../cases/placing');
const withoutChange = ['model-explanation-only', 'no-code-at-all'];

describe('an answer that holds code and no call', () => {
  test.each(readdirSync(cases))('%s', (name) => {
    const content = readFileSync(join(cases, name, 'answer.txt'), 'utf8');
    expect(parseToolCalls({ content })).toEqual({ type: 'final_answer', content: content.trim() });
    expect(announcesNextStep(content)).toBe(false);
    expect(standsForChange(content)).toBe(!withoutChange.includes(name));
  });
});
