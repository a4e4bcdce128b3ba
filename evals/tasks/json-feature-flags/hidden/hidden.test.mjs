import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

test('the feature is on for a quarter, with an end', () => {
  const { newCheckout } = read('config/staging.json').features;
  const { expires, ...rest } = newCheckout;
  assert.deepEqual(rest, { enabled: true, rollout: 0.25, owner: 'payments' });
  assert.match(expires, /^\d{4}-\d{2}-\d{2}$/);
  const days = (Date.parse(expires) - Date.parse('2026-03-02')) / 86_400_000;
  assert.ok(days > 0 && days <= 90, expires);
});

test('the day of the change', () => {
  assert.equal(read('config/staging.json').updated, '2026-03-02');
});

test('the others are as they were', () => {
  const { features, environment } = read('config/staging.json');
  assert.equal(environment, 'staging');
  assert.deepEqual(Object.keys(features), ['darkMode', 'newCheckout', 'searchV2']);
  assert.deepEqual(features.searchV2, { enabled: true, rollout: 0.5, owner: 'search', expires: '2026-04-30' });
  assert.deepEqual(features.darkMode, { enabled: true, rollout: 1, owner: 'web' });
});

test('production is untouched', () => {
  assert.deepEqual(read('config/production.json'), {
    environment: 'production',
    updated: '2026-02-20',
    features: {
      darkMode: { enabled: true, rollout: 1, owner: 'web' },
      newCheckout: { enabled: false, owner: 'payments' },
      searchV2: { enabled: false, owner: 'search' },
    },
  });
});
