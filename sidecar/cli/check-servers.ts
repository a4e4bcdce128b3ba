/** Findings of `doctor` about the configured MCP servers; loads nothing if there are none. */
import type { Config } from '../config/schema.ts';
import { errorMessage } from '../values/errors.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

const LIMIT_MS = 10_000;

export async function serverFindings(config: Config): Promise<Finding[]> {
  const names = Object.keys(config.tools.mcp);
  if (names.length === 0) return [];
  try {
    const { probeServers } = await import('../task/toolset/probe-servers.ts');
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
