import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { alerts } from './src/alerts.js';
import * as convert from './src/convert.js';
import { report } from './src/report.js';

test('the new name only', () => {
  assert.deepEqual(Object.keys(convert).sort(), ['convWind', 'toFahrenheit', 'windChill']);
  for (const file of readdirSync('src')) {
    assert.doesNotMatch(readFileSync(`src/${file}`, 'utf8'), /\bconv\b/, file);
  }
});

test('all still works', () => {
  assert.equal(convert.toFahrenheit(-40), -40);
  assert.equal(Math.round(convert.convWind(10)), 22);
  assert.equal(report([]), '');
  assert.equal(
    report([
      { time: '06:00', temperature: 0, wind: 0 },
      { time: '12:00', temperature: 20, wind: 10 },
    ]),
    '06:00  32F  0 mph\n12:00  68F  22 mph\nhigh  68F',
  );
  assert.deepEqual(alerts({ temperature: -25, wind: 10 }), ['wind chill']);
  assert.deepEqual(alerts({ temperature: 35, wind: 0 }), ['heat']);
  assert.deepEqual(alerts({ temperature: 20, wind: 0 }), []);
});
