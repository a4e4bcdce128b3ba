'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { board } = require('../lib/board.js');
const { lastDeparture, nextDepartures } = require('../lib/departures.js');

const timetable = {
  lines: [
    { name: '12', to: 'Harbour', stops: { Church: ['6:15', '9:50', '10:15', '17:30'] } },
    { name: '7', to: 'Station', stops: { Church: ['7:10', '10:05', '11:40'], Mill: ['8:00'] } },
  ],
};

const times = (stop, now, count) => nextDepartures(timetable, stop, now, count).map(({ time }) => time);

test('in the morning', () => {
  assert.deepEqual(times('Church', '9:55'), ['10:05', '10:15', '11:40']);
});

test('in the afternoon', () => {
  assert.deepEqual(times('Church', '16:00'), ['17:30']);
  assert.equal(board(timetable, 'Mill', '12:00'), 'Mill, 12:00\nNo more buses today');
});

test('board', () => {
  assert.equal(board(timetable, 'Church', '17:20', 1), 'Church, 17:20\n12  Harbour     17:30  10 min');
});

test('last', () => {
  assert.equal(lastDeparture(timetable, 'Nowhere'), undefined);
});
