/** A finding of `doctor` about tool chains: which of them commands in the sandbox can read. */
import type { Config } from '../config/schema.ts';
import { errorMessage } from '../values/errors.ts';
import { probeToolchains } from '../worker/probe-toolchains.ts';
import { ok, warning, type Finding } from './finding.ts';

/** Returns the finding; none without a sandbox. Never rejects. */
export async function toolchainFindings(config: Config): Promise<Finding[]> {
  const what = 'tool chains';
  try {
    const probed = await probeToolchains(config);
    if (probed === undefined) return [];
    const { programs, places } = probed;
    const names = programs.filter(({ isReadable }) => isReadable).map(({ name }) => name);
    const stores = places.filter(({ isReadable }) => isReadable).map(({ tool }) => tool);
    const found = `${names.join(', ')}; stores of ${stores.join(', ') || 'none'}`;
    const hidden = [
      ...programs.filter(({ isReadable }) => !isReadable).map(({ name }) => `the folder of ${name}`),
      ...places
        .filter(({ isReadable }) => !isReadable)
        .map(({ tool, paths }) => `${paths.join(', ')} (${tool})`),
    ];
    if (hidden.length === 0) return [ok(what, found)];
    const advice = `not readable; add what builds need to sandbox.read: ${hidden.join(', ')}`;
    return [warning(what, found, advice)];
  } catch (error) {
    return [warning(what, errorMessage(error), 'see the finding on the sandbox')];
  }
}
