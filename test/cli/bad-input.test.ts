import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { freePort } from '../support/free-port.ts';
import { commandLine, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
let nowhere: number;
beforeAll(async () => {
  cli = await commandLine(repair);
  nowhere = await freePort();
  await mkdir(join(cli.dir, 'plain'));
  await execa('git', ['init', '-q', join(cli.dir, 'unborn')]);
  await writeFile(join(cli.dir, 'broken.json'), '{"worker": ');
  await writeFile(join(cli.dir, 'list.json'), '[]');
  await writeFile(join(cli.dir, 'words'), 'osc_worker_x\nA token for the worker x\n');
  await writeFile(join(cli.dir, 'unknown.json'), '{"worker": {"concurency": 2}}');
  await mkdir(join(cli.dir, 'home/ollama-sidecar'), { recursive: true });
  await writeFile(join(cli.dir, 'home/ollama-sidecar/models.json'), '{"models": {"m": {"colour": 1}}}');
  await writeFile(join(cli.dir, 'empty'), '\n');
  await mkdir(join(cli.dir, 'taken/hub.json'), { recursive: true });
  await writeFile(join(cli.dir, 'taken/sessions'), '');
});
afterAll(() => cli.close());

interface Case {
  name: string;
  args: () => string[];
  env?: () => Record<string, string>;
  code: number;
  says: RegExp;
}

const inDir = (name: string) => join(cli.dir, name);
const url = () => `http://127.0.0.1:${nowhere}`;

const cases: Case[] = [
  {
    name: 'a command that does not exist',
    args: () => ['rum'],
    code: 2,
    says: /unknown command 'rum'\n\(Did you mean run\?\)/u,
  },
  {
    name: 'an option that does not exist',
    args: () => ['run', 'x', '--repp', '.'],
    code: 2,
    says: /unknown option '--repp'/u,
  },
  { name: 'no task', args: () => ['run'], code: 2, says: /Say what is to be done/u },
  {
    name: 'less free disk space than no task is taken below',
    args: () => ['run', 'x'],
    env: () => ({ SIDECAR_WORKER_MIN_FREE_DISK_BYTES: '9000000000000000' }),
    code: 7,
    says: /Too little disk space at .* are free where worker\.minFreeDiskBytes wants/u,
  },
  {
    name: 'no hub at the port that the environment names',
    args: () => ['tasks'],
    env: () => ({ SIDECAR_EMBEDDED_HUB_PORT: String(nowhere) }),
    code: 5,
    says: /127\.0\.0\.1:(?!4600)\d+/u,
  },
  { name: 'an empty task', args: () => ['run', '  '], code: 2, says: /no description/u },
  {
    name: 'an empty repository, such as of a variable that is not set',
    args: () => ['run', 'x', '--repo', ''],
    code: 2,
    says: /'--repo <dir-or-url>' argument '' is invalid\. Write a value, or leave the option out/u,
  },
  {
    name: 'an empty check',
    args: () => ['submit', 'x', '--verify', 'true', '--verify', ' '],
    code: 2,
    says: /'--verify <command>' argument ' ' is invalid\. Write a value/u,
  },
  {
    name: 'an empty address to listen on, which would be all there are',
    args: () => ['hub', '--host', ''],
    code: 2,
    says: /'--host <address>' argument '' is invalid/u,
  },
  {
    name: 'a database of a kind that the hub does not know',
    args: () => ['hub', '--database', 'mysql://127.0.0.1/hub'],
    code: 2,
    says: /embeddedHub\.database: "mysql:\/\/\S+" \(flag --database\): write the path of a file, or an address that begins with postgres:\/\//u,
  },
  {
    name: 'a number that is none',
    args: () => ['run', 'x', '--max-iterations', 'many'],
    code: 2,
    says: /whole number from 1/u,
  },
  {
    name: 'a task file that is not JSON',
    args: () => ['run', '--file', inDir('broken.json')],
    code: 2,
    says: /broken\.json is not valid JSON/u,
  },
  {
    name: 'a task file that is not there',
    args: () => ['submit', '--file', inDir('nope.json')],
    code: 2,
    says: /cannot be read/u,
  },
  {
    name: 'a task file that holds a list',
    args: () => ['run', '--file', inDir('list.json')],
    code: 2,
    says: /must be one JSON object/u,
  },
  {
    name: 'a configuration file that is not there',
    args: () => ['config', '--config', inDir('nope.json')],
    code: 2,
    says: /nope\.json cannot be read: ENOENT/u,
  },
  {
    name: 'a token file that is not there',
    args: () => ['tasks', '--hub', url(), '--token-file', inDir('nope')],
    code: 2,
    says: /token file cannot be read: ENOENT/u,
  },
  {
    name: 'a status that no task has',
    args: () => ['tasks', '--hub', url(), '--status', 'queued,done'],
    code: 2,
    says: /'--status <status>' argument 'queued,done' is invalid\. Write one or more of queued, assigned, .* with a comma between them/u,
  },
  {
    name: 'an unknown variable',
    args: () => ['run', 'x'],
    env: () => ({ SIDECAR_WROKER_CONCURRENCY: '2' }),
    code: 2,
    says: /unknown key SIDECAR_WROKER_CONCURRENCY .*did you mean SIDECAR_WORKER_CONCURRENCY/u,
  },
  {
    name: 'an unknown key of a file',
    args: () => ['doctor', '--config', inDir('unknown.json')],
    code: 2,
    says: /unknown key worker\.concurency \(file .*unknown\.json\): did you mean worker\.concurrency/u,
  },
  {
    name: 'a value that is out of range',
    args: () => ['config'],
    env: () => ({ SIDECAR_WORKER_CONCURRENCY: '0' }),
    code: 2,
    says: /worker\.concurrency: 0 \(environment SIDECAR_WORKER_CONCURRENCY\): write a value of at least 1/u,
  },
  {
    name: 'a configuration file that is not JSON',
    args: () => ['config', '--config', inDir('broken.json')],
    code: 2,
    says: /broken\.json is not valid JSON/u,
  },
  {
    name: 'Ollama not running',
    args: () => ['run', 'x'],
    env: () => ({ OLLAMA_HOST: url() }),
    code: 7,
    says: /no Ollama server at .*ollama serve/u,
  },
  ...['run', 'demo', 'up', 'start', 'doctor'].map((command) => ({
    name: `an address of Ollama that is none, for ${command}`,
    args: () => [command, ...(command === 'run' ? ['x'] : []), '--ollama-url', 'htp://x y'],
    code: 2,
    says: /ollama\.url: "htp:\/\/x y" \(flag --ollama-url\): write an address such as http:\/\/127\.0\.0\.1:11434/u,
  })),
  {
    name: 'an empty address of Ollama',
    args: () => ['run', 'x', '--ollama-url', ''],
    code: 2,
    says: /'--ollama-url <url>' argument '' is invalid/u,
  },
  {
    name: 'an address of Ollama in the environment that is none',
    args: () => ['run', 'x'],
    env: () => ({ OLLAMA_HOST: ':::' }),
    code: 2,
    says: /ollama\.url: ":::" \(environment OLLAMA_HOST\): write an address/u,
  },
  {
    name: 'a model that is not installed',
    args: () => ['run', 'x', '--model', 'nope:1b'],
    code: 7,
    says: /model nope:1b is not installed; run `ollama pull nope:1b` \(installed: m/u,
  },
  {
    name: 'a repository that does not exist',
    args: () => ['run', 'x', '--repo', inDir('nowhere')],
    code: 7,
    says: /There is no git repository at .*nowhere/u,
  },
  {
    name: 'a folder that is no repository',
    args: () => ['run', 'x', '--repo', inDir('plain')],
    code: 7,
    says: /There is no git repository at .*plain/u,
  },
  {
    name: 'a file of a repository',
    args: () => ['run', 'x', '--repo', resolve('package.json')],
    code: 7,
    says: /There is no git repository at \S+package\.json\. Name a folder/u,
  },
  {
    name: 'a repository without a commit',
    args: () => ['run', 'x', '--repo', inDir('unborn')],
    code: 7,
    says: /The repository at \S+unborn has nothing checked out, or no commits yet\. Commit something first/u,
  },
  {
    name: 'a machine without git',
    args: () => ['run', 'x'],
    env: () => ({ PATH: cli.dir }),
    code: 7,
    says: /git is not installed, .*install it/u,
  },
  {
    name: 'the demo on a machine without git',
    args: () => ['demo'],
    env: () => ({ PATH: cli.dir }),
    code: 7,
    says: /git is not installed, .*install it/u,
  },
  {
    name: 'a priority that is no number',
    args: () => ['submit', 'x', '--priority', 'high'],
    code: 2,
    says: /'--priority <n>'.*whole number/u,
  },
  {
    name: 'a repository by a protocol that runs programs',
    args: () => ['run', 'x', '--repo', 'ext::sh -c id'],
    code: 7,
    says: /not supported/u,
  },
  {
    name: 'a worker without a hub',
    args: () => ['start'],
    code: 2,
    says: /A worker needs a hub: give --hub-url/u,
  },
  {
    name: 'a worker without a token',
    args: () => ['start', '--hub-url', 'ws://127.0.0.1:1/ws'],
    code: 2,
    says: /A worker needs a token/u,
  },
  {
    name: 'a token file that is empty',
    args: () => ['start', '--hub-url', 'ws://127.0.0.1:1/ws', '--token-file', inDir('empty')],
    code: 2,
    says: /token file .*empty is empty/u,
  },
  {
    name: 'a hub elsewhere without encryption',
    args: () => ['start', '--hub-url', 'ws://hub.example/ws'],
    env: () => ({ SIDECAR_TOKEN: 'osc_worker_x' }),
    code: 2,
    says: /must begin with wss:\/\//u,
  },
  {
    name: 'a hub that is not there, for a worker',
    args: () => ['start', '--hub-url', `ws://127.0.0.1:${nowhere}/ws`],
    env: () => ({ SIDECAR_TOKEN: 'osc_worker_x', SIDECAR_HUB_CONNECT_TIMEOUT_MS: '300' }),
    code: 5,
    says: /The hub at ws:\S+ did not answer within 0\.3 s/u,
  },
  {
    name: 'a hub that is not there, for a command',
    args: () => ['tasks', '--hub', url()],
    code: 5,
    says: /The hub at http:\S+ does not answer \(ECONNREFUSED\)/u,
  },
  {
    name: 'a hub address that is none',
    args: () => ['tasks', '--hub', 'nonsense'],
    code: 2,
    says: /--hub wants an http:\/\/ or https:\/\/ address/u,
  },
  {
    name: 'a hub address of the environment that is none',
    args: () => ['tasks'],
    env: () => ({ SIDECAR_HUB_API: 'nonsense' }),
    code: 2,
    says: /SIDECAR_HUB_API wants an http:\/\/ or https:\/\/ address, not nonsense/u,
  },
  {
    name: 'a hub address where something else answers',
    args: () => ['tasks', '--hub', cli.model.url],
    code: 1,
    says: /What answers at http:\S+ \(HTTP 404\) is not the API of a hub\. Check the address/u,
  },
  {
    name: 'a token file with more than a token',
    args: () => ['tasks', '--hub', url(), '--token-file', inDir('words')],
    code: 2,
    says: /token file \S+words holds more than a token: write the token alone/u,
  },
  {
    name: 'a name to listen on that nobody knows',
    args: () => ['hub', '--host', 'nowhere.invalid'],
    code: 2,
    says: /The hub cannot listen there: getaddrinfo \w+ nowhere\.invalid\. Choose another address/u,
  },
  {
    name: 'a state folder that cannot be made',
    args: () => ['up'],
    env: () => ({ SIDECAR_STATE_DIR: '/dev/null/sidecar' }),
    code: 6,
    says: /\/dev\/null\/sidecar/u,
  },
  {
    name: 'a file where the sessions should be',
    args: () => ['sessions'],
    env: () => ({ SIDECAR_DATA_DIR: inDir('taken') }),
    code: 6,
    says: /not a directory, scandir '\S+taken\/sessions'\. Check what is there, its permissions/u,
  },
  {
    name: 'a folder where a hub writes its address',
    args: () => ['hub'],
    env: () => ({ SIDECAR_STATE_DIR: inDir('taken'), SIDECAR_LOG_LEVEL: 'warn' }),
    code: 6,
    says: /illegal operation on a directory, open '\S+hub\.json'\. Check what is there/u,
  },
  {
    name: 'a state folder where the system takes none',
    args: () => ['up'],
    env: () => ({ SIDECAR_STATE_DIR: '/proc/none/state' }),
    code: 6,
    says: /\/proc\/none\S*: it cannot be written/u,
  },
  {
    name: 'a catalogue of models that is not right',
    args: () => ['run', 'x'],
    env: () => ({ XDG_CONFIG_HOME: inDir('home') }),
    code: 2,
    says: /models\.json/u,
  },
  {
    name: 'a database that is none',
    args: () => ['hub', '--database', inDir('broken.json')],
    code: 6,
    says: /broken\.json: it is damaged/u,
  },
  {
    name: 'a PostgreSQL that is not there',
    args: () => ['hub', '--database', `postgres://hub:secret@127.0.0.1:${nowhere}/hub`],
    code: 6,
    says: /database on 127\.0\.0\.1:\d+ cannot be used/u,
  },
];

describe('bad input is answered with one message that says what to do, and with its exit code', () => {
  test.each(cases)('$name: $code', async ({ args, env, code, says }) => {
    const done = await cli.run(args(), env?.());
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code, stderr: expect.stringMatching(says) });
    expect(done.stderr).not.toMatch(/^\s+at /mu);
    expect(done.stderr).not.toContain('secret@');
    expect(done.stdout).toBe('');
  });

  test('a folder that is gone below one’s feet', async () => {
    const gone = join(cli.dir, 'gone');
    await mkdir(gone);
    const command = [process.execPath, resolve('dist/cli.js'), 'run', 'x', '--repo', '.'];
    const script = 'rmdir "$PWD" && exec "$@"';
    const options = { cwd: gone, env: cli.env, extendEnv: false, reject: false };
    const ended = await execa('sh', ['-c', script, 'sh', ...command], options);
    expect([ended.exitCode, ended.stderr]).toEqual([
      2,
      expect.stringMatching(/is not there any more: change/u),
    ]);
    expect(ended.stderr).not.toMatch(/^\s+at /mu);
  });

  test('with --json the message is one JSON object on stderr', async () => {
    const { stderr } = await cli.run(['run', 'x', '--json'], { OLLAMA_HOST: url() });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'model_unreachable' } });
  });

  test.each([
    [['rum', '--json'], /^unknown command 'rum'\n\(Did you mean run\?\)$/u],
    [['run', 'x', '--json', '--repp'], /^unknown option '--repp'/u],
    [['watch', '--json'], /^missing required argument 'id'$/u],
    [['run', 'x', '--json', '--timeout', '0'], /^option '--timeout <seconds>' argument '0' is invalid/u],
  ])('a use that is wrong, too: %j', async (args, message) => {
    const { code, stderr, stdout } = await cli.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage_invalid', message: expect.stringMatching(message) },
    });
  });
});
