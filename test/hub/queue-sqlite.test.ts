/** The queue's contract on SQLite, the default. */
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { tempFolders } from '../support/temp-folder.ts';
import { describeQueue } from './queue-contract.ts';

describe('the queue on SQLite', () => {
  const folder = tempFolders();
  describeQueue(() => Promise.resolve(join(folder(), 'hub.db')));
});
