#!/usr/bin/env node
import { run } from './cli.js';

try {
  console.log(run(process.argv.slice(2)));
} catch (error) {
  console.error(`seeds: ${error.message}`);
  process.exitCode = 1;
}
