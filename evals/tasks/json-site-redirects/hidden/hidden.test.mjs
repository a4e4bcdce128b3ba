import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { redirects, resolve } from './resolve.mjs';

test('all redirects', () => {
  const byAddress = Object.fromEntries(redirects.map(({ from, to, status }) => [from, `${status} ${to}`]));
  assert.deepEqual(byAddress, {
    '/imprint': '301 /legal',
    '/staff': '301 /people',
    '/careers': '302 /contact',
    '/summer-sale': '302 /shop',
    '/history': '301 /about',
    '/about/team': '301 /people',
    '/jobs': '301 /contact',
  });
  assert.equal(redirects.length, 7);
});

test('nothing else in an entry', () => {
  for (const entry of redirects) assert.deepEqual(Object.keys(entry).sort(), ['from', 'status', 'to']);
});

test('the pages are as they were', () => {
  const pages = readFileSync(new URL('pages.txt', import.meta.url), 'utf8').split('\n').filter(Boolean);
  assert.deepEqual(pages, ['/', '/about', '/contact', '/legal', '/people', '/shop', '/shop/cart']);
});

test('the server answers', () => {
  assert.deepEqual(resolve('/about/team/'), { status: 301, path: '/people' });
  assert.deepEqual(resolve('/careers'), { status: 302, path: '/contact' });
  assert.deepEqual(resolve('/people'), { status: 200, path: '/people' });
  assert.deepEqual(resolve('/about'), { status: 200, path: '/about' });
  assert.deepEqual(resolve('/nothing'), { status: 404, path: '/nothing' });
});
