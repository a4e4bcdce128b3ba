import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Download } from './src/download.ts';
import { Emitter } from './src/emitter.ts';

test('once, among others, in order', () => {
  const seen: string[] = [];
  const emitter = new Emitter<{ hit: number; miss: number }>();
  emitter.on('hit', (n) => seen.push(`a${n}`));
  emitter.once('hit', (n) => seen.push(`b${n}`));
  emitter.on('hit', (n) => seen.push(`c${n}`));
  assert.equal(emitter.emit('miss', 0), 0);
  assert.equal(emitter.emit('hit', 1), 3);
  assert.equal(emitter.emit('hit', 2), 2);
  assert.deepEqual(seen, ['a1', 'b1', 'c1', 'a2', 'c2']);
});

test('an emit from inside of the listener does not call it again', () => {
  const seen: number[] = [];
  const emitter = new Emitter<{ hit: number }>();
  emitter.once('hit', (n) => {
    seen.push(n);
    if (n < 3) emitter.emit('hit', n + 1);
  });
  emitter.emit('hit', 1);
  assert.deepEqual(seen, [1]);
});

test('a listener that throws is gone as well', () => {
  let calls = 0;
  const emitter = new Emitter<{ hit: number }>();
  emitter.once('hit', () => {
    calls += 1;
    throw new Error('no');
  });
  assert.throws(() => emitter.emit('hit', 1), /no/);
  emitter.emit('hit', 2);
  assert.equal(calls, 1);
});

test('the same function with on and once', () => {
  const seen: number[] = [];
  const emitter = new Emitter<{ hit: number }>();
  const listener = (n: number) => { seen.push(n); };
  emitter.on('hit', listener);
  emitter.once('hit', listener);
  emitter.emit('hit', 1);
  emitter.emit('hit', 2);
  assert.deepEqual(seen, [1, 1, 2]);
});

test('on a subclass, and removal', () => {
  const seen: number[] = [];
  const download = new Download(4);
  const remove = download.once('progress', ({ done }) => { seen.push(done); });
  download.receive(1);
  remove();
  download.receive(1);
  assert.deepEqual(seen, [1]);
});
