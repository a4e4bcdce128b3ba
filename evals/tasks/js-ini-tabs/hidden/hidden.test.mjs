import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseIni } from './src/ini.js';
import { loadColors } from './src/theme.js';

const value = (line) => parseIni(line)[''].a;

test('signs in quotes stay', () => {
	assert.equal(value('a = "#ff0000"'), '#ff0000');
	assert.equal(value('a = "x; y # z"'), 'x; y # z');
	assert.equal(value('a = ""'), '');
});

test('comments behind quotes go', () => {
	assert.equal(value('a = "#ff0000" # red'), '#ff0000');
	assert.equal(value('a = "x" ; say "y"'), 'x');
	assert.equal(value('a = "1;2" ; "3"'), '1;2');
});

test('comments without quotes go as before', () => {
	assert.equal(value('a = 1 # one'), '1');
	assert.equal(value('a = 1;2'), '1');
	assert.deepEqual(parseIni('; "x"\n[s] # "y"\nb = 2'), { '': {}, s: { b: '2' } });
	assert.throws(() => parseIni('\n# c\nnothing'), /line 3/);
	assert.deepEqual(loadColors(''), { background: '#ffffff', text: '#000000' });
});

test('the file is indented with tabs still', () => {
	for (const line of readFileSync('src/ini.js', 'utf8').split('\n')) assert.doesNotMatch(line, /^ {2,}\S/, line);
});
