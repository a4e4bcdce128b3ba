/**
 * Determines the folders of tool chains on this machine that a build needs: from a variable of the worker, or else from the tool's default.
 */
import { join } from 'node:path';

export interface ToolFolders {
  tool: string;
  /** Paths that commands of a build read. Their parent folders are not shown, since tools may store credentials there. */
  paths: string[];
  /**
   * Names of project files that show that a project needs the tool. The paths are shown only to such projects. If undefined, only the
   * operator can make the paths visible.
   */
  files?: string[];
  /** Variables that point the tool to the paths. */
  variables?: Record<string, string>;
  /** Caches that the tool writes to. Commands see each in a private layer, below their own home or at its own path. */
  caches?: { source: string; homePath?: string }[];
  /** Folder that the tool writes to. Commands see an empty folder with only its caches. */
  emptyFolder?: string;
  /** Variable that names the path of the cache to the tool; set only if the cache is shown. */
  cacheVariable?: string;
}

export function listToolFolders(home: string, variables: NodeJS.ProcessEnv): ToolFolders[] {
  const [workspace = ''] = (variables.GOPATH ?? '').split(':');
  const go = variables.GOMODCACHE || join(workspace || join(home, 'go'), 'pkg/mod');
  const cargo = variables.CARGO_HOME || join(home, '.cargo');
  const pnpm = variables.PNPM_HOME || join(home, '.local/share/pnpm');
  const gradle = variables.GRADLE_USER_HOME || join(home, '.gradle');
  const caches = variables.XDG_CACHE_HOME || join(home, '.cache');
  const condas = ['miniconda3', 'anaconda3', 'miniforge3'].map((name) => join(home, name));
  return [
    {
      tool: 'Go',
      paths: [go],
      files: ['go.mod'],
      variables: { GOMODCACHE: go },
      caches: [{ source: variables.GOCACHE || join(caches, 'go-build'), homePath: '.cache/go-build' }],
      cacheVariable: 'GOCACHE',
    },
    {
      tool: 'Cargo',
      paths: ['registry', 'git'].map((name) => join(cargo, name)),
      files: ['Cargo.toml'],
      variables: { CARGO_HOME: cargo },
    },
    // Java looks up the user's home folder itself and ignores HOME.
    { tool: 'Maven', paths: [join(home, '.m2/repository')], files: ['pom.xml'] },
    { tool: 'pnpm', paths: [join(pnpm, 'store')] },
    {
      tool: 'Gradle',
      paths: [],
      files: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
      // Gradle writes paths into its caches, and Java asks the system for the user's home folder. The folder and its caches must therefore
      // be shown at their own paths.
      emptyFolder: gradle,
      caches: ['caches/modules-2', 'wrapper/dists'].map((name) => ({ source: join(gradle, name) })),
      variables: { GRADLE_USER_HOME: gradle },
    },
    {
      tool: 'uv',
      paths: [],
      files: ['uv.lock'],
      caches: [{ source: variables.UV_CACHE_DIR || join(caches, 'uv'), homePath: '.cache/uv' }],
      cacheVariable: 'UV_CACHE_DIR',
    },
    { tool: 'conda', paths: variables.CONDA_PREFIX ? [variables.CONDA_PREFIX] : condas },
  ];
}
