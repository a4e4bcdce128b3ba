// The built worker as a process that can be killed: configuration from the environment, a fast clock.
import { configSchema, startWorker } from '../../dist/index.js';
import { scaledClock } from './scaled-clock.mjs';

const log = (level) => (fields, message) => {
  if (process.env.WORKER_LOG === undefined && level === 'debug') return;
  const { err, ...rest } = fields;
  console.error(
    JSON.stringify({ level, at: Date.now(), message, ...rest, ...(err && { err: String(err.stack) }) }),
  );
};
const logger = {
  debug: log('debug'),
  info: log('info'),
  warn: log('warn'),
  error: log('error'),
  child: () => logger,
};
const started = await startWorker({
  config: configSchema.parse(JSON.parse(process.env.WORKER_CONFIG)),
  logger,
  clock: scaledClock(Number(process.env.WORKER_SPEED)),
});
if (!started.ok) {
  console.error(started.failure.message);
  process.exit(6);
}
const worker = started.value;
process.once('SIGTERM', () => void worker.drain('SIGTERM'));
// Not a word of the log, which says that it is ready a moment before signals are listened to.
console.log('worker is up');
const end = await worker.ended;
process.exitCode = end.reason === 'drained' ? 0 : 1;
