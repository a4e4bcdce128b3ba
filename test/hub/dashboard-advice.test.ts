/** What the page says of failed tasks. */
import { expect, test } from '@jest/globals';
import { attemptEndings } from '../../sidecar/hub/queue/attempts.ts';
import { terminationReasons, terminationText } from '../../sidecar/protocol/result.ts';
import type { Json } from './hub-fixture.ts';

const root = new URL('../../', import.meta.url);
const load = async (): Promise<Json> => import(new URL('sidecar/hub/dashboard/page/explain.js', root).href);

test('an error is explained by its code, wherever it stands, else by why the work ended', async () => {
  const { explain } = await load();
  expect(explain('model_not_found: no x')).toMatchObject({
    code: 'model_not_found',
    means: 'the model is not installed',
    todo: 'download it with models pull NAME, or set ollama.autoPull',
  });
  expect(explain('model_error after 2 iterations: model_timeout: slow')).toMatchObject({
    code: 'model_timeout',
  });
  expect(explain('stall after 2 iterations')).toMatchObject({ code: 'stall' });
  expect(explain('stall after 1 iteration: nothing')).toEqual({
    code: 'stall',
    means: 'the model made no progress',
  });
  for (const error of [
    '',
    'x',
    'toString: x',
    '__proto__ after 1 iterations: constructor: x',
    'what: ever',
  ]) {
    expect(explain(error)).toEqual({});
  }
});

test('why work and attempts ended is said in the words of the command line, never by a code', async () => {
  const { attemptEndingText, endingText } = await load();
  for (const reason of terminationReasons) expect(endingText(reason)).toBe(terminationText(reason));
  for (const [ending, text] of Object.entries(attemptEndings)) expect(attemptEndingText(ending)).toBe(text);
  expect(attemptEndingText(null)).toBe('runs');
  expect(attemptEndingText('constructor')).toBe('constructor');
});
