export { counters } from './metrics.js';
export { readTide } from './tide.js';
export { range } from './range.js';
