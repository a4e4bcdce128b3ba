export { mean, spread, sum } from './stats.js';
