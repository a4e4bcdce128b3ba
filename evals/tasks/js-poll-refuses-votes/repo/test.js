'use strict';

const assert = require('node:assert/strict');
const { Poll } = require('./lib/poll.js');
const { report } = require('./lib/report.js');

// votes are counted, and a second vote replaces the first
const poll = new Poll('Pizza or pasta?', ['pizza', 'pasta']);
poll.vote('ann', 'pizza');
poll.vote('ben', 'pizza');
poll.vote('ben', 'pasta');
assert.equal(report(poll), 'Pizza or pasta?\n  pizza: 1\n  pasta: 1');

// an unknown option
assert.throws(() => poll.vote('cem', 'soup'), RangeError);
assert.throws(() => poll.vote('cem', 'soup'), /soup/);
assert.throws(() => poll.vote('ann', 'soup'), RangeError);
assert.deepEqual(poll.results(), [{ option: 'pizza', count: 1 }, { option: 'pasta', count: 1 }]);

// a closed poll
poll.close();
assert.throws(() => poll.vote('dora', 'pasta'), { message: 'poll is closed' });
assert.equal(report(poll), 'Pizza or pasta? (closed)\n  pizza: 1\n  pasta: 1');

console.log('ok');
