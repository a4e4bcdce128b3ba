import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importSubscribers } from './src/import.js';
import { createList, isSubscribed, subscribe, unsubscribe } from './src/list.js';

const addresses = (list) => list.subscribers.map((entry) => entry.address);

test('the address stays as it was written first', () => {
  const list = createList();
  assert.equal(subscribe(list, ' Dora.Klein@Mail.example ', 'Dora'), true);
  assert.equal(subscribe(list, 'DORA.KLEIN@MAIL.EXAMPLE', 'D'), false);
  assert.equal(subscribe(list, 'emil@mail.example'), true);
  assert.deepEqual(list.subscribers, [
    { address: 'Dora.Klein@Mail.example', name: 'Dora' },
    { address: 'emil@mail.example', name: '' },
  ]);
});

test('asking with any capitals', () => {
  const list = createList([{ address: 'Emil@Mail.example', name: '' }]);
  assert.equal(isSubscribed(list, ' eMIL@mail.EXAMPLE '), true);
  assert.equal(isSubscribed(list, 'Emil@Mail.example'), true);
  assert.equal(isSubscribed(list, 'emil@mail.examples'), false);
});

test('unsubscribing takes off both of an old list', () => {
  const list = createList([
    { address: 'Ann@Example.org', name: 'Ann' },
    { address: 'Bob@Example.org', name: 'Bob' },
    { address: 'ann@example.org', name: 'Ann' },
  ]);
  assert.equal(unsubscribe(list, 'ANN@example.org '), true);
  assert.deepEqual(addresses(list), ['Bob@Example.org']);
  assert.equal(unsubscribe(list, 'ANN@example.org'), false);
});

test('imports, twice in one file too', () => {
  const list = createList([{ address: 'ANN@example.org', name: 'Ann' }]);
  const text = 'Bob@example.org;Bob\r\nann@Example.org;Ann\r\nbob@example.org;Robert\r\n\r\nnobody\r\nCleo@example.org\r\n';
  assert.deepEqual(importSubscribers(list, text), { added: 2, known: 2 });
  assert.deepEqual(list.subscribers, [
    { address: 'ANN@example.org', name: 'Ann' },
    { address: 'Bob@example.org', name: 'Bob' },
    { address: 'Cleo@example.org', name: '' },
  ]);
});

test('refuses what is no address', () => {
  assert.throws(() => subscribe(createList(), 'a b@c'), /not an address: a b@c/);
});
