/** Detects which paths of an output are in the workspace, and makes them relative to its root. Pure. */
import type { FilePlace, OutputPaths } from './types.ts';

export interface OutputPathsOptions {
  workspaceDir?: string | undefined;
  isFile?: ((path: string) => boolean) | undefined;
}

/** Matches paths of packages and runtimes, which are not part of the workspace even if they are in its folder. */
const FOREIGN_PATH =
  /(?:^|\/)(?:_testmain\.go$|(?:node_modules|site-packages|dist-packages|\.venv|venv|\.tox|\.cargo|rustc|vendor)\/)/;
/** Matches paths that runtimes use for their own files. They count as part of the workspace only if the file exists there. */
const RUNTIME_PATH = /^internal\//;
const NOT_A_FILE = /^(?:node:|<|native\b|[a-z][a-z0-9+.-]+:\/\/(?!\/))/;

/** Patterns of a file and a line in a stack frame, as printed by the runtimes of the languages and by some runners. */
const FRAME_PATTERNS = [
  // In JavaScript, the file's name in a frame may contain spaces. If the frame has parentheses, the name ends before the closing one.
  /^\s*(?:at|❯)\s[^(]{0,300}\(((?:file:\/\/)?[^()]{1,400}?):(\d{1,7}):\d{1,7}\)\s*$/,
  /^\s*(?:at|❯)\s+(?:async\s+)?(?:\S{1,200}\s)?((?:file:\/\/)?[^\s()]{1,400}?):(\d{1,7}):\d{1,7}\)?\s*$/,
  /^\s*(?:[\w$.<>[\] #]{1,200}\s)?\(((?:file:\/\/)?[^()]{1,400}?):(\d{1,7}):\d{1,7}\)\s*$/,
  /^\s*File "([^"]{1,400})", line (\d{1,7})/,
  /^\t(\/?[^\s:]{1,400}\.go):(\d{1,7})(?:\s|$)/,
  /^\s*at (\.?\/?[^\s:]{1,400}\.rs):(\d{1,7})(?::\d+)?\s*$/,
  /^([^\s:]{1,400}\.py):(\d{1,7}): /,
  /^\s*(?:At file|File): \/?([^\s:]{1,400}):(\d{1,7}):\d{1,7}$/,
  /^\s*# ([^\s:]{1,400}\.rb):(\d{1,7}):in /,
  /^(\/?[^\s:]{1,400}\.php):(\d{1,7})$/,
  /^\s*at .{1,400} in (\/?[^\s:]{1,400}):line (\d{1,7})$/,
];

export function createOutputPaths({ workspaceDir, isFile }: OutputPathsOptions): OutputPaths {
  const root = workspaceDir?.replace(/\/+$/, '') || undefined;
  const prefixes = root ? [`file://${root}/`, `${root}/`] : [];
  const toRelative = (path: string): string | undefined => {
    const normalPath = path.trim().replaceAll('\\', '/');
    if (normalPath === '' || NOT_A_FILE.test(normalPath)) return undefined;
    if (RUNTIME_PATH.test(normalPath) && isFile?.(normalPath) !== true) return undefined;
    const localPath = normalPath.replace(/^file:\/\//, '');
    const isInWorkspace = root !== undefined && localPath.startsWith(`${root}/`);
    const relativePath = (isInWorkspace ? localPath.slice((root ?? '').length + 1) : localPath).replace(
      /^\.\//,
      '',
    );
    if (
      relativePath.startsWith('/') ||
      relativePath.startsWith('../') ||
      relativePath === '' ||
      FOREIGN_PATH.test(relativePath)
    )
      return undefined;
    return relativePath;
  };
  const placeOf = (path: string | undefined, line: string | undefined): FilePlace | undefined => {
    const relativePath = path === undefined ? undefined : toRelative(path);
    return relativePath === undefined || line === undefined
      ? undefined
      : { path: relativePath, line: Number(line) };
  };
  return {
    toRelative,
    placeOf,
    findFirstFrame(lines) {
      for (const line of lines) {
        for (const frame of FRAME_PATTERNS) {
          const [, path, number] = frame.exec(line) ?? [];
          const framePlace = placeOf(path, number);
          if (framePlace) return framePlace;
        }
      }
      return undefined;
    },
    shortenPaths: (text) => prefixes.reduce((short, prefix) => short.replaceAll(prefix, ''), text),
    isFile: (path) => isFile?.(path),
  };
}

/** Returns whether a line is a stack frame of any runtime, or a marker around stack frames. */
export const isFrame = (line: string): boolean =>
  /^\s*at (?:async )?(?:\S|new )/.test(line) &&
  /(?:[:)]\d*\)?$|<anonymous>|\(native\)|\(index \d+\))/.test(line.replace(/ \{$/, ''))
    ? true
    : /^\s*❯ /.test(line) || FRAME_PATTERNS.some((frame) => frame.test(line));
