import { formatTable } from './table.js';

/** A table of machines, by name. */
export function machineReport(machines) {
  const rows = [...machines].sort((a, b) => a.name.localeCompare(b.name));
  return formatTable(rows, ['name', 'load', 'up']);
}
