/**
 * Hub and worker in one process, on loopback, with tokens made up on the fly (operations.md, CLI: `up`, `run`, `demo`).
 * The task still takes the whole way: HTTP, socket, journal, outbox.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CleanupStack } from '../cleanup-stack.ts';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../ports.ts';
import { createSecretMasker } from '../observability/secrets.ts';
import { workerFolders } from '../worker/folders.ts';
import type { Worker } from '../worker/worker.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { createHubClient, type HubClient } from './hub-client.ts';

export interface LocalSessionOptions {
  config: Config;
  logger: Logger;
  /** `temporary`: own state folder, removed at the end; `kept`: the user's, one worker at a time. */
  state: 'temporary' | 'kept';
  agentId: string;
  /** Port of the hub; default: any free one. */
  port?: number;
}

export interface LocalSession {
  hubUrl: string;
  adminToken: string;
  client: HubClient;
  worker: Worker;
  /** Ends worker and hub; safe to call twice. */
  close(): Promise<void>;
}

/** Starts both and waits until the worker is ready. Throws `CommandError`. */
export async function startLocalSession(options: LocalSessionOptions): Promise<LocalSession> {
  // The hub's modules are only read by commands that need them.
  const [{ startHub }, { startWorker }] = await Promise.all([
    import('../hub/hub.ts'),
    import('../worker/start-worker.ts'),
  ]);
  const { config, logger, agentId } = options;
  const folders = workerFolders(config.worker);
  const temporary = join(folders.stateDir, 'runs', `${process.pid}-${randomBytes(4).toString('hex')}`);
  const stateDir = options.state === 'temporary' ? temporary : folders.stateDir;
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const opened = new CleanupStack();
  if (options.state === 'temporary') opened.add(() => rm(temporary, { recursive: true, force: true }));
  try {
    const hub = await startHub({
      port: options.port,
      database:
        options.state === 'kept' ? (config.embeddedHub.database ?? join(stateDir, 'hub.sqlite')) : ':memory:',
      framesPerMinute: config.embeddedHub.framesPerMinute,
      maxAttempts: options.state === 'kept' ? config.embeddedHub.maxAttempts : 1,
      logger,
    });
    opened.add(() => hub.close());
    const token = await hub.issueToken('worker', agentId);
    const started = await startWorker({
      config: {
        ...config,
        worker: { ...config.worker, stateDir },
        hub: { ...config.hub, url: hub.wsUrl, agentId, token },
      },
      logger,
      masker: createSecretMasker([token, hub.tokens.admin]),
    });
    if (!started.ok)
      throw new CommandError(exitCodeOf(started.failure.code), started.failure.code, started.failure.message);
    opened.add(() => started.value.stop());
    await started.value.whenReady();
    const client = createHubClient({ url: hub.url, token: hub.tokens.admin });
    return {
      hubUrl: hub.url,
      adminToken: hub.tokens.admin,
      client,
      worker: started.value,
      close: opened.close,
    };
  } catch (error) {
    await opened.close();
    throw asCommandError(error);
  }
}

/** The exit code that stands for a failure's code. */
export function exitCodeOf(code: string): ExitCode {
  if (code.startsWith('storage_')) return EXIT.state;
  if (code === 'token_refused' || code === 'invalid_token') return EXIT.tokenRefused;
  if (code.startsWith('hub_')) return EXIT.hubUnreachable;
  if (code.startsWith('config_')) return EXIT.usage;
  return EXIT.preflight;
}

/** A failure of the start with a stable code as a `CommandError`; anything else as it is. */
export function asCommandError(error: unknown): unknown {
  if (error instanceof CommandError || !(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (code === 'EADDRINUSE') {
    return new CommandError(
      EXIT.usage,
      'hub_port_taken',
      `${error.message}. Choose another port with --port.`,
    );
  }
  return code.startsWith('storage_') ? new CommandError(EXIT.state, code, error.message) : error;
}
