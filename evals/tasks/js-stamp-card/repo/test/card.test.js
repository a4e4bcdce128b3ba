import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStamps, newCard } from '../src/card.js';
import { cardLine, order } from '../src/till.js';

test('stamps add up', () => {
  const card = newCard('Ida');
  addStamps(card, 3);
  addStamps(card, 4);
  assert.deepEqual(card, { owner: 'Ida', stamps: 7, free: 0 });
});

test('exactly ten stamps are a free coffee', () => {
  const card = newCard('Ida');
  addStamps(card, 9);
  addStamps(card, 1);
  assert.deepEqual(card, { owner: 'Ida', stamps: 0, free: 1 });
});

test('stamps beyond the tenth go to the next card', () => {
  const card = newCard('Ida');
  addStamps(card, 8);
  addStamps(card, 4);
  assert.deepEqual(card, { owner: 'Ida', stamps: 2, free: 1 });
});

test('a big order fills several cards', () => {
  const card = newCard('Ida');
  assert.equal(order(card, 25), 7000);
  assert.equal(cardLine(card), 'Ida: 5 of 10 stamps, 2 free coffees');
});

test('free coffees bring no stamps', () => {
  const card = newCard('Ida');
  addStamps(card, 10);
  assert.equal(order(card, 3, { useFree: 1 }), 560);
  assert.equal(cardLine(card), 'Ida: 2 of 10 stamps, 0 free coffees');
});
