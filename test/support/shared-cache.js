/** Before and after all tests: what started command lines compile is kept for the next one, in a folder of this run's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'sidecar-test-cache-'));
  // The processes of the tests inherit it.
  process.env.XDG_CACHE_HOME = folder;
  globalThis.removeSharedCache = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
