import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receipt } from '../src/receipt.js';

test('a receipt', () => assert.equal(receipt([{ price: 10.4, count: 1 }, { price: 10.4, count: 1 }]), 'Total: 0.21'));
