import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { closeEarly } from './src/close.js';
import { ready } from './src/holds.js';
import { remind } from './src/loans.js';
import { notify, notifyAll, sent } from './src/notify.js';

beforeEach(() => (sent.length = 0));
const ada = { name: 'Ada', greeting: 'Dear' };
const bo = { name: 'Bo' };

test('all callers', () => {
  notify(ada, 'x');
  remind({ title: 'Emma', due: 1, reader: bo }, 2);
  ready({ title: 'Emma', shelf: 7, reader: ada, others: [bo] });
  closeEarly([bo], ada);
  assert.deepEqual(sent.map(({ text }) => text), [
    'Dear Ada: x',
    'Hello Bo: Emma is 1 days late',
    'Dear Ada: Emma can be fetched (shelf 7)',
    'Hello Bo: please wait',
    'Hello Bo: we close at four',
    'Dear Ada: lock the door',
  ]);
});

test('notifyAll keeps its own order', () => {
  notifyAll('y', [bo]);
  assert.equal(sent[0].text, 'Hello Bo: y');
});
