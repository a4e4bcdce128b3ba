/**
 * 1 MB of anything is read in bounded time; the bench has the exact figures. Regular expressions are not optimized here:
 * a process that has compiled much of their code stops doing that, and what is slow then hangs.
 */
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { processorMs, slowness } from '../support/pace.ts';
import { hostileTexts } from './hostile.cases.ts';

/** The wanted time is 100 ms on a quiet machine; quadratic reading would take minutes. */
const limitMs = 1500;

beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

describe('hostile text of 1 MB', () => {
  test.each(hostileTexts)('%s', (_title, content) => {
    expect(processorMs(() => parseToolCalls({ content }))).toBeLessThan(limitMs * slowness());
  });
});
