/** Findings of `doctor` about the data that is kept: how much there is of what the settings under `retention` bound. */
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { isPostgresAddress } from '../addresses/is-postgres-address.ts';
import { sessionsSize } from '../session/session-store.ts';
import { tableSizes } from '../storage/table-sizes.ts';
import { workerFolders } from '../worker/folders.ts';
import { ok, warning, type Finding } from './finding.ts';
import { stateFolders } from './state-folders.ts';
import { errorMessage } from '../values/errors.ts';

interface Stored {
  what: string;
  files: readonly string[];
  /** Table and what its rows are called. */
  tables: Record<string, string>;
}

/** One finding for each kind of data; never rejects. */
export async function storageFindings(config: Config): Promise<Finding[]> {
  const { stateDir, sessionsDir } = workerFolders(config.worker);
  const folders = await stateFolders(stateDir);
  const inFolders = (name: string) => folders.map((folder) => join(folder, name));
  const { database } = config.embeddedHub;
  return [
    sizesOf({ what: 'history', files: inFolders('state.sqlite'), tables: { history: 'ended tasks' } }),
    sizesOf({
      what: 'ledger',
      files: inFolders('ledger.sqlite'),
      tables: { calls: 'calls', task_totals: 'tasks' },
    }),
    database !== undefined && isPostgresAddress(database)
      ? ok('queue', 'on PostgreSQL; PostgreSQL shows its size')
      : sizesOf({
          what: 'queue',
          files: [database ?? join(stateDir, 'hub.sqlite')],
          tables: { tasks: 'tasks', events: 'events' },
        }),
    await sessions(sessionsDir),
  ];
}

function sizesOf({ what, files, tables }: Stored): Finding {
  const names = Object.keys(tables);
  try {
    const sizes = files.flatMap((file) => tableSizes(file, names) ?? []);
    if (sizes.length === 0) return ok(what, 'nothing yet');
    const sizeBytes = sizes.reduce((sum, one) => sum + one.sizeBytes, 0);
    const rows = names.map(
      (name) => `${sizes.reduce((sum, one) => sum + (one.rows[name] ?? 0), 0)} ${tables[name]}`,
    );
    return ok(what, `${rows.join(', ')}; ${shownSize(sizeBytes)}`);
  } catch (error) {
    return warning(what, errorMessage(error), 'check the file and its permissions');
  }
}

async function sessions(sessionsDir: string): Promise<Finding> {
  try {
    const { count, sizeBytes } = await sessionsSize(sessionsDir);
    return ok('sessions', `${count}; ${shownSize(sizeBytes)}`);
  } catch (error) {
    return warning('sessions', errorMessage(error), 'check the folder and its permissions');
  }
}

const MIB = 1024 ** 2;
const shownSize = (bytes: number): string =>
  bytes < MIB ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
