/**
 * Folders that a project needs of this machine and commands cannot read yet: the Python of its `.venv`, packages behind its
 * `node_modules`, the caches of Go, Cargo and Maven. The files of a project are hostile. They only say what is looked for: a
 * folder is shown where it is a Python by what lies in it, or where a tool's default or a variable of the worker puts a cache.
 */
import { existsSync } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ShownFolder } from '../files/paths.ts';
import { createProtection } from '../files/protected-paths.ts';
import { realPathBelow } from '../system/real-path.ts';
import { readSmall } from '../system/small-file.ts';
import { firstExecutable } from './executable.ts';
import { isOfSystem, isWithin } from './host-paths.ts';

export interface ProjectPlace {
  /** The workspace. */
  root: string;
  /** The dependency folders that it is shown. */
  shared: readonly ShownFolder[];
  /** Folders of which nothing is shown: the worker's own. */
  hidden: readonly string[];
  /** Folders that the operator lets commands read. */
  readable: readonly string[];
  /** The operator's home folder and variables. */
  home: string;
  variables: NodeJS.ProcessEnv;
}

export interface Toolchains {
  /** Folders for commands to read. */
  read: string[];
  /** Variables that have tools look there; for commands without network, since nothing can be written there. */
  variables: Record<string, string>;
  /** A sentence for each folder that only a person can judge. */
  advice: string[];
}

/** Folders that are shown where `fits` is true; otherwise `advice` goes to a person. */
interface Wanted {
  paths: string[];
  fits: boolean;
  advice?: string;
  variables?: Record<string, string>;
}

const MAX_LINKS = 2_000;
const MAX_HOPS = 8;
const MAX_ADVICE = 3;
/** Folders of a home that hold interpreters, also where the library of one is elsewhere. */
const PYTHONS = ['.local/share/uv/python', '.pyenv/versions', '.asdf/installs/python', '.rye/py'];
/** A prefix such as `~/.local` has keyrings beside them. */
const PARTS_OF_PYTHON = ['bin', 'lib', 'lib64', 'include', 'ssl'];

/** Looks at most one folder deep. Never rejects for what a project has in it. */
export async function findToolchains(place: ProjectPlace): Promise<Toolchains> {
  const own = ['.venv', 'venv', 'node_modules'].map((name) => join(place.root, name));
  const folders = [...place.shared, ...own.map((path) => ({ source: path, path }))];
  const looks = folders.map((folder) =>
    basename(folder.path) === 'node_modules' ? packagesOf(folder, place) : pythonsOf(folder, place),
  );
  const found: Toolchains = { read: [], variables: {}, advice: [] };
  for (const wanted of (await Promise.all([...looks, cachesOf(place)])).flat()) {
    const shown: string[] = [];
    for (const path of wanted.paths) if (await mayBeShown(path, place)) shown.push(path);
    if (shown.length === 0) continue;
    Object.assign(found.variables, wanted.variables);
    const isReadable = shown.every((path) => place.readable.some((one) => isWithin(path, one)));
    if (wanted.fits) found.read.push(...shown);
    else if (wanted.advice !== undefined && !isReadable) found.advice.push(wanted.advice);
  }
  return {
    ...found,
    read: [...new Set(found.read)],
    advice: [...new Set(found.advice)].slice(0, MAX_ADVICE),
  };
}

