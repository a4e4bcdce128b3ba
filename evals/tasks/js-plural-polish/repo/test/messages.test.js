import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailboxHead } from '../src/mailbox.js';
import { translator } from '../src/translate.js';

test('English', () => {
  assert.deepEqual(mailboxHead({ name: 'Ann', unread: 2, oldestDays: 1 }), ['Hello, Ann!', '2 unread messages', '1 day ago']);
});

test('German', () => {
  assert.deepEqual(mailboxHead({ name: 'Ann', unread: 0, language: 'de-AT' }), ['Hallo, Ann!', 'Keine Nachrichten']);
});

test('unknown languages', () => {
  assert.equal(translator('xx')('empty'), 'No messages');
});

test('Polish', () => {
  const t = translator('pl');
  assert.equal(t('greeting', { name: 'Ola' }), 'Cześć, Ola!');
  assert.equal(t('unread', { count: 1 }), '1 nieprzeczytana wiadomość');
  assert.equal(t('unread', { count: 3 }), '3 nieprzeczytane wiadomości');
  assert.equal(t('unread', { count: 5 }), '5 nieprzeczytanych wiadomości');
});
