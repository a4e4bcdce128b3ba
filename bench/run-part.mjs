// One part of the benchmarks in a process of its own: loads the bundle named on the command line and says its figures.
import { pathToFileURL } from 'node:url';

const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1000);
try {
  const { bench } = await import(pathToFileURL(process.argv[2]).href);
  const measured = await bench();
  process.send({ ...(Array.isArray(measured) ? { figures: measured } : measured), seconds: seconds() });
} catch (error) {
  process.send({
    figures: [],
    error: error instanceof Error ? error.stack : String(error),
    seconds: seconds(),
  });
}
process.disconnect();
