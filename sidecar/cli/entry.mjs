#!/usr/bin/env node
/**
 * The entry of the program. It checks Node's version before anything is loaded, so every version since 10 has to be able to
 * parse it: no import statement, no `await`, no syntax that is newer. The build copies it to dist/cli.js.
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
