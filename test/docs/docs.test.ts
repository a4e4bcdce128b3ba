import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { parse } from 'yaml';
import { EXIT } from '../../sidecar/cli/exit-codes.ts';
import { buildProgram } from '../../sidecar/cli/program.ts';
import { isOnPath } from '../../sidecar/workspace/commands/find-executable.ts';
import { configKeys } from '../../sidecar/base/config/schema-keys.ts';
import { problems } from '../../sidecar/hub/api/problem.ts';
import { submissionSchema } from '../../sidecar/hub/queue/submission.ts';
import type { ScenarioInput } from '../../sidecar/model/scripted/scenario.ts';
import { commandLine, type CommandLine } from '../cli/command-line.ts';
import { attempts } from '../workspace/commands/escape-attempts.ts';
import { attacks } from '../corpus/toolchains/attacks.ts';
import { testHub } from '../hub/hub-fixture.ts';
import { cheats } from '../solving/solve/proof/cheats.ts';
import { sampleRepository } from '../support/sample-repository.ts';
import { call, say, testModel } from '../support/scripted-model.ts';
import { tempFolders } from '../support/temp-folder.ts';
import { gitAttacks } from '../workspace/git-attacks.ts';
import { ownTests } from './attempt-table.ts';

/** The examples of the pages for programs do what is said of them. */
describe('pages', () => {
  const folder = tempFolders();
  const block = async (page: string, language: string): Promise<string> =>
    new RegExp(`\`\`\`${language}\\n(.+?)\`\`\``, 'su').exec(await readFile(page, 'utf8'))?.[1] ?? '';

  test('the task of the page on the HTTP API is one, each of its fields is known, and the hub takes it', async () => {
    const task = JSON.parse(await block('docs/API.md', 'json')) as Record<string, unknown>;
    expect(Object.keys(task).filter((key) => !(key in submissionSchema.shape))).toEqual([]);
    const hub = await testHub();
    expect(await hub.call('POST', '/api/tasks', task)).toMatchObject({
      status: 201,
      body: { status: 'queued', priority: 5 },
    });
  });

  test('the program of the page on the library compiles with the types of all its packages, and does a task', async () => {
    const dir = folder();
    const repo = await sampleRepository(dir, {
      'src/sum.js': 'export const sum = (a, b) => a - b;\n',
      'sum.test.js':
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './src/sum.js';\ntest('adds', () => assert.equal(sum(2, 3), 5));\n",
      'package.json': '{"type":"module"}\n',
    });
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: ['node'] };
    await writeFile(join(dir, 'program.ts'), await block('docs/LIBRARY.md', 'ts'));
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    mkdirSync(join(dir, 'node_modules'));
    symlinkSync(resolve('.'), join(dir, 'node_modules/ollama-sidecar'));
    symlinkSync(resolve('node_modules/@types'), join(dir, 'node_modules/@types'));
    const compiled = await execa(resolve('node_modules/.bin/tsc'), ['-p', dir], { reject: false });
    expect(compiled.stdout).toBe('');
    const edit = { path: 'src/sum.js', old_string: 'a - b', new_string: 'a + b' };
    const model = await testModel({
      models: [{ name: 'm', capabilities: ['completion', 'tools'] }],
      turns: [call('read_file', { path: 'src/sum.js' }), call('edit_file', edit), say('Done.')],
    });
    const program = join(dir, 'program.js');
    await writeFile(program, (await readFile(program, 'utf8')).replace('http://127.0.0.1:11434', model.url));
    const { stdout } = await execa(process.execPath, [program, repo, 'm']);
    expect(stdout).toBe('success verified 1');
  }, 120_000);
});

interface Service {
  image?: string;
  extends?: { service: string };
  build?: string;
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  secrets?: string[];
  networks?: { default: { aliases: string[] } };
  ports?: string[];
  depends_on?: Record<string, unknown>;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets?: Record<string, unknown>;
}
const read = (path: string) =>
  parse(readFileSync(path, 'utf8'), { merge: true, logLevel: 'error' }) as Compose;
