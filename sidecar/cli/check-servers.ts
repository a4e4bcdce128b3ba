/** What `doctor` says of the MCP servers whose tools a model gets. Nothing is loaded where there are none. */
import type { Config } from '../config/schema.ts';
import { errorMessage } from '../values/errors.ts';
import type { Finding } from './commands/doctor.ts';

const LIMIT_MS = 10_000;

export async function serverFindings(config: Config): Promise<Finding[]> {
  const names = Object.keys(config.tools.mcp);
  if (names.length === 0) return [];
  try {
    const { probeServers } = await import('../execution/toolset/probe-servers.ts');
    const probed = await probeServers(config, LIMIT_MS);
    return probed.map(({ name, listed, offered, notes }): Finding => {
      const what = `mcp ${name}`;
      const advice = notes.join('; ');
      if (listed === undefined) return { what, status: 'problem', found: 'does not answer', advice };
      const found = `${listed} tools, a model gets ${offered.join(', ') || 'none'}`;
      return advice === '' ? { what, status: 'ok', found } : { what, status: 'warning', found, advice };
    });
  } catch (error) {
    return [
      { what: `mcp ${names.join(', ')}`, status: 'problem', found: 'not tried', advice: errorMessage(error) },
    ];
  }
}
