/**
 * Finds the hub of a command: given by the flag or the environment, or the hub that runs on this machine. That hub
 * writes its address and a token to a file of the state folder that only its user can read.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { formatHostAndPort } from '../base/addresses/host-and-port.ts';
import { makeFolder } from '../base/system/make-folder.ts';
import { quoteShellWord } from '../base/values/shell-word.ts';
import { resolveWorkerFolders } from '../worker/folders.ts';
import { createUsageError } from './exit-codes.ts';
import { createHubClient, type HubAddress, type HubClient } from '../hub/client/hub-client.ts';
import { checkToken, loadSettings, readTokenFile } from './settings.ts';
import { createTerminal, type Terminal } from './terminal.ts';

export interface HubFlags {
  hub?: string;
  tokenFile?: string;
  json?: boolean;
  /** `github`: print text with annotations of a GitHub workflow. */
  output?: 'github';
}

const addressSchema = z.object({ url: z.url(), token: z.string(), pid: z.number().int() });

const findAddressFile = (): string =>
  join(
    resolveWorkerFolders({ stateDir: process.env.SIDECAR_STATE_DIR, dataDir: undefined }).stateDir,
    'hub.json',
  );

/** Writes the hub's address for other commands of this user; the returned function removes it. */
export async function announceHub(url: string, token: string): Promise<() => Promise<void>> {
  const path = findAddressFile();
  makeFolder(dirname(path));
  await writeFile(path, JSON.stringify({ url, token, pid: process.pid }), { mode: 0o600 });
  return async () => {
    const current = await readAddress();
    if (current?.pid === process.pid) await rm(path, { force: true });
  };
}

async function readAddress() {
  try {
    return addressSchema.parse(JSON.parse(await readFile(findAddressFile(), 'utf8')));
  } catch {
    // Without a complete file, no hub runs on this machine.
    return undefined;
  }
}

export interface OpenHub {
  terminal: Terminal;
  client: HubClient;
  /** The flags that name this hub in another command, with a leading space; empty if none were given. */
  hubArguments: string;
}

/** Creates the terminal and the hub client of a command that prints a hub's data. Throws `CommandError`. */
export const openHub = async (flags: HubFlags): Promise<OpenHub> => ({
  terminal: createTerminal(flags.output ? false : flags.json, 'data'),
  client: createHubClient(await findHubAddress(flags)),
  hubArguments: [
    ...(flags.hub === undefined ? [] : [` --hub ${quoteShellWord(flags.hub)}`]),
    ...(flags.tokenFile === undefined ? [] : [` --token-file ${quoteShellWord(flags.tokenFile)}`]),
  ].join(''),
});

/** Returns address and token of a hub: from the flags, the environment, or the hub that runs on this machine. Throws `CommandError`. */
export async function findHubAddress(flags: HubFlags): Promise<HubAddress> {
  const localHub = await readAddress();
  const givenUrl = flags.hub ?? (process.env.SIDECAR_HUB_API || undefined);
  const url = givenUrl ?? localHub?.url ?? (await findDefaultUrl());
  if (!URL.canParse(url) || !/^https?:/u.test(url)) {
    const settingName = flags.hub === undefined ? 'SIDECAR_HUB_API' : '--hub';
    const message = `${settingName} must be an http:// or https:// address, not ${url}.`;
    throw createUsageError('hub_url_invalid', message);
  }
  const isLocalHub = localHub !== undefined && new URL(localHub.url).href === new URL(url).href;
  return { url, token: (await readToken(flags)) ?? (isLocalHub ? localHub.token : undefined) };
}

async function readToken({ tokenFile }: HubFlags): Promise<string | undefined> {
  if (tokenFile !== undefined) return readTokenFile(tokenFile);
  const token = process.env.SIDECAR_HUB_API_TOKEN?.trim();
  return token ? checkToken(token, 'SIDECAR_HUB_API_TOKEN') : undefined;
}

/** Returns the configured address of the embedded hub; the loopback address if the hub listens on all addresses. */
async function findDefaultUrl(): Promise<string> {
  const { host, port } = (await loadSettings({})).config.embeddedHub;
  const reachableHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${formatHostAndPort(reachableHost, port)}`;
}
