import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withAddresses } from './src/recipes.js';
import { slugify } from './src/slug.js';

test('all accents, also of other languages and in capitals', () => {
  assert.equal(slugify('Crème brûlée'), 'creme-brulee');
  assert.equal(slugify('ÉCLAIR À LA ÑORA'), 'eclair-a-la-nora');
  assert.equal(slugify('Žemlovka s jablky a švestkami'), 'zemlovka-s-jablky-a-svestkami');
  assert.equal(slugify('Käsespätzle'), 'kasespatzle');
});

test('letters already split into base and mark', () => {
  assert.equal(slugify('Cre\u0300me'), 'creme');
});

test('what worked still works', () => {
  assert.equal(slugify('Weiße Soße'), 'weisse-sosse');
  assert.equal(slugify('--a--b--'), 'a-b');
  assert.equal(slugify('寿司 2'), '2');
  assert.equal(slugify('?'), '');
  const recipes = withAddresses([{ title: 'Crêpe' }, { title: 'Crepe' }]);
  assert.deepEqual(recipes.map((recipe) => recipe.address), ['/recipes/crepe', '/recipes/crepe-2']);
});
