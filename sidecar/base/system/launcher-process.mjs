// @ts-check
/**
 * The launcher: starts processes for its parent process and forwards their output. It uses little memory, so the system starts processes
 * from it quickly. See launcher.ts.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * @typedef {import('./launcher.ts').ProcessSpec} ProcessSpec
 * @typedef {import('./launcher.ts').LauncherRequest} LauncherRequest
 * @typedef {import('./launcher.ts').LauncherReport} LauncherReport
 */

/** Maximum number of event-loop turns for reading the rest of a pipe after its process has ended. */
const MAX_READ_TURNS = 64;

/**
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcess} child
 * @property {Set<number>} open descriptors that have not ended
 * @property {boolean} hasExited
 */
/** @type {Map<number, Running>} */
const running = new Map();

/**
 * @param {LauncherReport} report
 * @param {() => void} [onSent] called after the report was sent
 */
const send = (report, onSent) => process.send?.(report, undefined, undefined, () => onSent?.());

/**
 * @param {number} id
 * @param {ProcessSpec} start
 */
function startProcess(id, { file, args, cwd, env, descriptors, input }) {
  const files = descriptors.map((entry) => (entry.startsWith('/') ? openSync(entry, 'r') : undefined));
  try {
    const stdio = descriptors.map((entry, index) => files[index] ?? /** @type {'pipe' | 'ignore'} */ (entry));
    const child = spawn(file, args, { cwd, env, stdio, detached: true });
    child.once('error', (error) => reportError(id, error));
    if (child.pid === undefined) return;
    /** @type {Running} */
    const entry = { child, open: new Set(), hasExited: false };
    running.set(id, entry);
    send({ id, pid: child.pid });
    child.stdio.forEach((stream, fd) => {
      // A process may end before it has read all input; its exit report is sufficient.
      stream?.on('error', () => undefined);
      if (stream && 'read' in stream && fd > 0) forwardOutput(id, fd, stream, entry);
    });
    if (input !== undefined) child.stdin?.end(input);
    child.once(
      'exit',
      (exitCode, signal) => void waitUntilRead(entry).then(() => reportExit(id, entry, { exitCode, signal })),
    );
  } finally {
    for (const fd of files) if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Waits until the output that a process wrote before its end was read. Does not wait for a pipe that another process holds open.
 * @param {Running} entry
 */
async function waitUntilRead({ open }) {
  for (let turn = 0; turn < MAX_READ_TURNS && open.size > 0; turn += 1) await nextTurn();
}

/**
 * Reports the exit with the descriptors that are still open; the others have ended.
 * @param {number} id
 * @param {Running} entry
 * @param {Pick<import('./launcher.ts').ProcessExit, 'exitCode' | 'signal'>} exit
 */
function reportExit(id, entry, exit) {
  entry.hasExited = true;
  if (entry.open.size === 0) forget(id);
  send({ id, ...exit, open: [...entry.open] });
}

/**
 * Closes the pipes of a process and forgets it.
 * @param {number} id
 */
function forget(id) {
  for (const stream of running.get(id)?.child.stdio ?? []) stream?.destroy();
  running.delete(id);
}

/**
 * Forwards one chunk of output at a time, so that a slow reader slows the process down.
 * @param {number} id
 * @param {number} fd
 * @param {import('node:stream').Readable} stream
 * @param {Running} entry
 */
function forwardOutput(id, fd, stream, entry) {
  entry.open.add(fd);
  stream.on('data', (data) => {
    stream.pause();
    send({ id, fd, data }, () => {
      if (!pausedStreams.has(stream)) stream.resume();
    });
  });
  stream.once('end', () => {
    entry.open.delete(fd);
    if (entry.hasExited) send({ id, fd, data: undefined });
  });
}

/**
 * Streams that the parent process has paused.
 * @type {WeakSet<object>}
 */
const pausedStreams = new WeakSet();

/**
 * @param {number} id
 * @param {unknown} error
 */
function reportError(id, error) {
  send({ id, error: error instanceof Error ? error.message : String(error) });
}

process.on('message', (/** @type {LauncherRequest} */ request) => {
  const { id } = request;
  const child = running.get(id)?.child;
  if ('start' in request) {
    try {
      startProcess(id, request.start);
    } catch (error) {
      reportError(id, error);
    }
  } else if ('write' in request) child?.stdin?.write(request.write);
  else if ('hold' in request) {
    const stream = child?.stdio[request.hold];
    if (stream) pausedStreams.add(stream);
  } else if ('resume' in request) {
    const stream = child?.stdio[request.resume];
    if (stream) pausedStreams.delete(stream);
    if (stream && 'read' in stream) stream.resume();
  } else if (request.done === 'input') child?.stdin?.end();
  else forget(id);
});
// Signals that stop the parent process must not end the launcher before it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.title = 'ollama-sidecar-launcher';
