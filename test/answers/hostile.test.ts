/**
 * Long texts of anything are read to their end; the bench has the times. Regular expressions are not optimized here: a
 * process that has compiled much of their code stops doing that, and what is slow then hangs.
 */
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseToolCalls } from '../../sidecar/answers/parse-answer.ts';
import { processorMs } from '../support/pace.ts';
import { scaled } from '../support/scale.ts';
import { hostileTexts } from './hostile.cases.ts';

const length = scaled({ quick: 100_000, full: 1_000_000 });
/** Many times what reading in linear time takes on a slow machine, and less than any other way takes. */
const HANGS_MS = 10_000;

beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

describe('a long hostile text', () => {
  test.each(hostileTexts(length))('%s', (_title, content) => {
    expect(processorMs(() => parseToolCalls({ content }))).toBeLessThan(HANGS_MS);
  });
});
