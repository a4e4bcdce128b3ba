export { legacySum, mean, spread, sum } from './stats.js';
