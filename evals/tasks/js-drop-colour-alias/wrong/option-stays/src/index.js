export { color, gray } from './palette.js';
export { load } from './load.js';
