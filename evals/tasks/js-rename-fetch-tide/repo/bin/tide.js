import { fetchTide } from '../lib/index.js';

const { high, low } = fetchTide(process.argv[2] ?? 'husum');
console.log(`high ${high} cm, low ${low} cm`);
