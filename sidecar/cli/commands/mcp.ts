/** `mcp`: serves the tools of a hub to a coding agent or an editor on stdin and stdout. All other output goes to stderr. */
import { createHubClient } from '../../hub/client/hub-client.ts';
import { createLogger } from '../../base/observability/logger.ts';
import { createSecretMasker } from '../../base/observability/secrets.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { findHubAddress, type HubFlags } from '../hub-address.ts';
import { runInterruptible, type Interruption } from '../interruption.ts';

export const mcpCommand = (options: HubFlags): Promise<void> =>
  runInterruptible((interruption) => serveTools(options, interruption));

async function serveTools(options: HubFlags, interruption: Interruption): Promise<ExitCode> {
  const masker = createSecretMasker();
  const logger = await createLogger({ level: 'warn', masker });
  const connect = async () => {
    const address = await findHubAddress(options);
    masker.add(address.token);
    return createHubClient(address);
  };
  // Wrong flags are reported at once; an unreachable hub is reported by each tool.
  const { url } = await connect();
  process.stderr.write(`ollama-sidecar mcp: serving MCP on stdin and stdout for the hub at ${url}\n`);
  const { serveStdio } = await import('../../hub/mcp/stdio.ts');
  await serveStdio({ connect, folder: process.cwd(), masker, logger }, interruption.firstSignal);
  return interruption.exitCode ?? EXIT.ok;
}
