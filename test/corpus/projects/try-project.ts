/** Tries one project of the corpus: its check on the host and in the product's sandbox, a right repair, a wrong one. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { essenceOf } from '../../../sidecar/parsing/test-output/essence.ts';
import type { ConfigInput } from '../../../sidecar/base/config/schema.ts';
import type { CheckEssence, TaskResult } from '../../../sidecar/base/protocol/result.ts';
import type { ScenarioInput } from '../../../sidecar/model/scripted/scenario.ts';
import { startScriptedModel } from '../../../sidecar/model/scripted/server.ts';
import { parseJson } from '../../../sidecar/base/values/json.ts';
import { folderOf, home, ownersEnv, runAsOwner } from './place.ts';
import { alone, GOOD, WRONG } from './prepare.ts';
import type { Project } from './project.ts';

/** A check that ran once; counts are of tests, as far as the output has them. */
interface Run {
  ending: string;
  passed: number | undefined;
  failed: readonly string[];
  runner: string;
  ms: number;
}

export interface Trial {
  project: Project;
  host: Run;
  here: Run | undefined;
  /** What is otherwise than it has to be, a sentence each. */
  differences: string[];
}

/** Tries a project that is prepared. */
export const tryProject = (project: Project): Promise<Trial> => alone(() => tried(project));

async function tried(project: Project): Promise<Trial> {
  const folder = folderOf(project.name);
  const host = {
    wrong: await onHost(project, WRONG),
    base: await onHost(project, 'main'),
    right: await onHost(project, GOOD),
  };
  await runAsOwner('git clean -fdq && git checkout -q main', folder);
  const before = { project: filesBelow(folder), home: filesBelow(home) };
  const draft = await inProduct(project, 'draft', 'right');
  // The first has the machine to itself: its time is compared with the host's.
  const [tools, wrong] = await Promise.all([
    inProduct(project, 'tools', 'right'),
    inProduct(project, 'draft', 'wrong'),
  ]);
  const left = [...newFiles(before.project, folder), ...newFiles(before.home, home)];
  const differences = [
    ...(host.right.ending === 'exit code 0' ? [] : [`the check fails on the host: ${host.right.ending}`]),
    ...(host.base.ending === 'exit code 0' ? ['the broken version passes on the host'] : []),
    ...(host.wrong.ending === 'exit code 0' ? ['the wrong version passes on the host'] : []),
    ...(host.right.passed === undefined ? [`no count of tests is read (${host.right.runner})`] : []),
    ...(await notVerified('draft', draft, folder)),
    ...(await notVerified('tools', tools, folder)),
    ...(await wronglyVerified(wrong, folder)),
    ...comparison('right', host.right, checkOf(draft)),
    // What is left of a wrong repair: it, the broken version if that passes more tests, or a part of it that is right.
    ...Object.entries(host)
      .map(([version, run]) => comparison(version, run, checkOf(wrong)))
      .reduce((least, other) => (other.length < least.length ? other : least)),
    ...(left.length > 0 ? [`left behind: ${left.slice(0, 4).join(', ')} (${left.length})`] : []),
  ];
  await runAsOwner(
    `git for-each-ref --format='%(refname)' refs/heads/sidecar | xargs -r -n1 git update-ref -d`,
    folder,
  );
  return { project, host: host.right, here: checkOf(draft), differences };
}

async function onHost({ name, check }: Project, branch: string): Promise<Run> {
  const folder = folderOf(name);
  await runAsOwner(`git clean -fdq && git checkout -q ${branch}`, folder);
  const { exitCode, output, ms } = await runAsOwner(check, folder);
  const essence = essenceOf(output, { workspaceDir: folder, hasFailed: exitCode !== 0 });
  return {
    ...countsOf({ ...essence, failed: essence.failed.map((test) => test.name), errors: [] }),
    ending: `exit code ${exitCode}`,
    ms,
  };
}

const countsOf = ({ runner, passed, failed }: CheckEssence): Pick<Run, 'runner' | 'passed' | 'failed'> => ({
  runner,
  passed,
  failed,
});

interface Done {
  result: TaskResult | undefined;
  /** The last of what the program printed. */
  said: string;
}

