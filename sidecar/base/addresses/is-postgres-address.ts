/** Whether a database is the address of a PostgreSQL server; otherwise it is a file. */
export const isPostgresAddress = (database: string): boolean => /^postgres(ql)?:\/\//u.test(database);
