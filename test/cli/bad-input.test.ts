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
  await writeFile(join(cli.dir, 'words'), 'osc_worker_x\nThis token is for the worker x\n');
  await writeFile(join(cli.dir, 'unknown.json'), '{"worker": {"concurency": 2}}');
  await mkdir(join(cli.dir, 'home/ollama-sidecar'), { recursive: true });
  await writeFile(join(cli.dir, 'home/ollama-sidecar/models.json'), '{"models": {"m": {"colour": 1}}}');
  await writeFile(join(cli.dir, 'empty'), '\n');
  await mkdir(join(cli.dir, 'taken/hub.json'), { recursive: true });
  await writeFile(join(cli.dir, 'taken/sessions'), '');
});
afterAll(() => cli.close());

/** What is wrong, the command, its exit code and its message, and variables of its environment. */
type Case = [what: string, command: string, code: number, says: RegExp, env?: Record<string, string>];

/** Puts in what only a run knows: the folder, a port where nobody listens, the address there, and the model server's. */
const filled = (text: string): string =>
  text
    .replace('SOURCES', resolve('.'))
    .replace('DIR', cli.dir)
    .replace('NOWHERE', url())
    .replace('PORT', String(nowhere))
    .replace('MODEL', cli.model.url);
const url = () => `http://127.0.0.1:${nowhere}`;
/** Words as a shell reads them, of which it knows the double quotes only. */
const wordsOf = (command: string): string[] =>
  (command.match(/"[^"]*"|\S+/gu) ?? []).map((word) => filled(word.replaceAll('"', '')));

const cases: Case[] = [
  ['a command that does not exist', 'rum', 2, /unknown command 'rum'\n\(Did you mean run\?\)/u],
  [
    'a subcommand that does not exist',
    'workers drian x',
    2,
    /unknown command 'drian'\n\(Did you mean drain\?\)/u,
  ],
  ['a subcommand like no other', 'models qqqqqq', 2, /^error: unknown command 'qqqqqq'\n\(add --help/u],
  [
    'two ways to work at once',
    'run x --simple --planned',
    2,
    /'--simple' cannot be used with option '--planned'/u,
  ],
  [
    'a number of tasks that is none',
    'up --concurrency many',
    2,
    /Write a whole number of at least 1, or auto\./u,
  ],
  ['an option that does not exist', 'run x --repp .', 2, /unknown option '--repp'/u],
  ['no task', 'run', 2, /Write the description of the task/u],
  [
    'less free disk space than no task is taken below',
    'run x --no-repo',
    7,
    /Too little disk space at .* are free; worker\.minFreeDiskBytes requires/u,
    { SIDECAR_WORKER_MIN_FREE_DISK_BYTES: '9000000000000000' },
  ],
  [
    'no hub at the port that the environment names',
    'tasks',
    5,
    /127\.0\.0\.1:(?!4600)\d+/u,
    { SIDECAR_EMBEDDED_HUB_PORT: 'PORT' },
  ],
  ['an empty task', 'run "  "', 2, /no description/u],
  [
    'an empty repository, such as of a variable that is not set',
    'run x --repo ""',
    2,
    /'--repo <dir-or-url>' argument '' is invalid\. Write a value, or omit the option/u,
  ],
  [
    'an empty check',
    'submit x --verify true --verify " "',
    2,
    /'--verify <command>' argument ' ' is invalid\. Write a value/u,
  ],
  [
    'an empty address to listen on, which would be all there are',
    'hub --host ""',
    2,
    /'--host <address>' argument '' is invalid/u,
  ],
  [
    'a database of a kind that the hub does not know',
    'hub --database mysql://127.0.0.1/hub',
    2,
    /embeddedHub\.database: "mysql:\/\/\S+" \(flag --database\): write the path of a file, or an address that begins with postgres:\/\//u,
  ],
  ['a ladder with an empty name', 'run x --ladder m,', 2, /e\.g\. A,B/u],
  [
    'a folder that is no repository, and none named',
    'run x',
    7,
    /is not a git repository, [^]*\n {2}git init && git add -A && git commit [^]*--no-repo\.\n$/u,
  ],
  [
    'the last task where none was submitted',
    'watch last --hub NOWHERE',
    2,
    /No task was submitted from this machine yet/u,
  ],
  [
    'a temporary folder that cannot be written',
    'run x --no-repo',
    6,
    /The temporary folder \S+empty cannot be written \(ENOTDIR\).* with TMPDIR/u,
    { TMPDIR: 'DIR/empty' },
  ],
  [
    'a data folder that cannot be written',
    'run x --no-repo',
    6,
    /empty\/repositories: it cannot be written; .* with worker\.dataDir/u,
    { SIDECAR_DATA_DIR: 'DIR/empty' },
  ],
  ['a session that is not there', 'dev replay nope', 2, /no session of task nope/u],
  [
    'a past task that is not there',
    'show nope',
    2,
    /Task nope was not found on this machine, and the hub cannot be queried: The hub at /u,
  ],
  [
    'a task to apply outside of a repository',
    'apply nope',
    7,
    /is not a git repository\. Change to a clone/u,
  ],
  ['a number that is none', 'run x --max-iterations many', 2, /whole number of at least 1/u],
  ['a task file that is not JSON', 'run --file DIR/broken.json', 2, /broken\.json is not valid JSON/u],
  ['a task file that is not there', 'submit --file DIR/nope.json', 2, /cannot be read/u],
  ['a task file that holds a list', 'run --file DIR/list.json', 2, /must be one JSON object/u],
  [
    'a configuration file that is not there',
    'config --config DIR/nope.json',
    2,
    /nope\.json cannot be read: ENOENT/u,
  ],
  [
    'a token file that is not there',
    'tasks --hub NOWHERE --token-file DIR/nope',
    2,
    /token file cannot be read: ENOENT/u,
  ],
  [
    'a status that no task has',
    'tasks --hub NOWHERE --status queued,done',
    2,
    /'--status <status>' argument 'queued,done' is invalid\. Write one or more of asks, queued, .* separated by commas/u,
  ],
  [
    'an unknown key of a file',
    'doctor --config DIR/unknown.json',
    2,
    /unknown key worker\.concurency \(file .*unknown\.json\): did you mean worker\.concurrency/u,
  ],
  [
    'a configuration file that is not JSON',
    'config --config DIR/broken.json',
    2,
    /broken\.json is not valid JSON/u,
  ],
  [
    'Ollama not running',
    'run x --no-repo',
    7,
    /no Ollama server at .*ollama serve/u,
    { OLLAMA_HOST: 'NOWHERE' },
  ],
  ...['run x --no-repo', 'demo', 'up', 'start', 'doctor'].map((command): Case => [
    `an address of Ollama that is none, for ${command}`,
    `${command} --ollama-url "htp://x y"`,
    2,
    /ollama\.url: "htp:\/\/x y" \(flag --ollama-url\): write an address such as http:\/\/127\.0\.0\.1:11434/u,
  ]),
  ['an empty address of Ollama', 'run x --ollama-url ""', 2, /'--ollama-url <url>' argument '' is invalid/u],
  [
    'a model that is not installed',
    'run x --no-repo --model nope:1b',
    7,
    /model nope:1b is not installed; run `ollama pull nope:1b` \(installed: m/u,
  ],
  [
    'a repository that does not exist',
    'run x --repo DIR/nowhere',
    7,
    /There is no git repository at .*nowhere/u,
  ],
  ['a folder that is no repository', 'run x --repo DIR/plain', 7, /There is no git repository at .*plain/u],
  [
    'a file of a repository',
    'run x --repo SOURCES/package.json',
    7,
    /There is no git repository at \S+package\.json\. Name a folder/u,
  ],
  [
    'a repository without a commit',
    'run x --repo DIR/unborn',
    7,
    /The repository at \S+unborn has nothing checked out, or no commits yet\. Commit something first/u,
  ],
  ['a machine without git', 'run x --no-repo', 7, /git is not installed\. .*install it/u, { PATH: 'DIR' }],
  ['the demo on a machine without git', 'demo', 7, /git is not installed\. .*install it/u, { PATH: 'DIR' }],
  ['a priority that is no number', 'submit x --priority high', 2, /'--priority <n>'.*whole number/u],
  ['a repository by a protocol that runs programs', 'run x --repo "ext::sh -c id"', 7, /not supported/u],
  ['a worker without a hub', 'start', 2, /No hub is configured\. Use --hub-url/u],
  ['a worker without a token', 'start --hub-url ws://127.0.0.1:1/ws', 2, /No token is configured/u],
  [
    'a token file that is empty',
    'start --hub-url ws://127.0.0.1:1/ws --token-file DIR/empty',
    2,
    /token file .*empty is empty/u,
  ],
  [
    'a hub elsewhere without encryption',
    'start --hub-url ws://hub.example/ws',
    2,
    /must begin with wss:\/\//u,
    { SIDECAR_TOKEN: 'osc_worker_x' },
  ],
  [
    'a hub that is not there, for a worker',
    'start --hub-url ws://127.0.0.1:PORT/ws',
    5,
    /The hub at ws:\S+ did not answer within 0\.3 s/u,
    { SIDECAR_TOKEN: 'osc_worker_x', SIDECAR_HUB_CONNECT_TIMEOUT_MS: '300' },
  ],
  [
    'a hub that is not there, for a command',
    'tasks --hub NOWHERE',
    5,
    /The hub at http:\S+ does not answer \(ECONNREFUSED\)/u,
  ],
  [
    'a hub address that is none',
    'tasks --hub nonsense',
    2,
    /--hub must be an http:\/\/ or https:\/\/ address/u,
  ],
  [
    'a hub address of the environment that is none',
    'tasks',
    2,
    /SIDECAR_HUB_API must be an http:\/\/ or https:\/\/ address, not nonsense/u,
    { SIDECAR_HUB_API: 'nonsense' },
  ],
  [
    'a hub address where something else answers',
    'tasks --hub MODEL',
    1,
    /The server at http:\S+ \(HTTP 404\) is not a hub\. Check the address/u,
  ],
  [
    'a token file with more than a token',
    'tasks --hub NOWHERE --token-file DIR/words',
    2,
    /token file \S+words contains more than a token: write only the token/u,
  ],
  [
    'a name to listen on that nobody knows',
    'hub --host nowhere.invalid',
    2,
    /The hub cannot listen on this address: getaddrinfo \w+ nowhere\.invalid\. Choose another address/u,
  ],
  [
    'a state folder that cannot be made',
    'up',
    6,
    /\/dev\/null\/sidecar/u,
    { SIDECAR_STATE_DIR: '/dev/null/sidecar' },
  ],
  [
    'a file where the sessions should be',
    'show',
    6,
    /not a directory, scandir '\S+taken\/sessions'\. Check the path, its permissions/u,
    { SIDECAR_DATA_DIR: 'DIR/taken' },
  ],
  [
    'a folder where a hub writes its address',
    'hub',
    6,
    /illegal operation on a directory, open '\S+hub\.json'\. Check the path/u,
    { SIDECAR_STATE_DIR: 'DIR/taken', SIDECAR_LOG_LEVEL: 'warn' },
  ],
  [
    'a state folder where the system takes none',
    'up',
    6,
    /\/proc\/none\S*: it cannot be written/u,
    { SIDECAR_STATE_DIR: '/proc/none/state' },
  ],
  [
    'a catalogue of models that is not right',
    'run x --no-repo',
    2,
    /models\.json/u,
    { XDG_CONFIG_HOME: 'DIR/home' },
  ],
  [
    'a database that is none',
    'hub --database DIR/broken.json',
    6,
    /broken\.json: the file is damaged or not a database/u,
  ],
  [
    'a PostgreSQL that is not there',
    'hub --database postgres://hub:secret@127.0.0.1:PORT/hub',
    6,
    /database on 127\.0\.0\.1:\d+ cannot be used/u,
  ],
];

describe('bad input is answered with one message that says what to do, and with its exit code', () => {
  test.each(cases)('%s', async (_what, command, code, says, env = {}) => {
    const given = Object.entries(env).map(([name, value]) => [name, filled(value)]);
    const done = await cli.run(wordsOf(command), Object.fromEntries(given));
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
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringMatching(/no longer exists\. Change/u)]);
    expect(ended.stderr).not.toMatch(/^\s+at /mu);
  });

  test('with --json the message is one JSON object on stderr', async () => {
    const { stderr } = await cli.run(['run', 'x', '--no-repo', '--json'], { OLLAMA_HOST: url() });
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
