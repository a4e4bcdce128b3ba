// @ts-check
/**
 * The launcher: starts processes for the process that started it, and hands their output on. It stays small, so that the
 * system has little to copy when one is started. See launcher.ts.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * @typedef {import('./launcher.ts').ProcessStart} ProcessStart
 * @typedef {import('./launcher.ts').LauncherRequest} LauncherRequest
 * @typedef {import('./launcher.ts').LauncherReport} LauncherReport
 */

/** Turns of the event loop in which what the kernel holds of a pipe is read. */
const MAX_TURNS = 64;

/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map();

/**
 * @param {LauncherReport} report
 * @param {() => void} [sent] when it is on its way
 */
const send = (report, sent) => process.send?.(report, undefined, undefined, () => sent?.());

/**
 * @param {number} id
 * @param {ProcessStart} start
 */
function begin(id, { file, args, cwd, env, descriptors, input }) {
  const files = descriptors.map((entry) => (entry.startsWith('/') ? openSync(entry, 'r') : undefined));
  try {
    const stdio = descriptors.map((entry, at) => files[at] ?? /** @type {'pipe' | 'ignore'} */ (entry));
    const child = spawn(file, args, { cwd, env, stdio, detached: true });
    child.once('error', (error) => fail(id, error));
    if (child.pid === undefined) return;
    running.set(id, child);
    send({ id, pid: child.pid });
    child.stdio.forEach((stream, fd) => {
      // A process may end before it has read all: its end says so.
      stream?.on('error', () => undefined);
      if (stream && 'read' in stream && fd > 0) handOn(id, fd, stream);
    });
    if (input !== undefined) child.stdin?.end(input);
    child.once('exit', (exitCode, signal) => void whenRead(child).then(() => send({ id, exitCode, signal })));
  } finally {
    for (const fd of files) if (fd !== undefined) closeSync(fd);
  }
}

/**
 * What a process wrote before its end is handed on before that. Another process may hold the pipes open.
 * @param {import('node:child_process').ChildProcess} child
 */
async function whenRead(child) {
  const isOpen = () =>
    child.stdio.slice(1).some((stream) => stream && 'read' in stream && !stream.readableEnded);
  for (let turn = 0; turn < MAX_TURNS && isOpen(); turn += 1) await nextTurn();
}

/**
 * One piece after the other: who reads slowly slows the process down.
 * @param {number} id
 * @param {number} fd
 * @param {import('node:stream').Readable} stream
 */
function handOn(id, fd, stream) {
  stream.on('data', (data) => {
    stream.pause();
    send({ id, fd, data }, () => {
      if (!held.has(stream)) stream.resume();
    });
  });
  stream.once('end', () => send({ id, fd, data: undefined }));
}

/**
 * Streams whose reader has enough for now.
 * @type {WeakSet<object>}
 */
const held = new WeakSet();

/**
 * @param {number} id
 * @param {unknown} error
 */
function fail(id, error) {
  send({ id, error: error instanceof Error ? error.message : String(error) });
}

process.on('message', (/** @type {LauncherRequest} */ order) => {
  const { id } = order;
  const child = running.get(id);
  if ('start' in order) {
    try {
      begin(id, order.start);
    } catch (error) {
      fail(id, error);
    }
  } else if ('write' in order) child?.stdin?.write(order.write);
  else if ('hold' in order) {
    const stream = child?.stdio[order.hold];
    if (stream) held.add(stream);
  } else if ('resume' in order) {
    const stream = child?.stdio[order.resume];
    if (stream) held.delete(stream);
    if (stream && 'read' in stream) stream.resume();
  } else if (order.done === 'input') child?.stdin?.end();
  else {
    running.delete(id);
    for (const stream of child?.stdio ?? []) stream?.destroy();
  }
});
// What ends the other process in order must not end this one before it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit());
process.title = 'ollama-sidecar-launcher';
