import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCache } from '../src/cache.js';
import { Geocoder } from '../src/geocoder.js';

function service() {
  const asked = [];
  const fetchPlaces = async ({ query, lang, limit }) => {
    asked.push(`${query}/${lang}/${limit}`);
    return Array.from({ length: limit }, (_, i) => ({ name: `${query} ${lang} ${i}`, lat: i, lon: i }));
  };
  return { asked, geocoder: new Geocoder({ fetchPlaces }) };
}

test('asks the service once', async () => {
  const { asked, geocoder } = service();
  await geocoder.lookup('Wien');
  await geocoder.lookup('  wien ');
  assert.deepEqual(asked, ['wien/en/5']);
  assert.equal(geocoder.hits, 1);
});

test('each language has its own names', async () => {
  const { geocoder } = service();
  assert.equal((await geocoder.lookup('Wien', { lang: 'de' }))[0].name, 'wien de 0');
  assert.equal((await geocoder.lookup('Wien', { lang: 'fr' }))[0].name, 'wien fr 0');
});

test('coordinates need no service', async () => {
  const { asked, geocoder } = service();
  assert.deepEqual(await geocoder.lookup('48.2, 16.37'), [{ name: '48.2, 16.37', lat: 48.2, lon: 16.37 }]);
  assert.deepEqual(asked, []);
});

test('the cache forgets the oldest', () => {
  const cache = new MemoryCache(2);
  for (const key of ['a', 'b', 'c']) cache.set(key, key);
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.size, 2);
});
