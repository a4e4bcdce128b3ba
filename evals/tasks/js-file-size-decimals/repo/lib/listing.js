'use strict';

const { formatShare, formatSize } = require('./format.js');

/** One line a file, the largest first, and the sum. Each file is { name, bytes }. */
function listing(files) {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const sorted = [...files].sort((a, b) => b.bytes - a.bytes);
  const lines = sorted.map((file) => `${file.name}: ${formatSize(file.bytes)} (${formatShare(file.bytes, total)})`);
  return [...lines, `total: ${formatSize(total)}`].join('\n');
}

module.exports = { listing };
