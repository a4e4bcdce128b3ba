/**
 * A worker as a process of its own, so that it can really be killed: the built library with a configuration from the
 * first argument (JSON). It says `ready` once it is connected.
 */
import { configSchema, startWorker } from '../../dist/index.js';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};
const started = await startWorker({
  config: configSchema.parse(JSON.parse(process.argv[2] ?? '{}')),
  logger: silent,
});
if (!started.ok) throw new Error(`${started.failure.code}: ${started.failure.message}`);
process.stdout.write('ready\n');
await started.value.ended;
process.exit(0);
