'use strict';

/** The options from the command line. */
function parseArgs(argv) {
  const options = { ascii: false };
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i];
    if (arg === '--ascii') {
      options.ascii = true;
    } else if (arg === '--depth') {
      i += 1;
      options.depth = Number(argv[i]);
      if (Number.isNaN(options.depth)) throw new Error('--depth needs a whole number of at least 1');
    } else if (arg.startsWith('-')) {
      throw new Error(`unknown option: ${arg}`);
    } else {
      options.file = arg;
    }
  }
  if (!options.file) throw new Error('no file given');
  return options;
}

module.exports = { parseArgs };
