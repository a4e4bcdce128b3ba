'use strict';

class Poll {
  constructor(question, options) {
    if (options.length < 2) throw new Error('a poll needs two options');
    this.question = question;
    this.closed = false;
    this.counts = new Map(options.map((option) => [option, 0]));
    this.votes = new Map();
  }

  /** Votes for an option. A voter's earlier vote is taken back. */
  vote(voter, option) {
    const earlier = this.votes.get(voter);
    if (earlier !== undefined) {
      this.counts.set(earlier, this.counts.get(earlier) - 1);
    }
    if (this.closed) throw new Error('poll is closed');
    if (!this.counts.has(option)) throw new RangeError(`no such option: ${option}`);
    this.votes.set(voter, option);
    this.counts.set(option, (this.counts.get(option) ?? 0) + 1);
  }

  close() {
    this.closed = true;
  }

  /** The options with their counts, in the order of the poll. */
  results() {
    return [...this.counts].map(([option, count]) => ({ option, count }));
  }
}

module.exports = { Poll };
