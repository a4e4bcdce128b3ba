import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alerts } from '../src/alerts.js';
import { toFahrenheit } from '../src/convert.js';
import { report } from '../src/report.js';

test('degrees', () => {
  assert.equal(toFahrenheit(100), 212);
});

test('report', () => {
  assert.equal(report([{ time: '08:00', temperature: 10, wind: 2 }]), '08:00  50F  4 mph\nhigh  50F');
});

test('alerts', () => {
  assert.deepEqual(alerts({ temperature: 40, wind: 1 }), ['heat']);
});
