/**
 * Builds a seccomp filter for bubblewrap. It forbids system calls that namespaces do not confine: the keyrings of the kernel, which contain
 * the worker's login keys; sockets between virtual machines (AF_VSOCK), which no network namespace confines; and io_uring, which can create
 * sockets that no filter sees.
 */
import { openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

interface Calls {
  /** AUDIT_ARCH of linux/audit.h. */
  architecture: number;
  keys: readonly number[];
  socket: number;
  /** The one call for all socket operations of 32-bit programs. */
  socketcall?: number;
  /** First number of system calls that belong to another ABI. */
  end?: number;
}

const CALLS: Partial<Record<NodeJS.Architecture, readonly Calls[]>> = {
  x64: [
    { architecture: 0xc000003e, keys: [248, 249, 250], socket: 41, end: 0x40000000 },
    { architecture: 0x40000003, keys: [286, 287, 288], socket: 359, socketcall: 102 },
  ],
  arm64: [
    { architecture: 0xc00000b7, keys: [217, 218, 219], socket: 198 },
    { architecture: 0x40000028, keys: [309, 310, 311], socket: 281, socketcall: 102 },
  ],
};
const IO_URING_SETUP = 425;
const AF_VSOCK = 40;
const SYS_SOCKET = 1;

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];
const load = (at: number): Instruction => [0x20, 0, 0, at];
const skipUnlessEqual = (value: number, count: number): Instruction => [0x15, 0, count, value];
const skipUnlessFrom = (value: number, count: number): Instruction => [0x35, 0, count, value];
const allow: Instruction = [0x06, 0, 0, 0x7fff0000];
const refuse = (errno: number): Instruction => [0x06, 0, 0, 0x00050000 + errno];

function block({ keys, socket, socketcall, end }: Calls): Instruction[] {
  const refused = (call: number, errno: number): Instruction[] => [skipUnlessEqual(call, 1), refuse(errno)];
  const refuseCall = (call: number, argument: number): Instruction[] => [
    skipUnlessEqual(call, 4),
    load(FIRST_ARGUMENT),
    skipUnlessEqual(argument, 1),
    refuse(EAFNOSUPPORT),
    allow,
  ];
  return [
    load(NUMBER),
    ...(end === undefined ? [] : [skipUnlessFrom(end, 1), refuse(ENOSYS)]),
    ...keys.flatMap((call) => refused(call, EPERM)),
    ...refused(IO_URING_SETUP, ENOSYS),
    ...refuseCall(socket, AF_VSOCK),
    ...(socketcall === undefined ? [] : refuseCall(socketcall, SYS_SOCKET)),
    allow,
  ];
}

/** Returns the filter in bubblewrap's format; undefined for an architecture whose calls are not listed here. */
export function syscallFilter(machine: NodeJS.Architecture = process.arch): Buffer | undefined {
  const blocks = CALLS[machine]?.map((calls) => [calls.architecture, block(calls)] as const);
  if (!blocks) return undefined;
  const program = [
    load(ARCHITECTURE),
    ...blocks.flatMap(([architecture, body]) => [skipUnlessEqual(architecture, body.length), ...body]),
    refuse(ENOSYS),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  }
  return bytes;
}

let filterFd: number | undefined;

/** Returns the path of a file with the filter, for processes of this user. Throws if the temporary folder cannot be written. */
export function filterFile(filter: Buffer): `/${string}` {
  filterFd ??= openFilter(filter);
  return `/proc/${process.pid}/fd/${filterFd}`;
}

/** Opens an unlinked file with the filter, for the life of this process. */
function openFilter(filter: Buffer): number {
  const folder = makeTemporaryFolder('ollama-sidecar-filter-');
  try {
    const fd = openSync(join(folder, 'filter'), 'wx+', 0o400);
    writeSync(fd, filter);
    return fd;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
