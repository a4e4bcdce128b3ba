import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archivePath, calendarLines, invitation, invoiceHead } from '../src/index.js';

const date = new Date('2026-03-04T10:00:00Z');

test('mail', () => {
  assert.match(invitation({ name: 'Ann' }, { date }), /come on 4 March 2026\.\n\[2026-03-04\]$/);
});

test('invoice', () => {
  assert.deepEqual(invoiceHead(7, date), { number: '2026-03-04/07', due: '18 March 2026' });
});

test('calendar', () => {
  assert.deepEqual(calendarLines([{ date, name: 'Meeting' }]), ['4 Mar  Meeting']);
});

test('archive', () => {
  assert.equal(archivePath(date, 1, 'minutes.pdf'), '2026/2026-03-04-01-minutes.pdf');
});