/** As named and by the real path: no name that is protected, nothing of the worker or the project, no folder around these or the home. */
async function mayBeShown(path: string, { root, shared, hidden, home }: ProjectPlace): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || isOfSystem(path)) return false;
  const ways = [path, real];
  if (ways.some((way) => isProtected(way) || /^\/(?:proc|dev|sys)\//.test(way))) return false;
  const projects = [root, ...shared.map((folder) => projectOf(folder, root))];
  const apart = await Promise.all([...projects, ...hidden].map((one) => realpath(one).catch(() => one)));
  const isAround = [home, ...apart].some((one) => isWithin(one, real));
  return !isAround && !apart.some((one) => ways.some((way) => isWithin(way, one)));
}

const isProtected = createProtection();

/** Where the folder comes from: the source's work tree, or what was prepared. */
const projectOf = ({ source, path }: ShownFolder, root: string): string =>
  resolve(source, relative(path, root));

/** `home` of `pyvenv.cfg`, and the folders that `bin/python` leads through: the alias of a version among them. */
async function pythonsOf({ source }: ShownFolder, place: ProjectPlace): Promise<Wanted[]> {
  const settings = (await readSmall(join(source, 'pyvenv.cfg'))) ?? '';
  const named = /^home\s*=\s*(\/.*?)\s*$/m.exec(settings)?.[1];
  const bins = [
    ...(named === undefined ? [] : [resolve(named)]),
    ...(await hopsOf(join(source, 'bin/python'))),
  ];
  const prefixes = bins.filter((bin) => basename(bin) === 'bin').map((bin) => dirname(bin));
  const outside = [...new Set(prefixes)].filter((prefix) => !isWithin(prefix, source));
  return Promise.all(
    outside.map(async (prefix): Promise<Wanted> => {
      const programs = (await namesIn(join(prefix, 'bin'))).filter((name) => /^python[\d.]*$/.test(name));
      const isPython = firstExecutable(programs.map((name) => join(prefix, 'bin', name))) !== undefined;
      const libraries = (await namesIn(join(prefix, 'lib'))).filter((name) => /^python\d/.test(name));
      const isWhole = libraries.some((name) => existsSync(join(prefix, 'lib', name, 'os.py')));
      const isKnown = PYTHONS.some((folder) => dirname(prefix) === join(place.home, folder));
      const parts: string[] = [];
      for (const part of PARTS_OF_PYTHON.map((name) => join(prefix, name)))
        if (await realPathBelow(prefix, part)) parts.push(part);
      const advice = `${basename(source)} runs the Python in ${prefix}/bin, which commands cannot read: add ${prefix} to sandbox.read if all of it may be read`;
      const isAllowed = isPython && (await mayBeShown(prefix, place));
      return { paths: isAllowed ? parts : [], fits: isWhole || isKnown, advice };
    }),
  );
}

/** Packages that are links out of the project. Such a link is relative mostly, so it leads elsewhere in a worktree. */
async function packagesOf(folder: ShownFolder, { root }: ProjectPlace): Promise<Wanted[]> {
  const project = projectOf(folder, root);
  const wanted: Wanted[] = [];
  for (const link of await linksIn(folder.source)) {
    const real = await realpath(link).catch(() => project);
    if (isWithin(real, project) || !existsSync(join(real, 'package.json'))) continue;
    const advice = `${relative(project, link)} is a link out of the project to ${real}, where commands cannot follow: install it as a copy (npm: install-links=true, pnpm: enableGlobalVirtualStore: false)`;
    wanted.push({ paths: [real], fits: false, advice });
  }
  return wanted;
}

/** The caches of package managers that a file of the project belongs to. Credentials lie beside those of Cargo and Maven. */
async function cachesOf({ root, home, variables }: ProjectPlace): Promise<Wanted[]> {
  const top = await readdir(root, { withFileTypes: true }).catch(() => []);
  const below = top.filter((entry) => entry.isDirectory()).map(({ name }) => namesIn(join(root, name)));
  const names = new Set([...top.map(({ name }) => name), ...(await Promise.all(below)).flat()]);
  const [workspace = ''] = (variables.GOPATH ?? '').split(':');
  const go = variables.GOMODCACHE || join(workspace || join(home, 'go'), 'pkg/mod');
  const cargo = variables.CARGO_HOME || join(home, '.cargo');
  const caches: Record<string, Omit<Wanted, 'fits'>> = {
    'go.mod': { paths: [go], variables: { GOMODCACHE: go } },
    'Cargo.toml': {
      paths: ['registry', 'git'].map((name) => join(cargo, name)),
      variables: { CARGO_HOME: cargo },
    },
    // Java looks up the user's home folder itself, whatever HOME says.
    'pom.xml': { paths: [join(home, '.m2/repository')] },
  };
  return Object.entries(caches).flatMap(([name, cache]) => (names.has(name) ? { ...cache, fits: true } : []));
}

/** The folders of what a link leads to, step by step. */
async function hopsOf(link: string): Promise<string[]> {
  const hops: string[] = [];
  for (let at = link; hops.length < MAX_HOPS; hops.push(dirname(at))) {
    const target = await readlink(at).catch(() => undefined);
    if (target === undefined) break;
    at = resolve(dirname(at), target);
  }
  return hops;
}

/** Links among the packages of a `node_modules`, those of scopes included. */
async function linksIn(folder: string): Promise<string[]> {
  const scopes = (await namesIn(folder)).filter((name) => name.startsWith('@'));
  const all = await Promise.all(
    ['', ...scopes].map(async (scope) => {
      const entries = await readdir(join(folder, scope), { withFileTypes: true }).catch(() => []);
      const links = entries.filter((entry) => entry.isSymbolicLink());
      return links.map(({ name }) => join(folder, scope, name));
    }),
  );
  return all.flat().slice(0, MAX_LINKS);
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
