import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarColor } from './src/avatar.js';
import { displayName, initials, sortName } from './src/names.js';

test('the examples', () => {
  assert.equal(initials('ada king lovelace'), 'AL');
  assert.equal(initials('Plato'), 'P');
  assert.equal(initials('  grace   hopper '), 'GH');
  assert.equal(initials(''), '?');
});

test('others', () => {
  assert.equal(initials('   '), '?');
  assert.equal(initials('x'), 'X');
  assert.equal(initials('Barbara Jane Huberman Liskov'), 'BL');
  assert.equal(initials('émilie du\tchâtelet'), 'ÉC');
});

test('what was there', () => {
  assert.equal(displayName('  ada LOVELACE '), 'Ada Lovelace');
  assert.equal(sortName('ada king lovelace'), 'Lovelace, Ada King');
  assert.equal(sortName('plato'), 'Plato');
  assert.equal(avatarColor('plato'), avatarColor(' PLATO '));
});
