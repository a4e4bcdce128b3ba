import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIni } from '../src/ini.js';
import { loadColors } from '../src/theme.js';

test('sections and keys', () => {
	assert.deepEqual(parseIni('a = 1\n[one]\nb=2\n'), { '': { a: '1' }, one: { b: '2' } });
});

test('comments are removed', () => {
	assert.deepEqual(parseIni('# all\na = 1 ; why\n'), { '': { a: '1' } });
});

test('a # in quotes is no comment', () => {
	assert.deepEqual(loadColors('[colors]\ntext = "#ff0000"\n'), { background: '#ffffff', text: '#ff0000' });
});

test('tells the line', () => {
	assert.throws(() => parseIni('a = 1\nnothing\n'), /line 2/);
});
