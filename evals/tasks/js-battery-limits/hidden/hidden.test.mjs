import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batteryState } from './src/battery.js';
import { batteryText, statusBar } from './src/statusbar.js';

test('every level', () => {
  for (let percent = 0; percent <= 100; percent++) {
    const want = percent <= 5 ? 'critical' : percent <= 20 ? 'low' : percent < 80 ? 'normal' : 'full';
    assert.equal(batteryState(percent), want, `${percent}`);
  }
});

test('the rest still works', () => {
  assert.throws(() => batteryState(-1), RangeError);
  assert.throws(() => batteryState(101), RangeError);
  assert.equal(batteryText({ percent: 80, charging: true }), '80%+ full');
  assert.equal(batteryText({ percent: 79 }), '79%');
  assert.equal(statusBar({ hours: 14, minutes: 30, battery: { percent: 5 } }), '14:30 | 5% critical');
});
