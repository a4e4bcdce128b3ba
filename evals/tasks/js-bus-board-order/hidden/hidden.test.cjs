'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { board } = require('./lib/board.js');
const { departuresFrom, lastDeparture, nextDepartures } = require('./lib/departures.js');

const timetable = {
  lines: [
    { name: '12', to: 'Harbour', stops: { Church: ['6:15', '9:50', '10:15', '21:30'], Mill: ['23:59', '0:10'] } },
    { name: '7', to: 'Station', stops: { Church: ['5:59', '9:07', '10:05', '20:40'] } },
    { name: 'N1', to: 'Hill', stops: { Church: ['2:30', '19:05'] } },
  ],
};

const times = (stop, now, count) => nextDepartures(timetable, stop, now, count).map(({ time }) => time);

test('next departures', () => {
  assert.deepEqual(times('Church', '9:00', 4), ['9:07', '9:50', '10:05', '10:15']);
  assert.deepEqual(times('Church', '9:30'), ['9:50', '10:05', '10:15']);
  assert.deepEqual(times('Church', '9:50', 2), ['9:50', '10:05']);
  assert.deepEqual(times('Church', '2:00'), ['2:30', '5:59', '6:15']);
  assert.deepEqual(times('Church', '20:41'), ['21:30']);
  assert.deepEqual(times('Church', '10:16'), ['19:05', '20:40', '21:30']);
  assert.deepEqual(times('Church', '22:00'), []);
  assert.deepEqual(times('Mill', '0:00'), ['0:10', '23:59']);
});

test('what is shown stays', () => {
  assert.deepEqual(nextDepartures(timetable, 'Church', '9:00', 1), [{ line: '7', to: 'Station', time: '9:07' }]);
  assert.deepEqual(departuresFrom(timetable, 'Church').map(({ time }) => time).slice(0, 4), ['6:15', '9:50', '10:15', '21:30']);
  assert.equal(lastDeparture(timetable, 'Church').time, '21:30');
  assert.equal(
    board(timetable, 'Church', '9:00', 3),
    'Church, 9:00\n7   Station      9:07  7 min\n12  Harbour      9:50  50 min\n7   Station     10:05  1 h 5 min',
  );
  assert.equal(board(timetable, 'Church', '21:31'), 'Church, 21:31\nNo more buses today');
  assert.match(board(timetable, 'Church', '21:30'), /21:30  now$/);
});
