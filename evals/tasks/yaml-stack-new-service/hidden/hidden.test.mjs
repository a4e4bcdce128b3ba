import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readYaml } from './deploy/yaml.mjs';

const stack = readYaml(readFileSync('deploy/stack.yaml', 'utf8')).services;
const env = (name) => readFileSync(`deploy/env/${name}.env`, 'utf8').trim().split('\n').sort();

test('the new service', () => {
  const { depends_on: dependsOn = [], ...rest } = stack.thumbs;
  assert.deepEqual(rest, {
    image: 'board/thumbs:1.4',
    restart: 'unless-stopped',
    networks: ['inner'],
    env_file: 'env/thumbs.env',
    health: 'http://localhost:7070/health',
  });
  assert.ok(Array.isArray(dependsOn) && dependsOn.every((name) => name === 'db'));
  assert.deepEqual(env('thumbs').filter((line) => !line.startsWith('DB_URL=')), ['CACHE_MB=256', 'PORT=7070']);
});

test('web knows it', () => {
  assert.deepEqual([...stack.web.depends_on].sort(), ['db', 'search', 'thumbs']);
  assert.deepEqual(env('web'), ['DB_URL=db:5432', 'PORT=8080', 'SEARCH_URL=http://search:7001', 'THUMBS_URL=http://thumbs:7070']);
});

test('the proxy', () => {
  const { routes } = readYaml(readFileSync('deploy/proxy.yaml', 'utf8'));
  assert.equal(routes.length, 3);
  assert.deepEqual(routes.at(-1), { path: '/', to: 'web:8080' });
  assert.ok(routes.some(({ path, to }) => path === '/thumbs/' && to === 'thumbs:7070'));
  assert.ok(routes.some(({ path, to }) => path === '/search/' && to === 'search:7001'));
});

test('the others', () => {
  assert.deepEqual(Object.keys(stack).sort(), ['db', 'search', 'thumbs', 'web']);
  const { depends_on: ignored, ...web } = stack.web;
  assert.deepEqual(web, { image: 'board/web:3.2', restart: 'unless-stopped', networks: ['inner', 'outer'], env_file: 'env/web.env', health: 'http://localhost:8080/health' });
  assert.deepEqual(stack.search.depends_on, ['db']);
  assert.deepEqual(env('search'), ['DB_URL=db:5432', 'PORT=7001']);
  assert.equal(spawnSync(process.execPath, ['deploy/check.mjs']).status, 0);
});
