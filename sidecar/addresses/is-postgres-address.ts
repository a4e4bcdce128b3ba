/** Whether a database is named by the address of a PostgreSQL server; anything else is a file. */
export const isPostgresAddress = (database: string): boolean => /^postgres(ql)?:\/\//u.test(database);
