import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Download } from '../src/download.ts';
import { Emitter } from '../src/emitter.ts';

test('calls listeners in order', () => {
  const emitter = new Emitter<{ hit: number }>();
  const seen: string[] = [];
  emitter.on('hit', (n) => seen.push(`a${n}`));
  const remove = emitter.on('hit', (n) => seen.push(`b${n}`));
  assert.equal(emitter.emit('hit', 1), 2);
  remove();
  assert.equal(emitter.emit('hit', 2), 1);
  assert.deepEqual(seen, ['a1', 'b1', 'a2']);
});

test('a download ends', () => {
  const ends: number[] = [];
  const download = new Download(10);
  download.on('end', ({ bytes }) => ends.push(bytes));
  download.receive(6);
  download.receive(6);
  assert.deepEqual(ends, [10]);
});

test('once is called once', () => {
  const seen: number[] = [];
  const emitter = new Emitter<{ hit: number }>();
  emitter.once('hit', (n) => seen.push(n));
  emitter.emit('hit', 1);
  emitter.emit('hit', 2);
  assert.deepEqual(seen, [1]);
});

test('once can be removed before', () => {
  const seen: number[] = [];
  const emitter = new Emitter<{ hit: number }>();
  const remove = emitter.once('hit', (n) => seen.push(n));
  remove();
  emitter.emit('hit', 1);
  assert.deepEqual(seen, []);
});
