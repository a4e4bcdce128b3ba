/**
 * Builds a seccomp filter for bubblewrap. It forbids system calls that namespaces do not confine: access to the kernel's keyrings, which
 * contain the worker's login keys; sockets between virtual machines (AF_VSOCK), which no network namespace confines; and io_uring, which
 * can create sockets without a system call that a filter sees.
 */
import { openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../base/system/temporary-folder.ts';

interface SyscallNumbers {
  /** `AUDIT_ARCH_…` value of the architecture in linux/audit.h. */
  architecture: number;
  keyringCalls: readonly number[];
  socketCall: number;
  /** Number of the call `socketcall`, through which 32-bit programs use all socket operations. */
  combinedSocketCall?: number;
  /** First number of the system calls that belong to another ABI of the same architecture. */
  otherAbiStart?: number;
}

const SYSCALLS_BY_ARCHITECTURE: Partial<Record<NodeJS.Architecture, readonly SyscallNumbers[]>> = {
  x64: [
    { architecture: 0xc000003e, keyringCalls: [248, 249, 250], socketCall: 41, otherAbiStart: 0x40000000 },
    { architecture: 0x40000003, keyringCalls: [286, 287, 288], socketCall: 359, combinedSocketCall: 102 },
  ],
  arm64: [
    { architecture: 0xc00000b7, keyringCalls: [217, 218, 219], socketCall: 198 },
    { architecture: 0x40000028, keyringCalls: [309, 310, 311], socketCall: 281, combinedSocketCall: 102 },
  ],
};
const IO_URING_SETUP = 425;
const AF_VSOCK = 40;
const SYS_SOCKET = 1;

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];
const loadWord = (offset: number): Instruction => [0x20, 0, 0, offset];
const skipUnlessEqual = (value: number, count: number): Instruction => [0x15, 0, count, value];
const skipUnlessFrom = (value: number, count: number): Instruction => [0x35, 0, count, value];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff0000];
const refuseWith = (errno: number): Instruction => [0x06, 0, 0, 0x00050000 + errno];

function buildArchitectureBlock({
  keyringCalls,
  socketCall,
  combinedSocketCall,
  otherAbiStart,
}: SyscallNumbers): Instruction[] {
  const refuseIfEqual = (call: number, errno: number): Instruction[] => [
    skipUnlessEqual(call, 1),
    refuseWith(errno),
  ];
  const refuseCall = (call: number, argument: number): Instruction[] => [
    skipUnlessEqual(call, 4),
    loadWord(FIRST_ARGUMENT),
    skipUnlessEqual(argument, 1),
    refuseWith(EAFNOSUPPORT),
    ALLOW,
  ];
  return [
    loadWord(NUMBER),
    ...(otherAbiStart === undefined ? [] : [skipUnlessFrom(otherAbiStart, 1), refuseWith(ENOSYS)]),
    ...keyringCalls.flatMap((call) => refuseIfEqual(call, EPERM)),
    ...refuseIfEqual(IO_URING_SETUP, ENOSYS),
    ...refuseCall(socketCall, AF_VSOCK),
    ...(combinedSocketCall === undefined ? [] : refuseCall(combinedSocketCall, SYS_SOCKET)),
    ALLOW,
  ];
}

/** Returns the filter in bubblewrap's format; undefined for an architecture whose system calls this file does not list. */
export function buildSyscallFilter(architecture: NodeJS.Architecture = process.arch): Buffer | undefined {
  const blocks = SYSCALLS_BY_ARCHITECTURE[architecture]?.map(
    (calls) => [calls.architecture, buildArchitectureBlock(calls)] as const,
  );
  if (!blocks) return undefined;
  const program = [
    loadWord(ARCHITECTURE),
    ...blocks.flatMap(([architecture, body]) => [skipUnlessEqual(architecture, body.length), ...body]),
    refuseWith(ENOSYS),
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

/**
 * Returns a path through which processes of this user can open a file with the filter. Throws if the temporary folder cannot be written.
 */
export function getFilterPath(filter: Buffer): `/${string}` {
  filterFd ??= openFilterFile(filter);
  return `/proc/${process.pid}/fd/${filterFd}`;
}

/** Opens an unlinked file with the filter. The file exists until this process ends. */
function openFilterFile(filter: Buffer): number {
  const folder = makeTemporaryFolder('ollama-sidecar-filter-');
  try {
    const fd = openSync(join(folder, 'filter'), 'wx+', 0o400);
    writeSync(fd, filter);
    return fd;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
