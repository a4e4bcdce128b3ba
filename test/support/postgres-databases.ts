/** PostgreSQL for the tests of a describe block; apart from the server itself, which is also started outside of Jest. */
import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type PrivatePostgres } from './postgresql.ts';

/** Call at the top of a describe block; the returned function makes an empty database and answers with its address. */
export function postgresDatabases(): () => Promise<string> {
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  return () => postgres.createDatabase();
}
