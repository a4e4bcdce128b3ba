import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { notify, sent } from '../src/notify.js';
import { remind } from '../src/loans.js';

beforeEach(() => (sent.length = 0));

test('the user comes first', () => {
  notify({ name: 'Ada' }, 'hi');
  assert.deepEqual(sent, [{ to: 'Ada', text: 'Hello Ada: hi' }]);
});

test('a late loan', () => {
  remind({ title: 'Emma', due: 3, reader: { name: 'Bo' } }, 5);
  assert.equal(sent[0].text, 'Hello Bo: Emma is 2 days late');
});
