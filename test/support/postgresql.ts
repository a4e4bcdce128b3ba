/** A private PostgreSQL in a temporary folder, on a UNIX socket only; it does not run as root. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PrivatePostgres {
  /** Address of a new, empty database: a schema of its own, which costs a tenth of what PostgreSQL calls a database. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PrivatePostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'sidecar-pg-'));
  const account = unprivilegedAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  execFileSync(
    binary('initdb'),
    ['-D', data, '-A', 'trust', '-U', 'hub', '--no-sync', '-E', 'UTF8', '--locale=C'],
    {
      stdio: 'ignore',
      cwd: folder,
      ...account,
    },
  );
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'autovacuum=off',
    'max_connections=100',
  ];
  const server = spawn(binary('postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    ...account,
  });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`postgres ended: ${said}`)));
  });
  const address = `postgres://hub@localhost/postgres?host=${encodeURIComponent(folder)}`;
  let made = 0;
  return {
    async createDatabase() {
      const { default: pg } = await import('pg');
      const name = `hub_${(made += 1)}`;
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      await client.query(`CREATE SCHEMA ${name}`);
      await client.end();
      return `${address}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function binary(name: string): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(root, version, 'bin', name)).find((file) => existsSync(file));
  return found ?? name;
}

/** PostgreSQL refuses to run as root. */
function unprivilegedAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // The next account then.
    }
  }
  return undefined;
}
