/**
 * Which hub a command talks to: the flag, the environment, or the hub that runs on this machine, which writes its address
 * and a token into the state folder for its own user only.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hostAndPort } from '../host-and-port.ts';
import { makeFolder } from '../make-folder.ts';
import { workerFolders } from '../worker/folders.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { createHubClient, type HubClient } from './hub-client.ts';
import { loadSettings, readTokenFile } from './settings.ts';

export interface HubFlags {
  hub?: string;
  tokenFile?: string;
  json?: boolean;
}

const addressSchema = z.object({ url: z.string(), token: z.string(), pid: z.number().int() });

const addressFile = (): string =>
  join(workerFolders({ stateDir: process.env.SIDECAR_STATE_DIR, dataDir: undefined }).stateDir, 'hub.json');

/** Tells other commands of this user where the hub is; the returned function takes that back. */
export async function announceHub(url: string, token: string): Promise<() => Promise<void>> {
  const path = addressFile();
  makeFolder(dirname(path));
  await writeFile(path, JSON.stringify({ url, token, pid: process.pid }), { mode: 0o600 });
  return async () => {
    const current = await readAddress();
    if (current?.pid === process.pid) await rm(path, { force: true });
  };
}

async function readAddress() {
  try {
    return addressSchema.parse(JSON.parse(await readFile(addressFile(), 'utf8')));
  } catch {
    // Missing or half-written: there is no hub to be found here.
    return undefined;
  }
}

/** A client for the hub that the flags, the environment or this machine name. Throws `CommandError`. */
export async function connectHub(flags: HubFlags): Promise<HubClient> {
  const here = await readAddress();
  const url = flags.hub ?? process.env.SIDECAR_HUB_API ?? here?.url ?? (await defaultUrl());
  const named = flags.tokenFile ? await readTokenFile(flags.tokenFile) : process.env.SIDECAR_HUB_API_TOKEN;
  const token = named ?? (here?.url === url ? here.token : undefined);
  if (!URL.canParse(url) || !/^https?:/u.test(url)) {
    throw new CommandError(
      EXIT.usage,
      'hub_url_invalid',
      `--hub wants an http:// or https:// address, not ${url}.`,
    );
  }
  return createHubClient({ url, token });
}

/** Where the configuration puts the hub. A hub that listens everywhere is asked on this machine. */
async function defaultUrl(): Promise<string> {
  const { host, port } = (await loadSettings({})).config.embeddedHub;
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${hostAndPort(here, port)}`;
}
