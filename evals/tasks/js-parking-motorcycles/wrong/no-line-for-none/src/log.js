'use strict';

const KINDS = ['car', 'van', 'motorcycle'];

/** The stays of a log; a line is a kind of vehicle, when it came and when it left: 'car 09:10 11:05'. */
function parseLog(text) {
  const stays = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const [kind, from, to] = line.trim().split(/\s+/);
    if (!KINDS.includes(kind)) throw new Error(`unknown vehicle: ${kind}`);
    stays.push({ kind, minutes: minuteOf(to) - minuteOf(from) });
  }
  return stays;
}

function minuteOf(time) {
  const [hours, minutes] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

module.exports = { parseLog };
