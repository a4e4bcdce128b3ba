/** Finds the tool chains of this machine that commands in the sandbox can read. */
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOnPath } from '../workspace/commands/find-executable.ts';
import { listToolFolders, type ToolFolders } from '../workspace/commands/tool-folders.ts';
import { findToolchains } from '../workspace/commands/toolchains.ts';
import type { Config } from '../base/config/schema.ts';
import { LocalExecutionEnvironment } from '../workspace/local-environment.ts';
import { findHomeFolder } from '../base/system/home-folder.ts';
import { removeFolder } from '../base/system/remove-folder.ts';

/** The tool chains of this machine. `isReadable`: whether commands in the sandbox can read it. */
export interface ProbedToolchains {
  programs: { name: string; isReadable: boolean }[];
  places: (ToolFolders & { isReadable: boolean })[];
}

const PROBED_PROGRAMS =
  'node npm pnpm bun deno python3 uv conda go cargo java mvn gradle ruby php dotnet'.split(' ');
const TIMEOUT_MS = 10_000;
const FIND_SCRIPT =
  'for it in "$@"; do command -v "$it" >/dev/null || test -r "$it" && echo "$it"; done; true';

/**
 * Runs one command in a folder that has the files of each kind of project, to find the tool chains. Returns undefined
 * without a sandbox; rejects if the sandbox cannot be opened.
 */
export async function probeToolchains(config: Config): Promise<ProbedToolchains | undefined> {
  const { mode, read } = config.sandbox;
  const home = findHomeFolder();
  const programs = PROBED_PROGRAMS.filter((name) => isOnPath(name));
  const places = listToolFolders(home, process.env)
    .map(({ caches = [], ...place }) => ({
      ...place,
      paths: [...place.paths, ...caches.map(({ source }) => source)].filter((path) => existsSync(path)),
    }))
    .filter(({ paths }) => paths.length > 0);
  const root = await mkdtemp(join(tmpdir(), 'sidecar-doctor-'));
  let environment: LocalExecutionEnvironment | undefined;
  try {
    for (const { files = [] } of places) for (const file of files) await writeFile(join(root, file), '');
    const folders = {
      root,
      sharedFolders: [],
      hiddenPaths: [],
      readablePaths: read,
      home,
      variables: process.env,
    };
    const { readablePaths: found, caches, emptyFolders } = await findToolchains(folders);
    const sandboxPaths = {
      readOnlyPaths: [...read, ...found],
      privateCaches: caches,
      emptyFolders,
    };
    environment = new LocalExecutionEnvironment({ workspace: root, sandbox: mode, ...sandboxPaths });
    if (!(await environment.readSandboxStatus()).sandboxed) return undefined;
    const paths = [...places.flatMap(({ paths }) => paths), ...caches.map(({ path }) => path)];
    const { output } = await environment.execProgram(['sh', '-c', FIND_SCRIPT, 'sh', ...programs, ...paths], {
      timeoutMs: TIMEOUT_MS,
    });
    const readablePaths = new Set(output.split('\n'));
    for (const { source, path } of caches) if (readablePaths.has(path)) readablePaths.add(source);
    return {
      programs: programs.map((name) => ({ name, isReadable: readablePaths.has(name) })),
      places: places.map((place) => ({
        ...place,
        isReadable: place.paths.every((path) => readablePaths.has(path)),
      })),
    };
  } finally {
    await environment?.cleanup();
    await removeFolder(root);
  }
}
