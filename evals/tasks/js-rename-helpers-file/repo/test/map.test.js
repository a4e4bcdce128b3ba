import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leg } from '../src/map.js';

test('a leg', () => assert.deepEqual(leg([0, 0], [6, 8]), { length: 10, label: [3, 4] }));
