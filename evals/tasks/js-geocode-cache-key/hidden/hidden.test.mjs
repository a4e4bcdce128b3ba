import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Geocoder } from './src/geocoder.js';

function service() {
  const asked = [];
  const fetchPlaces = async ({ query, lang, limit }) => {
    asked.push(`${query}/${lang}/${limit}`);
    return Array.from({ length: limit }, (_, i) => ({ name: `${query} ${lang} ${i}`, lat: i, lon: i }));
  };
  return { asked, geocoder: new Geocoder({ fetchPlaces }) };
}

test('lang and limit each have their own entry', async () => {
  const { asked, geocoder } = service();
  assert.equal((await geocoder.lookup('Wien', { lang: 'de' }))[0].name, 'wien de 0');
  assert.equal((await geocoder.lookup('Wien', { lang: 'fr' }))[0].name, 'wien fr 0');
  assert.equal((await geocoder.lookup('Wien', { lang: 'fr', limit: 2 })).length, 2);
  assert.equal((await geocoder.lookup('Wien', { limit: 2 }))[0].name, 'wien en 0');
  assert.deepEqual(asked, ['wien/de/5', 'wien/fr/5', 'wien/fr/2', 'wien/en/2']);
  assert.equal(geocoder.hits, 0);
});

test('the same options hit, in any order, with or without the defaults', async () => {
  const { asked, geocoder } = service();
  await geocoder.lookup('Wien', { lang: 'de', limit: 3 });
  await geocoder.lookup('WIEN', { limit: 3, lang: 'de' });
  assert.equal(asked.length, 1);
  await geocoder.lookup('Graz');
  await geocoder.lookup('Graz', { lang: 'en' });
  await geocoder.lookup('graz', { limit: 5 });
  await geocoder.lookup('graz ', { limit: 5, lang: 'en' });
  assert.deepEqual(asked, ['wien/de/3', 'graz/en/5']);
  assert.equal(geocoder.hits, 4);
});

test('best after lookup', async () => {
  const { asked, geocoder } = service();
  assert.equal((await geocoder.lookup('Wien')).length, 5);
  assert.equal((await geocoder.best('Wien', { lang: 'de' })).name, 'wien de 0');
  await geocoder.best('wien', { lang: 'de' });
  assert.deepEqual(asked, ['wien/en/5', 'wien/de/1']);
  assert.equal((await geocoder.lookup('Wien')).length, 5);
});

test('what stays', async () => {
  const { asked, geocoder } = service();
  await assert.rejects(geocoder.lookup('  '), /no place given/);
  await geocoder.lookup('48.2, 16.37', { lang: 'de' });
  assert.deepEqual(asked, []);
  await geocoder.lookup('Linz');
  geocoder.forget();
  await geocoder.lookup('Linz');
  assert.equal(asked.length, 2);
});
