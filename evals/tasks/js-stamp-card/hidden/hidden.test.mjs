import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addStamps, newCard, redeem } from './src/card.js';
import { cardLine, order } from './src/till.js';

test('any order', () => {
  for (let before = 0; before < 10; before += 1) {
    for (let coffees = 1; coffees < 45; coffees += 1) {
      const card = newCard('Bo');
      if (before > 0) addStamps(card, before);
      addStamps(card, coffees);
      const sum = before + coffees;
      assert.deepEqual(card, { owner: 'Bo', stamps: sum % 10, free: Math.floor(sum / 10) });
    }
  }
});

test('free coffees that were there stay', () => {
  const card = { owner: 'Bo', stamps: 9, free: 3 };
  addStamps(card, 12);
  assert.deepEqual(card, { owner: 'Bo', stamps: 1, free: 5 });
});

test('the rest', () => {
  const card = newCard('Bo');
  assert.throws(() => addStamps(card, 0), RangeError);
  assert.throws(() => addStamps(card, 1.5), RangeError);
  assert.throws(() => redeem(card), /no free coffee/);
  assert.equal(order(card, 20), 5600);
  assert.equal(order(card, 2, { useFree: 2 }), 0);
  assert.equal(cardLine(card), 'Bo: 0 of 10 stamps, 0 free coffees');
});
