export { counters } from './metrics.js';
export { fetchTide } from './tide.js';
export { range } from './range.js';
