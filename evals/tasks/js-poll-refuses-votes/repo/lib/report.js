'use strict';

/** A poll as text, one option a line. */
function report(poll) {
  const lines = poll.results().map(({ option, count }) => `  ${option}: ${count}`);
  return [poll.question + (poll.closed ? ' (closed)' : ''), ...lines].join('\n');
}

module.exports = { report };
