import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAddresses } from '../src/recipes.js';
import { slugify } from '../src/slug.js';

test('plain titles', () => {
  assert.equal(slugify('Apple Pie'), 'apple-pie');
  assert.equal(slugify('  100% Rye, sour! '), '100-rye-sour');
});

test('accents become plain letters', () => {
  assert.equal(slugify('Crème brûlée'), 'creme-brulee');
});

test('sharp s', () => {
  assert.equal(slugify('Weiße Soße'), 'weisse-sosse');
});

test('same titles get numbers', () => {
  const recipes = withAddresses([{ title: 'Soup' }, { title: 'Soup' }, { title: '???' }]);
  assert.deepEqual(recipes.map((recipe) => recipe.address), ['/recipes/soup', '/recipes/soup-2', '/recipes/untitled']);
});
