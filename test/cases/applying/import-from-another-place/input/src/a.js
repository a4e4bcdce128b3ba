import { parse } from './lexer.js';

export const run = (text) => parse(text);
