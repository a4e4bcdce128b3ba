import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pages, redirects, resolve } from './resolve.mjs';

test('every redirect leads straight to a page', () => {
  for (const { from, to } of redirects) assert.ok(pages.has(to), `${from} leads to ${to}, which is no page`);
});

test('an old address has one redirect and is no page', () => {
  const seen = new Set();
  for (const { from, status } of redirects) {
    assert.ok(!seen.has(from), `${from} is there twice`);
    assert.ok(!pages.has(from), `${from} is a page`);
    assert.ok(status === 301 || status === 302, `${from} has status ${status}`);
    seen.add(from);
  }
});

test('the team page', () => {
  assert.deepEqual(resolve('/about/team'), { status: 301, path: '/people' });
  assert.deepEqual(resolve('/staff'), { status: 301, path: '/people' });
});

test('the jobs page', () => {
  assert.deepEqual(resolve('/jobs/'), { status: 301, path: '/contact' });
  assert.deepEqual(resolve('/careers'), { status: 302, path: '/contact' });
});

test('other addresses', () => {
  assert.deepEqual(resolve('/shop/'), { status: 200, path: '/shop' });
  assert.deepEqual(resolve('/imprint'), { status: 301, path: '/legal' });
  assert.deepEqual(resolve('/nothing'), { status: 404, path: '/nothing' });
});
