#!/usr/bin/env node
'use strict';

const { readFileSync } = require('node:fs');
const { parseLog } = require('./src/log.js');
const { report } = require('./src/report.js');

try {
  console.log(report(parseLog(readFileSync(process.argv[2], 'utf8'))));
} catch (error) {
  console.error(`parking: ${error.message}`);
  process.exitCode = 1;
}
