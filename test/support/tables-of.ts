/** Describes the tables, columns, indexes and triggers of a SQLite file, for comparison. */
import type Sqlite from 'better-sqlite3';

export function tablesOf(sql: Sqlite.Database): unknown {
  const objects = `SELECT type, name, tbl_name, CASE type WHEN 'table' THEN NULL ELSE replace(sql, 'IF NOT EXISTS ', '') END AS sql
    FROM sqlite_schema WHERE name NOT LIKE 'kysely%' AND name NOT LIKE 'sqlite%' ORDER BY name`;
  const columns = `SELECT m.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk, f."table" AS parent, f.on_delete
    FROM sqlite_schema m JOIN pragma_table_info(m.name) c LEFT JOIN pragma_foreign_key_list(m.name) f ON f."from" = c.name
    WHERE m.type = 'table' AND m.name NOT LIKE 'kysely%' ORDER BY 1, 2`;
  const squeeze = (row: unknown) => JSON.stringify(row).replaceAll(/(?:\\n|\s)+/gu, ' ');
  return [...sql.prepare(objects).all(), ...sql.prepare(columns).all()].map(squeeze);
}
