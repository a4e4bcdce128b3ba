/** A temporary folder with just enough of an environment for tools: real files, real commands, no confinement. */
import { exec } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toEnvironmentError } from '../../sidecar/workspace/files/environment-error.ts';
import type { ExecResult, ExecutionEnvironment } from '../../sidecar/base/ports.ts';

export interface FolderEnvironment extends ExecutionEnvironment {
  remove(): Promise<void>;
}

export async function folderEnvironment(
  files: Record<string, string> = {},
  overrides: Partial<ExecutionEnvironment> = {},
): Promise<FolderEnvironment> {
  const root = await mkdtemp(join(tmpdir(), 'sidecar-tools-'));
  const at = (path: string): string => join(root, path);
  const exists = (path: string): Promise<boolean> =>
    stat(at(path)).then(
      () => true,
      () => false,
    );
  const env: ExecutionEnvironment = {
    workingDirectory: root,
    platform: process.platform,
    initialize: async () => undefined,
    cleanup: async () => undefined,
    readFile: async (path, range) => {
      const text = await readFile(at(path), 'utf8').catch((error: unknown) => {
        throw toEnvironmentError(error, path);
      });
      const lines = text.split(/(?<=\n)/);
      const offset = range?.offset ?? 1;
      const part = lines.slice(offset - 1, offset - 1 + (range?.limit ?? Infinity));
      return {
        text: part.join(''),
        firstLine: offset,
        lineCount: part.length,
        totalLines: lines.length,
        sizeBytes: Buffer.byteLength(text),
      };
    },
    writeFile: async (path, content) => {
      const created = !(await exists(path));
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
      return { created, sizeBytes: Buffer.byteLength(content) };
    },
    deleteFile: (path) => rm(at(path)),
    fileExists: exists,
    stat: async (path) => {
      const found = await stat(at(path));
      return {
        type: found.isDirectory() ? 'directory' : 'file',
        sizeBytes: found.size,
        modifiedMs: found.mtimeMs,
        mode: found.mode,
      };
    },
    listDirectory: async () => ({ entries: [], omittedCount: 0 }),
    execCommand: (command, options) =>
      new Promise<ExecResult>((resolve) => {
        const started = performance.now();
        exec(
          command,
          { cwd: root, timeout: options?.timeoutMs, signal: options?.signal },
          (error, stdout, stderr) => {
            resolve({
              stdout,
              stderr,
              output: stdout + stderr,
              exitCode: error ? (typeof error.code === 'number' ? error.code : null) : 0,
              signal: error?.signal ?? null,
              timedOut: error?.killed ?? false,
              aborted: options?.signal?.aborted ?? false,
              durationMs: performance.now() - started,
              droppedBytes: 0,
              sandboxed: false,
            });
          },
        );
      }),
    grep: async () => ({ matches: [], truncated: false }),
    glob: async () => [],
    openTree: () => folderEnvironment(),
    ...overrides,
  };
  for (const [path, content] of Object.entries(files)) await env.writeFile(path, content);
  return { ...env, remove: () => rm(root, { recursive: true, force: true }) };
}
