#!/usr/bin/env node
import { parseArgs } from 'node:util';

// Read by test/readme.mjs: each option has to be in the README.
export const OPTIONS = {
  format: { type: 'string', default: 'jpg' },
  out: { type: 'string', default: 'thumbs' },
  // Prints nothing but errors.
  quiet: { type: 'boolean', default: false },
  width: { type: 'string', default: '160' },
};

export function readArguments(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  return { ...values, width: Number(values.width), files: positionals };
}
