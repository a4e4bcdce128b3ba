import type { Config } from '../base/config/schema.ts';
import { errorMessage } from '../base/values/errors.ts';
import { probeToolchains } from '../worker/probe-toolchains.ts';

/** A finding of `doctor` about one thing that a worker needs. */
export interface DoctorFinding {
  what: string;
  status: 'ok' | 'warning' | 'problem';
  found: string;
  /** The remedy; undefined if none is needed. */
  advice?: string;
}

export const createOkFinding = (what: string, found: string): DoctorFinding => ({
  what,
  status: 'ok',
  found,
});
export const createWarning = (what: string, found: string, advice: string): DoctorFinding => ({
  what,
  status: 'warning',
  found,
  advice,
});
export const createProblem = (what: string, found: string, advice: string): DoctorFinding => ({
  what,
  status: 'problem',
  found,
  advice,
});

const PROBE_TIMEOUT_MS = 10_000;

export async function checkMcpServers(config: Config): Promise<DoctorFinding[]> {
  const names = Object.keys(config.tools.mcp);
  if (names.length === 0) return [];
  try {
    const { probeServers } = await import('../solving/task/toolset/probe-servers.ts');
    const probeResults = await probeServers(config, PROBE_TIMEOUT_MS);
    return probeResults.map(({ name, listedCount, offeredTools, notes }) => {
      const what = `mcp ${name}`;
      const advice = notes.join('; ');
      if (listedCount === undefined) return createProblem(what, 'does not answer', advice);
      const found = `${listedCount} tools, offered to models: ${offeredTools.join(', ') || 'none'}`;
      return advice === '' ? createOkFinding(what, found) : createWarning(what, found, advice);
    });
  } catch (error) {
    return [createProblem(`mcp ${names.join(', ')}`, 'not checked', errorMessage(error))];
  }
}

/** Checks which toolchains commands can read; returns no finding without a sandbox. Never rejects. */
export async function checkToolchains(config: Config): Promise<DoctorFinding[]> {
  const what = 'tool chains';
  try {
    const probeResult = await probeToolchains(config);
    if (probeResult === undefined) return [];
    const { programs, places } = probeResult;
    const names = programs.filter(({ isReadable }) => isReadable).map(({ name }) => name);
    const stores = places.filter(({ isReadable }) => isReadable).map(({ tool }) => tool);
    const found = `${names.join(', ')}; package stores: ${stores.join(', ') || 'none'}`;
    const hidden = [
      ...programs.filter(({ isReadable }) => !isReadable).map(({ name }) => `the folder of ${name}`),
      ...places
        .filter(({ isReadable }) => !isReadable)
        .map(({ tool, paths }) => `${paths.join(', ')} (${tool})`),
    ];
    if (hidden.length === 0) return [createOkFinding(what, found)];
    const advice = `commands cannot read these paths; add those that builds require to sandbox.read: ${hidden.join(', ')}`;
    return [createWarning(what, found, advice)];
  } catch (error) {
    return [createWarning(what, errorMessage(error), 'see the result of the sandbox check')];
  }
}
