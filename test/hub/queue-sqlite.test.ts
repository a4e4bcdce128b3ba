/** The queue's contract on SQLite, the default. */
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { tempFolders } from '../support/temp-folder.ts';
import { describeQueue } from './queue-contract.ts';
import { describeQueueEdges } from './queue-edges.ts';

describe('the queue on SQLite', () => {
  const folder = tempFolders();
  const newDatabase = () => Promise.resolve(join(folder(), 'hub.db'));
  describeQueue(newDatabase);
  describeQueueEdges(newDatabase);
});
