#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { parseArgs } = require('../src/args.js');
const { renderTree } = require('../src/tree.js');

try {
  const options = parseArgs(process.argv.slice(2));
  const root = JSON.parse(readFileSync(options.file, 'utf8'));
  console.log(renderTree(root, options));
} catch (error) {
  console.error(`outline: ${error.message}`);
  process.exitCode = 1;
}
