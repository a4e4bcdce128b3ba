import assert from 'node:assert/strict';
import { test } from 'node:test';
import { range } from '../lib/index.js';

test('range', () => assert.equal(range('Husum'), 272));
