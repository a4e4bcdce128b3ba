import { parse } from './parser.js';

export const run = (text) => parse(text);
