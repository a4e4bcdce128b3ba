import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translator } from '../src/translate.js';
import { view } from '../src/view.js';

test('an empty basket', () => assert.deepEqual(view([], translator('de')), ['Noch nichts drin']));
