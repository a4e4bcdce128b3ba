#!/usr/bin/env node
/**
 * The entry of the program. It checks Node's version before anything else is loaded, so every Node version since 10
 * must be able to parse this file: no import statement, no `await`, no newer syntax. The build copies the file to
 * dist/cli.js.
 */
const MIN_MAJOR = 20;
const MIN_MINOR = 19;
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) {
  void import('./main.js');
} else {
  const message = `ollama-sidecar requires Node ${MIN_MAJOR}.${MIN_MINOR} or newer; this is ${process.version}. Install a newer version from https://nodejs.org, or with a version manager such as nvm.`;
  const isJson = process.argv.indexOf('--json') !== -1;
  console.error(isJson ? JSON.stringify({ error: { code: 'node_too_old', message } }) : message);
  process.exitCode = 2;
}
