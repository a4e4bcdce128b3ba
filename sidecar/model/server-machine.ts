/** Memory and cores of the machine that the model servers run on. */
import { isLoopback } from '../addresses/hub-url.ts';
import { machineMemory, type MachineMemory } from '../system/machine-memory.ts';
import type { ServerSettings } from './servers/server-settings.ts';

/** Undefined where one of the servers is on another machine. */
export async function serverMachine(servers: readonly ServerSettings[]): Promise<MachineMemory | undefined> {
  return servers.every(({ url }) => isLoopback(new URL(url).hostname)) ? machineMemory() : undefined;
}
