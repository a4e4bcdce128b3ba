import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batteryState } from '../src/battery.js';
import { batteryText, statusBar } from '../src/statusbar.js';

test('low', () => {
  assert.equal(batteryState(20), 'low');
  assert.equal(batteryState(21), 'normal');
  assert.equal(batteryText({ percent: 20 }), '20% low');
});

test('critical', () => {
  assert.equal(batteryState(5), 'critical');
});

test('full', () => {
  assert.equal(batteryState(80), 'full');
});

test('the bar', () => {
  assert.equal(statusBar({ hours: 9, minutes: 5, battery: { percent: 55, charging: true } }), '9:05 | 55%+');
});
