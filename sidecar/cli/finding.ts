import type { Config } from '../base/config/schema.ts';
import { errorMessage } from '../base/values/errors.ts';
import { probeToolchains } from '../worker/probe-toolchains.ts';

/** A finding of `doctor` about one thing that a worker needs. */
export interface Finding {
  what: string;
  status: 'ok' | 'warning' | 'problem';
  found: string;
  /** The remedy; undefined if none is needed. */
  advice?: string;
}

export const ok = (what: string, found: string): Finding => ({ what, status: 'ok', found });
export const warning = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'warning',
  found,
  advice,
});
export const problem = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'problem',
  found,
  advice,
});

const LIMIT_MS = 10_000;

export async function serverFindings(config: Config): Promise<Finding[]> {
  const names = Object.keys(config.tools.mcp);
  if (names.length === 0) return [];
  try {
    const { probeServers } = await import('../solving/task/toolset/probe-servers.ts');
    const probed = await probeServers(config, LIMIT_MS);
    return probed.map(({ name, listed, offered, notes }) => {
      const what = `mcp ${name}`;
      const advice = notes.join('; ');
      if (listed === undefined) return problem(what, 'does not answer', advice);
      const found = `${listed} tools, a model gets ${offered.join(', ') || 'none'}`;
      return advice === '' ? ok(what, found) : warning(what, found, advice);
    });
  } catch (error) {
    return [problem(`mcp ${names.join(', ')}`, 'not tried', errorMessage(error))];
  }
}

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
