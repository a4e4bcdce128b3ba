// @ts-check
/**
 * The launcher: starts processes for its parent process and forwards their output. It uses little memory, so the system starts processes
 * from it quickly. See launcher.ts.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * @typedef {import('./launcher.ts').ProcessStart} ProcessStart
 * @typedef {import('./launcher.ts').LauncherRequest} LauncherRequest
 * @typedef {import('./launcher.ts').LauncherReport} LauncherReport
 */

/** Maximum number of event-loop turns for reading the rest of a pipe after its process has ended. */
const MAX_READ_TURNS = 64;

/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();

/**
 * @param {LauncherReport} report
 * @param {() => void} [onSent] called after the report was sent
 */
const send = (report, onSent) => process.send?.(report, undefined, undefined, () => onSent?.());

/**
 * @param {number} id
 * @param {ProcessStart} start
 */
function startProcess(id, { file, args, cwd, env, descriptors, input }) {
  const files = descriptors.map((entry) => (entry.startsWith('/') ? openSync(entry, 'r') : undefined));
  try {
    const stdio = descriptors.map((entry, index) => files[index] ?? /** @type {'pipe' | 'ignore'} */ (entry));
    const child = spawn(file, args, { cwd, env, stdio, detached: true });
    child.once('error', (error) => reportError(id, error));
    if (child.pid === undefined) return;
    running.set(id, child);
    send({ id, pid: child.pid });
    child.stdio.forEach((stream, fd) => {
      // A process may end before it has read all input; its exit report is sufficient.
      stream?.on('error', () => undefined);
      if (stream && 'read' in stream && fd > 0) forwardOutput(id, fd, stream);
    });
    if (input !== undefined) child.stdin?.end(input);
    child.once(
      'exit',
      (exitCode, signal) => void waitUntilRead(child).then(() => send({ id, exitCode, signal })),
    );
  } finally {
    for (const fd of files) if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Waits until the output that a process wrote before its end was read. Does not wait for a pipe that another process holds open.
 * @param {import('node:child_process').ChildProcess} child
 */
async function waitUntilRead(child) {
  const isOpen = () =>
    child.stdio.slice(1).some((stream) => stream && 'read' in stream && !stream.readableEnded);
  for (let turn = 0; turn < MAX_READ_TURNS && isOpen(); turn += 1) await nextTurn();
}

/**
 * Forwards one chunk of output at a time, so that a slow reader slows the process down.
 * @param {number} id
 * @param {number} fd
 * @param {import('node:stream').Readable} stream
 */
function forwardOutput(id, fd, stream) {
  stream.on('data', (data) => {
    stream.pause();
    send({ id, fd, data }, () => {
      if (!pausedStreams.has(stream)) stream.resume();
    });
  });
  stream.once('end', () => send({ id, fd, data: undefined }));
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
  const child = running.get(id);
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
  else {
    running.delete(id);
    for (const stream of child?.stdio ?? []) stream?.destroy();
  }
});
// Signals that stop the parent process must not end the launcher before it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.title = 'ollama-sidecar-launcher';
