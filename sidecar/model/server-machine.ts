/** Measures memory and cores of the machine that runs the model servers. */
import { isLoopback } from '../base/addresses/hub-url.ts';
import { measureMachineMemory, type MachineMemory } from '../base/system/machine-memory.ts';
import type { ServerSettings } from './servers/server-settings.ts';

/** Returns memory and cores of this machine; undefined if a server runs on another one. */
export async function detectServerMachine(
  servers: readonly ServerSettings[],
): Promise<MachineMemory | undefined> {
  return servers.every(({ url }) => isLoopback(new URL(url).hostname)) ? measureMachineMemory() : undefined;
}
