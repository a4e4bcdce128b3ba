/** Returns whether a database setting is the address of a PostgreSQL server, not a file. */
export const isPostgresAddress = (database: string): boolean => /^postgres(ql)?:\/\//u.test(database);
