'use strict';

const UNITS = ['B', 'KB', 'MB', 'GB'];

/** A number of bytes as people read it. */
function formatSize(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** The share of a part in percent, e.g. "12%". */
function formatShare(part, total) {
  if (total === 0) return '0%';
  return `${Math.round((part / total) * 100)}%`;
}

module.exports = { formatSize, formatShare };
