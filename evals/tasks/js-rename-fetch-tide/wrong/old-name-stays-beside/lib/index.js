export { counters } from './metrics.js';
export { readTide, readTide as fetchTide } from './tide.js';
export { range } from './range.js';
