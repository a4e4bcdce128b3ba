'use strict';

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { test } = require('node:test');
const { card } = require('./lib/card.js');
const { list } = require('./lib/list.js');
const { tag } = require('./lib/tags.js');

const texts = {
  0: '0 months',
  1: '1 month',
  2: '2 months',
  11: '11 months',
  12: '1 year',
  23: '1 year',
  24: '2 years',
  120: '10 years',
};

test('ageText', () => {
  const age = require('./lib/age.js');
  const ageText = age.ageText ?? age;
  for (const [months, text] of Object.entries(texts)) assert.equal(ageText(Number(months)), text);
});

test('both use it', () => {
  for (const file of ['lib/card.js', 'lib/list.js']) {
    const source = readFileSync(file, 'utf8');
    assert.match(source, /require\(['"`]\.\/age(\.js)?['"`]\)/, file);
    assert.match(source, /ageText\(/, file);
    assert.doesNotMatch(source, /Math\.floor|1 month|1 year|< 12/, file);
  }
  assert.doesNotMatch(readFileSync('lib/tags.js', 'utf8'), /age(\.js)?['"]|ageText/);
});

test('the output stays', () => {
  for (const [months, text] of Object.entries(texts)) {
    const animal = { name: 'Mia', species: 'cat', months: Number(months) };
    assert.equal(card(animal), `Mia (cat)\nAge: ${text}\nFee: ${months === '120' ? 60 : 120} EUR`);
    assert.deepEqual(list([animal]), [`Mia, ${text}`]);
  }
  assert.equal(tag({ name: 'Rex', months: 23 }), 'Rex 23m');
  assert.equal(tag({ name: 'Rex', months: 24 }), 'Rex 2y');
  const animals = [{ name: 'A', months: 30 }, { name: 'B', months: 1, reserved: true }];
  assert.deepEqual(list(animals), ['B, 1 month (reserved)', 'A, 2 years']);
  assert.equal(animals[0].name, 'A');
});