const plain = read('docker-compose.yml');
const replicated = read('docker-compose.postgres.yml');
/** As Compose puts the second file over the first. */
const compose = {
  services: { ...plain.services, ...replicated.services },
  volumes: { ...plain.volumes, ...replicated.volumes },
  secrets: { ...plain.secrets },
};
for (const [name, service] of Object.entries(replicated.services)) {
  const under = plain.services[service.extends?.service ?? name] ?? {};
  compose.services[name] = { ...under, ...service, volumes: service.volumes ?? under.volumes ?? [] };
}
const services = Object.entries(compose.services);
const KNOWN_KEYS =
  /^(extends|image|build|profiles|restart|command|environment|volumes|networks|ports|deploy|healthcheck|secrets|security_opt|stop_grace_period|depends_on)$/u;
const variables = new Set(configKeys.map(({ variable }) => variable));
const ALIASES = ['OLLAMA_HOST', 'SIDECAR_STATE_DIR', 'SIDECAR_DATA_DIR'];

/** Whether a command line of ours has only options that exist. */
function isCommandLine([name, ...words]: readonly string[]): boolean {
  const command = buildProgram().commands.find((one) => one.name() === name);
  const flags = new Set(command?.options.map(({ long }) => long));
  return (
    command !== undefined && words.filter((word) => word.startsWith('--')).every((word) => flags.has(word))
  );
}

