// The built hub as a process that can be killed: a file database, a fast clock, tokens from the environment.
import { startHub } from '../../dist/index.js';
import { scaledClock } from './scaled-clock.mjs';

const { HUB_DATABASE, HUB_PORT, HUB_ADMIN_TOKEN, HUB_WORKER_TOKEN, HUB_SPEED } = process.env;
const hub = await startHub({
  port: Number(HUB_PORT),
  database: HUB_DATABASE,
  clock: scaledClock(Number(HUB_SPEED)),
  tokens: { admin: HUB_ADMIN_TOKEN, workers: { w1: HUB_WORKER_TOKEN } },
});
process.once('SIGTERM', () => void hub.close().then(() => process.exit(0)));
console.log(`ready ${hub.port}`);
