import { buildOrder } from './order.js';
import { readPackages } from './read.js';

/** Builds all packages of the text; `run` gets one name after the other. Returns the names that were built. */
export async function build(text, run) {
  const built = [];
  for (const name of buildOrder(readPackages(text))) {
    await run(name);
    built.push(name);
  }
  return built;
}
