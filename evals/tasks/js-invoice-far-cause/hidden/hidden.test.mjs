import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInvoices } from './src/run.js';
import { settingsFor } from './src/settings/customer.js';
import { DEFAULTS } from './src/settings/defaults.js';
import { mergeSettings } from './src/settings/merge.js';
import { REGIONS } from './src/settings/regions.js';

const before = JSON.stringify([DEFAULTS, REGIONS]);

test('any order of customers', () => {
  const items = [{ cents: 1000 }];
  const lines = { ann: 'ann: 12.00 EUR', bob: 'bob: 10.00 USD', cid: 'cid: 11 JPY', dee: 'dee: 11,90 EUR', eve: 'eve: 10.00 CHF' };
  const customers = {
    ann: { name: 'ann', items },
    bob: { name: 'bob', region: 'us', items },
    cid: { name: 'cid', region: 'jp', items: [{ cents: 1000 }] },
    dee: { name: 'dee', region: 'de', items },
    eve: { name: 'eve', region: 'us', items, settings: { money: { currency: 'CHF' } } },
  };
  for (const order of ['ann bob cid dee eve', 'eve dee cid bob ann', 'cid ann eve bob dee ann bob', 'bob eve bob']) {
    const names = order.split(' ');
    assert.deepEqual(runInvoices(names.map((name) => customers[name])), names.map((name) => lines[name]), order);
  }
});

test('no layer is changed, not even by what is done with the result', () => {
  const layers = [{ g: { x: 1, deep: { a: 1 } } }, { g: { deep: { b: 2 } }, h: { z: 1 } }, { h: { z: 2 } }];
  const copy = structuredClone(layers);
  const merged = mergeSettings(...layers);
  assert.deepEqual(merged, { g: { x: 1, deep: { a: 1, b: 2 } }, h: { z: 2 } });
  merged.g.deep.a = 9;
  merged.h.z = 9;
  assert.deepEqual(layers, copy);
  const own = settingsFor({ name: 'x' });
  own.money.currency = 'XXX';
  assert.equal(settingsFor({ name: 'y' }).money.currency, 'EUR');
  assert.equal(JSON.stringify([DEFAULTS, REGIONS]), before);
});

test('merging as before', () => {
  const list = [1, 2];
  assert.deepEqual(mergeSettings({ a: list, b: { c: 1 } }, { a: [3], b: null }), { a: [3], b: null });
  assert.deepEqual(mergeSettings({ a: 1 }, null, { a: { b: 1 } }), { a: { b: 1 } });
  assert.deepEqual(mergeSettings(), {});
});