describe('docker-compose.yml', () => {
  test.each(services)('%s has known keys, a pinned image and volumes that are declared', (_name, service) => {
    expect(Object.keys(service).filter((key) => !KNOWN_KEYS.test(key))).toEqual([]);
    expect(service.image).toMatch(/:\d+\.\d+/u);
    // A path is a folder of the host.
    const volumes = (service.volumes ?? []).filter((volume) => !/^(?:[./]|\$\{)/u.test(volume));
    for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
    for (const other of Object.keys(service.depends_on ?? {}))
      expect(compose.services).toHaveProperty([other]);
  });

  test('its commands and settings exist', () => {
    const ours = services.filter(([, { build }]) => build !== undefined);
    expect(ours.map(([name]) => name)).toEqual(['hub', 'worker', 'hub-2']);
    for (const [, { command = [], environment = {} }] of ours) {
      expect([command, isCommandLine(command)]).toEqual([command, true]);
      for (const variable of Object.keys(environment)) {
        expect([variable, variables.has(variable) || ALIASES.includes(variable)]).toEqual([variable, true]);
      }
    }
  });

  test('each profile has one Ollama and one hub, and with PostgreSQL two replicas that share its name', () => {
    const inProfile = (profile: string, { services: all }: Compose) =>
      Object.entries(all)
        .filter(([, { profiles = [] }]) => profiles.includes(profile))
        .map(([name]) => name);
    for (const profile of ['cpu', 'gpu']) {
      expect(inProfile(profile, plain)).toEqual([`ollama-${profile}`, 'hub', 'worker']);
      expect(inProfile(profile, compose)).toEqual([
        `ollama-${profile}`,
        'hub',
        'worker',
        'hub-2',
        'postgres',
      ]);
    }
    const { hub, 'hub-2': second } = compose.services;
    expect(hub?.environment).toEqual(second?.environment);
    expect(second?.networks?.default.aliases).toEqual(['hub']);
    expect(second?.ports).not.toEqual(hub?.ports);
  });
});

const units = ['ollama-sidecar.service', 'ollama-sidecar-hub.service'];
const unitText = (name: string) => readFileSync(`config/${name}`, 'utf8');

describe('the systemd units', () => {
  test.each(units)('%s starts a command that exists, with files that the page makes', (name) => {
    const command = /^ExecStart=\/usr\/bin\/env ollama-sidecar (.+)$/mu.exec(unitText(name))?.[1] ?? '';
    expect(isCommandLine(command.split(' '))).toBe(true);
    const page = readFileSync('docs/OPERATIONS.md', 'utf8');
    for (const file of command.match(/\/etc\/\S+/gu) ?? []) expect(page).toContain(` ${file}\n`);
    expect(page).toContain(`config/${name}" /etc/systemd/system/`);
  });

  test('the worker is stopped only after its grace period', () => {
    expect(unitText('ollama-sidecar.service')).toMatch(/^TimeoutStopSec=12min$/mu);
    expect(unitText('ollama-sidecar.service')).toMatch(
      new RegExp(`^RestartForceExitStatus=${EXIT.restart}$`, 'mu'),
    );
  });

  (isOnPath('systemd-analyze') ? test : test.skip)('systemd finds no fault in them', async () => {
    const paths = units.map((name) => `config/${name}`);
    const { stderr } = await execa('systemd-analyze', ['verify', ...paths], { reject: false });
    expect(stderr.split('\n').filter((line) => line.includes('ollama-sidecar'))).toEqual([]);
  });
});

/** Where a code is written: a field, or the first (a command's: second) word of what makes a failure. */
const PLACES = [
  // `custom` is zod's word for what a refinement finds.
  /\bcode(?:: | = )'(?!custom')([A-Za-z_]+)'/gu,
  /\b(?:failure|failed|refused|EnvironmentError|StorageError|ProblemError|codedError)\(\s*'([A-Za-z_]{5,})'/gu,
  /\bCommandError\(\s*EXIT\.\w+,\s*'([A-Za-z_]+)'/gu,
  /\b(?:HubError|super)\(\s*'\w+',\s*'([a-z_]+)'/gu,
  // The end of a command, a refusal of a task, a word of the hub to a worker.
  /\breport\('([a-z_]+)'/gu,
  /[`'](worker_[a-z_]+): /gu,
  /\b(?:session|this)\.error\(\s*[`']([a-z_]+)/gu,
  // The members of a union of codes, one a line.
  /^ {2}\| '([A-Z_]+|storage_[a-z_]+)'$/gmu,
];

function sources(folder = 'sidecar'): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.(ts|mjs)$/u.test(path) ? [readFileSync(path, 'utf8')] : [];
  });
}

test('every stable code of the sources is explained in docs/ERRORS.md', () => {
  const document = readFileSync('docs/ERRORS.md', 'utf8');
  const texts = sources();
  const codes = new Set(
    PLACES.flatMap((place) =>
      texts.flatMap((text) => [...text.matchAll(place)].map((found) => found[1] ?? '')),
    ),
  );
  for (const code of Object.keys(problems)) codes.add(code);
  expect(codes.size).toBeGreaterThan(80);
  expect([...codes].filter((code) => !document.includes(`\`${code}\``)).sort()).toEqual([]);
});

test('every code that docs/ERRORS.md explains in a list is one of the sources', () => {
  const rows = readFileSync('docs/ERRORS.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- `'));
  const explained = rows.flatMap((row) =>
    [...(row.split(':')[0] ?? '').matchAll(/`(\w+)`/gu)].map((found) => found[1] ?? ''),
  );
  expect(explained.length).toBeGreaterThan(80);
  const all = sources().join('\n');
  const isThere = (code: string) => new RegExp(`['"\`]${code}\\b|^  ${code}: \\{`, 'mu').test(all);
  expect(explained.filter((code) => !isThere(code))).toEqual([]);
});

/** The scenario of docs/SCRIPTED-MODEL.md does what is said of it. */
describe('scripted model', () => {
  let cli: CommandLine;
  afterEach(() => cli.close());

  const [, example = ''] = /```json\n(.+?)```/su.exec(readFileSync('docs/SCRIPTED-MODEL.md', 'utf8')) ?? [];

  test('the example repairs a repository, with the drafts that a worker asks for first', async () => {
    cli = await commandLine(JSON.parse(example) as ScenarioInput);
    const repo = await sampleRepository(cli.dir, { 'sum.js': 'export const sum = (a, b) => a - b;\n' });
    const task = ['make the failing test pass', '--repo', repo, '--verify', "grep 'a + b' sum.js"];
    const env = { SIDECAR_MODEL: 'qwen2.5-coder:7b', SIDECAR_SOLVING_STRATEGY: 'auto' };
    const { code, stdout } = await cli.start(['run', ...task, '--no-json'], env).ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/SUCCESS \(verified\)[^]*Fixed: edited sum\.js\./u),
    ]);
    expect(stdout).toMatch(/the server is busy \(HTTP 503\)/u);
  });
});

