import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCALES, chooseLanguage } from './src/locales/index.js';
import { mailboxHead, sampleCounts } from './src/mailbox.js';
import { translator } from './src/translate.js';

test('Polish numbers', () => {
  const t = translator('pl-PL');
  const form = { wiadomość: 'one', nieprzeczytane: 'few', nieprzeczytanych: 'many' };
  const formOf = (count) => { const words = t('unread', { count }).split(' '); return form[words[2]] ?? form[words[1]]; };
  for (const count of [2, 3, 4, 22, 34, 102, 1004]) assert.equal(formOf(count), 'few', count);
  for (const count of [0, 5, 11, 12, 13, 14, 20, 21, 25, 31, 101, 111, 112, 113, 114, 212]) assert.equal(formOf(count), 'many', count);
  assert.equal(formOf(1), 'one');
});

test('Polish texts', () => {
  const t = translator('pl');
  assert.equal(t('days', { count: 1 }), '1 dzień temu');
  assert.equal(t('days', { count: 22 }), '22 dni temu');
  assert.equal(t('empty'), 'Brak wiadomości');
  assert.deepEqual(mailboxHead({ name: 'Ola', unread: 12, oldestDays: 0, language: 'pl' }), ['Cześć, Ola!', '12 nieprzeczytanych wiadomości']);
  assert.deepEqual(Object.keys(LOCALES.pl).sort(), Object.keys(LOCALES.en).sort());
  assert.deepEqual(Object.keys(LOCALES).sort(), ['de', 'en', 'pl']);
});

test('the other languages', () => {
  for (const count of [0, 2, 5, 11, 22, 112]) {
    assert.equal(translator('en')('unread', { count }), `${count} unread messages`);
    assert.equal(translator('de')('days', { count }), `vor ${count} Tagen`);
  }
  assert.equal(translator('en')('days', { count: 1 }), '1 day ago');
  assert.equal(translator('zz')('empty'), 'No messages');
  assert.equal(chooseLanguage('PL'), 'pl');
  assert.equal(chooseLanguage(), 'en');
  assert.throws(() => translator('pl')('nothing'), /no text for nothing in pl/);
});

test('samples', () => {
  assert.deepEqual(sampleCounts('de'), { one: 1, other: 2 });
  assert.deepEqual(sampleCounts('pl'), { one: 1, few: 2, many: 5 });
});
