'use strict';

const assert = require('node:assert/strict');
const { Poll } = require('./lib/poll.js');
const { report } = require('./lib/report.js');

const poll = new Poll('When?', ['Mon', 'Tue', 'Wed']);
poll.vote('a', 'Mon');
poll.vote('b', 'Tue');
for (const option of ['mon', 'Sun', 'toString']) {
  for (const voter of ['a', 'z']) {
    assert.throws(() => poll.vote(voter, option), (error) => error instanceof RangeError && error.message.includes(option));
  }
}
assert.deepEqual(poll.results(), [{ option: 'Mon', count: 1 }, { option: 'Tue', count: 1 }, { option: 'Wed', count: 0 }]);

// the earlier vote still stands and can be changed, to the same option as well
poll.vote('a', 'Mon');
poll.vote('a', 'Wed');
assert.deepEqual(poll.results(), [{ option: 'Mon', count: 0 }, { option: 'Tue', count: 1 }, { option: 'Wed', count: 1 }]);
poll.vote('z', 'Wed');

poll.close();
for (const voter of ['a', 'new']) {
  assert.throws(() => poll.vote(voter, 'Tue'), (error) => error instanceof Error && error.message === 'poll is closed');
}
assert.equal(report(poll), 'When? (closed)\n  Mon: 0\n  Tue: 1\n  Wed: 2');
assert.throws(() => new Poll('?', ['one']), /two options/);
