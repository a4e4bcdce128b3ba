import { readTide } from '../lib/index.js';

const { high, low } = readTide(process.argv[2] ?? 'husum');
console.log(`high ${high} cm, low ${low} cm`);
