import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommand } from './src/deploy.js';
import { parseFlags } from './src/flags.js';

const SPEC = { url: 'string', tag: 'list', dry: 'boolean' };
const flagsOf = (...args) => parseFlags(args, SPEC, { u: 'url', d: 'dry' }).flags;

test('all behind the first = is the value', () => {
  assert.deepEqual(readCommand(['--env=KEY=abc=', 'shop']).env, { KEY: 'abc=' });
  assert.deepEqual(readCommand(['--env=Q=a=b==c', '--env=R=', 'shop']).env, { Q: 'a=b==c', R: '' });
  assert.equal(flagsOf('--url=http://h/?a=1&b=2').url, 'http://h/?a=1&b=2');
  assert.deepEqual(flagsOf('--tag==x', '--tag=y').tag, ['=x', 'y']);
});

test('an empty value is a value', () => {
  assert.equal(flagsOf('--url=').url, '');
  assert.deepEqual(parseFlags(['--url=', 'next'], SPEC), { flags: { url: '' }, rest: ['next'] });
});

test('flags without = are as before', () => {
  assert.deepEqual(flagsOf('--dry'), { dry: true });
  assert.deepEqual(flagsOf('--url', 'a=b'), { url: 'a=b' });
  assert.deepEqual(flagsOf('-u', 'x', '-d'), { url: 'x', dry: true });
  assert.throws(() => flagsOf('--dry=yes'), /takes no value/);
  assert.throws(() => flagsOf('--dry='), /takes no value/);
  assert.throws(() => flagsOf('--url'), /needs a value/);
  assert.throws(() => flagsOf('--what=1'), /unknown flag: --what=1/);
  assert.deepEqual(parseFlags(['-', '--', '--dry'], SPEC).rest, ['-', '--dry']);
});