/** The task through the built program, in a sandbox, by a model that gives this version in this way. */
async function inProduct(
  project: Project,
  way: 'draft' | 'tools',
  version: 'right' | 'wrong',
): Promise<Done> {
  const { name, check, broken } = project;
  const dir = mkdtempSync(join(tmpdir(), 'corpus-'));
  const model = await startScriptedModel({ scenario: scenarioOf(project, way, version) });
  try {
    const config: ConfigInput = {
      solving: way === 'draft' ? { strategy: 'drafts', drafts: 2, repairs: 0 } : { strategy: 'loop' },
      worker: { stateDir: join(dir, 'state'), dataDir: join(dir, 'data') },
    };
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    const cli = resolve(process.env.BENCH_CLI ?? 'dist/cli.js');
    const task = [
      'run',
      `${broken.file} has a fault: make the tests pass`,
      '--agentic',
      '--verify',
      check,
      '--model',
      'm',
    ];
    const places = [
      '--repo',
      folderOf(name),
      '--ollama-url',
      model.url,
      '--config',
      join(dir, 'config.json'),
    ];
    const { stdout, stderr } = await execa(
      process.execPath,
      [cli, ...task, ...places, '--sandbox', 'required', '--json'],
      {
        cwd: dir,
        env: ownersEnv(),
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
        timeout: 900_000,
      },
    );
    const last = parseJson(stdout.trim().split('\n').at(-1) ?? '') as { result?: TaskResult } | undefined;
    return { result: last?.result, said: (last ? JSON.stringify(last) : `${stdout}\n${stderr}`).slice(-600) };
  } finally {
    await model.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function scenarioOf(
  { name, broken }: Project,
  way: 'draft' | 'tools',
  version: 'right' | 'wrong',
): ScenarioInput {
  const { file } = broken;
  const base = wholeLines(readFileSync(join(folderOf(name), file), 'utf8'), broken.base);
  const after = base.replace(broken.base, () => broken[version]);
  const models = [{ name: 'm' }];
  if (way === 'draft') {
    const block = `<<<<<<< SEARCH\n${base}\n=======\n${after}\n>>>>>>> REPLACE`;
    return {
      models,
      turns: [
        {
          reply: { content: `It is in one place.\n\n${file}\n\`\`\`\n${block}\n\`\`\`\n`, verbatim: true },
          repeat: 'always',
        },
      ],
    };
  }
  const calls = [
    { name: 'read_file', arguments: { file_path: file } },
    { name: 'edit_file', arguments: { file_path: file, old_string: base, new_string: after } },
  ];
  return {
    models,
    turns: [
      ...calls.map((call) => ({ reply: { tool_calls: [call] } })),
      { reply: { content: 'It is repaired.' }, repeat: 'always' },
    ],
  };
}

/** The lines that a passage is part of, as a model writes them. */
function wholeLines(text: string, passage: string): string {
  const at = text.indexOf(passage);
  const end = text.indexOf('\n', at + passage.length);
  return text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end);
}

function checkOf({ result }: Done): Run | undefined {
  const [check] = result?.verification_report?.checks ?? [];
  if (!check) return undefined;
  const code = /exited with code (-?\d+)/.exec(check.output.split('\n')[0] ?? '')?.[1];
  const ending =
    check.status === 'pass'
      ? 'exit code 0'
      : code === undefined
        ? (check.output.split('\n')[0] ?? '')
        : `exit code ${code}`;
  return {
    ...countsOf(check.essence ?? { runner: 'none', failed: [], errors: [], text: '' }),
    ending,
    ms: check.duration_ms,
  };
}

/** The branch of a verified result has the tree of the right version, which passes on the host. */
async function notVerified(way: string, { result, said }: Done, folder: string): Promise<string[]> {
  if (!result) return [`${way}: no result: ${said}`];
  if (result.verification_status !== 'verified') {
    const why = [
      ...(result.verification_notes ?? []),
      result.error ?? '',
      ...(result.verification_report?.checks ?? []).map(({ output }) => output.slice(-300)),
    ];
    return [`${way}: ${result.verification_status}: ${why.filter(Boolean).join(' | ')}`];
  }
  return (await isGood(result, folder)) ? [] : [`${way}: the branch is not the right version`];
}

async function isGood({ changes }: TaskResult, folder: string): Promise<boolean> {
  return (await runAsOwner(`git diff --quiet ${GOOD} ${changes.branch}`, folder)).exitCode === 0;
}

const wronglyVerified = async ({ result }: Done, folder: string): Promise<string[]> =>
  result?.verification_status === 'verified' && !(await isGood(result, folder))
    ? ['a wrong version is verified']
    : [];

function comparison(version: string, host: Run, here: Run | undefined): string[] {
  if (!here) return [`${version}: no check was reported`];
  const pairs = [
    ['ends with', host.ending, here.ending],
    ['passed', host.passed ?? '–', here.passed ?? '–'],
    ['failed', host.failed.length, here.failed.length],
  ] as const;
  const others = [
    ...host.failed.filter((name) => !here.failed.includes(name)),
    ...here.failed.filter((name) => !host.failed.includes(name)),
  ];
  const names = others.slice(0, MAX_NAMES).join(', ');
  return [
    ...pairs
      .filter(([, there, now]) => there !== now)
      .map(([what, there, now]) => `${version}: ${what} ${there} on the host, ${now} here`),
    ...(others.length > 0 ? [`${version}: other tests fail, such as ${names}`] : []),
  ];
}

/** Files by path, with their size and time; not those of git. */
function filesBelow(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    files
      .filter((path) => !path.startsWith(join(folder, '.git/')))
      .map((path) => {
        const { size, mtimeMs } = statSync(path);
        return [path, `${size} ${mtimeMs}`];
      }),
  );
}

const MAX_NAMES = 3;

const newFiles = (before: ReadonlyMap<string, string>, folder: string): string[] =>
  [...filesBelow(folder)].filter(([path, facts]) => before.get(path) !== facts).map(([path]) => path);
