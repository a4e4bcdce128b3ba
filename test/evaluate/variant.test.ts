/** Settings of a variant: those of the model's entry, and those of the configuration. */
import { expect, test } from '@jest/globals';
import { splitVariant } from '../../sidecar/evaluate/variant.ts';

test('keys of a profile go to the entry, all others to the configuration', () => {
  const set = {
    'solving.drafts': '2',
    'solving.attempts': '4',
    toolMode: 'text',
    'model.ladder': 'a,b',
    'options.temperature': '0',
  };
  expect(splitVariant(set)).toEqual({
    configuration: ['solving.attempts=4', 'model.ladder=a,b'],
    entry: { 'solving.drafts': '2', toolMode: 'text', 'options.temperature': '0' },
  });
});