/** The table of docs/SECURITY.md is made from the lists that suites run, and names only tests that are there. */
test('there are at least sixty attempts and twenty-five cheats, each once', () => {
  const names = [
    ...attempts.map(({ name }) => name),
    ...Object.keys(gitAttacks),
    ...attacks.map(({ name }) => name),
    ...Object.keys(ownTests),
  ];
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
  expect(cheats.length).toBeGreaterThanOrEqual(25);
});

test.each(Object.values(ownTests).flat())('%s has a test "%s"', (file, title) => {
  const suite = `test/${file}.test.ts`;
  const text = readFileSync(existsSync(suite) ? suite : `test/${file}.ts`, 'utf8');
  expect(text).toContain(title);
});

/** What this project takes from others: refused licences and unexplained install scripts fail, and the list of packages is whole. */
describe('supply', () => {
  const folder = tempFolders();

  interface Entry {
    version?: string;
    license?: string;
    dev?: boolean;
    hasInstallScript?: boolean;
  }

  /** What the check says of a lock file with one package, in a project that explains the scripts of `listed`. */
  function faults(
    entry: Entry,
    listed: readonly string[] = [],
    decided: Record<string, boolean> = {},
  ): string[] {
    const lock = { packages: { '': {}, 'node_modules/pad': { version: '1.0.0', license: 'MIT', ...entry } } };
    const script = `import { faultsOf } from ${JSON.stringify(resolve('scripts/supply.mjs'))};
    const [lock, listed, decided] = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(faultsOf(lock, { listed: new Set(listed), decided })));`;
    const args = ['--input-type=module', '-e', script, JSON.stringify([lock, listed, decided])];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
  }

  describe('a package', () => {
    test.each([
      ['(MIT OR GPL-3.0-only)', false, true],
      ['Apache-2.0 AND MIT', false, true],
      ['MPL-2.0', true, true],
      ['MPL-2.0', false, false],
      ['MIT AND GPL-3.0-only', true, false],
      ['AGPL-3.0-only', true, false],
      ['SEE LICENSE IN LICENSE', false, false],
    ])('with the licence %s (for development: %s) may be used: %s', (license, dev, allowed) => {
      expect(faults({ license, dev })).toHaveLength(allowed ? 0 : 1);
    });

    test('without a licence may not be used', () => {
      expect(faults({ license: '' })).toEqual([expect.stringContaining('pad: its licence')]);
    });

    test('with an install script has to be explained and decided', () => {
      const entry = { hasInstallScript: true };
      expect(faults(entry)).toEqual([
        expect.stringContaining('pad has an install script: say why'),
        expect.stringContaining('pad has an install script: decide'),
      ]);
      expect(faults(entry, ['pad'], { pad: false })).toEqual([]);
      expect(faults({}, ['pad'])).toEqual([expect.stringContaining('no install script any more')]);
    });
  });

  test('this project passes its own check', () => {
    expect(() =>
      execFileSync(process.execPath, ['scripts/check-supply.mjs'], { stdio: 'pipe' }),
    ).not.toThrow();
  });

  test('the bill of materials names each package of an installation', () => {
    const path = join(folder(), 'sbom.json');
    execFileSync(process.execPath, ['scripts/sbom.mjs', path], { stdio: 'pipe' });
    const bill = JSON.parse(readFileSync(path, 'utf8')) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component.name).toBe('ollama-sidecar');
    const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, Entry & { optional?: boolean }>;
    };
    const missing = Object.entries(packages)
      .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
      .filter((one) => !named.has(one));
    expect(missing).toEqual([]);
  });
});
