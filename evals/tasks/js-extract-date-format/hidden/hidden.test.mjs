import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isoDay, pad, readableDay } from './src/dates.js';
import { archivePath, calendarLines, invitation, invoiceHead } from './src/index.js';

const date = new Date('2026-12-24T23:59:00Z');

test('the new module', () => {
  assert.equal(pad(3), '03');
  assert.equal(isoDay(date), '2026-12-24');
  assert.equal(readableDay(date), '24 December 2026');
});

test('the callers say the same', () => {
  assert.equal(invitation({ name: 'Bo' }, { date }), 'Dear Bo,\nplease come on 24 December 2026.\n[2026-12-24]');
  assert.deepEqual(invoiceHead(12, date), { number: '2026-12-24/12', due: '7 January 2027' });
  assert.deepEqual(calendarLines([{ date, name: 'B' }, { date: new Date('2026-09-01T00:00:00Z'), name: 'A' }]), ['1 Sep  A', '24 Dec  B']);
  assert.equal(archivePath(date, 9, 'a.txt'), '2026/2026-12-24-09-a.txt');
});

test('each function stands once', () => {
  const sources = Object.fromEntries(['mail', 'invoice', 'calendar', 'archive', 'dates'].map((name) => [name, readFileSync(`src/${name}.js`, 'utf8')]));
  const defines = (name, fn) => new RegExp(`function ${fn}\\b|(const|let) ${fn} =`).test(sources[name]);
  for (const name of ['mail', 'invoice', 'calendar', 'archive']) {
    assert.ok(!defines(name, 'pad'), `pad in ${name}`);
    assert.ok(!defines(name, 'isoDay'), `isoDay in ${name}`);
    assert.match(sources[name], /from '\.\/dates\.js'|from "\.\/dates\.js"/, name);
  }
  for (const name of ['mail', 'invoice', 'archive']) {
    assert.ok(!defines(name, 'readableDay'), `readableDay in ${name}`);
    assert.doesNotMatch(sources[name], /February/, name);
  }
  assert.ok(defines('calendar', 'readableDay'), 'the calendar keeps its own');
});
