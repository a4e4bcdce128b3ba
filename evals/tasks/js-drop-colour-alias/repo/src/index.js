export { color, colour, gray, grey } from './palette.js';
export { load } from './load.js';
