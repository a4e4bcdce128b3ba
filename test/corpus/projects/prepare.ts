/** Fetches a project of the corpus once, installs its dependencies, and makes the commits that it is tried with. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../sidecar/base/system/clock.ts';
import { withFileLock } from '../../../sidecar/workspace/file-lock.ts';
import { write } from '../../workspace/repositories.ts';
import { folderOf, home, runAsOwner, tools } from './place.ts';
import { IGNORED, type Project } from './project.ts';

/** The project as its registry has it, and with the repair that is wrong; `main` is what a task begins from. */
export const GOOD = 'good';
export const WRONG = 'wrong';

/** Programs that are installed if a project needs them. */
const TOOLS: Readonly<Record<string, string>> = { uv: '0.9.13', poetry: '2.2.1', tox: '4.32.0' };

const COMMIT =
  'git -c user.name=Owner -c user.email=owner@localhost -c core.hooksPath=/dev/null commit --quiet --no-verify';

/** Returns why the project cannot be tried on this machine; undefined when it lies ready in its folder. */
export const prepare = (project: Project): Promise<string | undefined> => alone(() => makeReady(project));

/** Does work that another run of the tests or the benchmark may not disturb: all projects have one home folder. */
export async function alone<T>(work: () => Promise<T>): Promise<T> {
  const lock = `${home}.lock`;
  mkdirSync(home, { recursive: true });
  const done = await withFileLock(lock, { clock: systemClock, timeoutMs: LOCK_TIMEOUT_MS }, async () => ({
    ok: true as const,
    value: await work(),
  }));
  if (!done.ok) throw new Error(done.failure.message);
  return done.value;
}

const LOCK_TIMEOUT_MS = 1_800_000;

async function makeReady(project: Project): Promise<string | undefined> {
  const folder = folderOf(project.name);
  const marker = `${folder}.ready`;
  const recipe = createHash('sha256').update(JSON.stringify(project)).digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === recipe) return undefined;
  const missing = await missingPrograms(project);
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  rmSync(marker, { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const notFetched = await failing(project.fetch, folder);
  if (notFetched !== undefined) return notFetched;
  writeFiles(project, folder);
  const problem = (await failing(project.prepare ?? ':', folder)) ?? (await commits(project, folder));
  if (problem === undefined) writeFileSync(marker, recipe);
  return problem;
}

async function missingPrograms({ needs }: Project): Promise<string[]> {
  const missing: string[] = [];
  for (const program of needs) {
    const version = TOOLS[program];
    const install = `test -x ${tools}/bin/${program} || { python3 -m venv ${tools} && ${tools}/bin/python -m pip install --quiet ${program}==${version}; }`;
    const { exitCode } = await runAsOwner(`${version ? install : ':'} && command -v ${program}`, home);
    if (exitCode !== 0) missing.push(program);
  }
  return missing;
}

function writeFiles({ files = {} }: Project, folder: string): void {
  rmSync(join(folder, '.git'), { recursive: true, force: true });
  write(folder, files);
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, IGNORED);
}

/** Returns how a command failed, with its last lines; undefined when it did not. */
async function failing(command: string, folder: string): Promise<string | undefined> {
  const { exitCode, output } = await runAsOwner(command, folder);
  return exitCode === 0
    ? undefined
    : `\`${command.slice(0, 80)}\` ended with ${exitCode}: ${output.trim().slice(-400)}`;
}

async function commits({ broken }: Project, folder: string): Promise<string | undefined> {
  const path = join(folder, broken.file);
  const text = readFileSync(path, 'utf8');
  if (text.split(broken.right).length !== 2) return `${broken.file} does not have \`${broken.right}\` once`;
  const withPassage = (passage: string) =>
    writeFileSync(
      path,
      text.replace(broken.right, () => passage),
    );
  withPassage(broken.base);
  const problem = await failing(
    `git init --quiet --initial-branch main && printf '%s' '${IGNORED}' >> .git/info/exclude && git add --all && ${COMMIT} --message base`,
    folder,
  );
  if (problem !== undefined) return problem;
  for (const [name, passage] of [
    [GOOD, broken.right],
    [WRONG, broken.wrong],
  ] as const) {
    withPassage(passage);
    const failed = await failing(
      `git checkout --quiet -b ${name} && ${COMMIT} --all --message ${name} && git checkout --quiet main`,
      folder,
    );
    if (failed !== undefined) return failed;
  }
  return undefined;
}
