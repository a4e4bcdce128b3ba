#!/usr/bin/env node
'use strict';

const { evaluate } = require('./src/evaluate.js');

try {
  console.log(evaluate(process.argv.slice(2).join(' ')));
} catch (error) {
  console.error(`calc: ${error.message}`);
  process.exitCode = 1;
}
