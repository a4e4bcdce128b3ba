'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { card } = require('../lib/card.js');
const { list } = require('../lib/list.js');
const { tag } = require('../lib/tags.js');

const rex = { name: 'Rex', species: 'dog', months: 40, notes: 'likes children' };
const mia = { name: 'Mia', species: 'cat', months: 5, reserved: true };

test('card', () => {
  assert.equal(card(rex), 'Rex (dog)\nAge: 3 years\nNotes: likes children\nFee: 250 EUR');
  assert.equal(card(mia), 'Mia (cat)\nAge: 5 months\nFee: 120 EUR');
});

test('list', () => {
  assert.deepEqual(list([rex, mia]), ['Mia, 5 months (reserved)', 'Rex, 3 years']);
});

test('tag', () => {
  assert.equal(tag(rex), 'Rex 3y');
  assert.equal(tag(mia), 'Mia 5m');
});
