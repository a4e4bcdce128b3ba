import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { cp, readdir, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { startCollector, type Collector } from '../support/collector.ts';
import { commandLine, repair, type CommandLine } from './command-line.ts';

let cli: CommandLine;
let collector: Collector;
beforeEach(async () => {
  cli = await commandLine(repair);
  collector = await startCollector();
});
afterEach(async () => {
  await cli.close();
  await collector.close();
});

const PASSWORD = 'c29tZWJvZHk6cGFzc3dvcmQ=';

test('run sends its trace where OTEL_EXPORTER_OTLP_ENDPOINT says, with the headers, which nobody sees', async () => {
  const repo = await cli.repository();
  const args = ['run', 'repair it', '--repo', repo, '--verify', 'grep -q good a.txt'];
  const { code, stdout, stderr } = await cli.run(args, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Basic%20${encodeURIComponent(PASSWORD)}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    SIDECAR_LOG_LEVEL: 'debug',
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain('Sending traces');
  const [request] = collector.requests;
  expect(request?.headers).toMatchObject({
    authorization: `Basic ${PASSWORD}`,
    'content-type': 'application/json',
  });
  expect(stdout + stderr).not.toContain(PASSWORD);
  expect(collector.spans.map(({ name }) => name)).toEqual([
    'chat m',
    'execute_tool read_file',
    'chat m',
    'execute_tool edit_file',
    'chat m',
    'invoke_agent ollama-sidecar',
  ]);
  expect(collector.spans[0]?.resource).toMatchObject({
    'service.name': 'ollama-sidecar',
    'deployment.environment.name': 'test',
  });
});

test('a collector that nobody reaches costs run neither its result nor more than seconds', async () => {
  const url = collector.url;
  await collector.close();
  const repo = await cli.repository();
  const { code, stderr } = await cli.run(
    ['run', 'repair it', '--repo', repo, '--verify', 'grep -q good a.txt'],
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      SIDECAR_LOG_LEVEL: 'warn',
    },
  );
  expect(code).toBe(0);
  // Not a line for each span: there are six. A slow run may end long enough after the first line for another.
  const told = stderr.match(/The collector did not take spans/gu)?.length ?? 0;
  expect([1, 2]).toContain(told);
});

test('without an endpoint nothing of it is loaded or sent', async () => {
  const dist = join(cli.dir, 'dist');
  await cp(resolve('dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  await symlink(resolve('node_modules'), join(cli.dir, 'node_modules'));
  const chunks = await readdir(join(dist, 'chunks'));
  const own = chunks.filter((name) => name.startsWith('trace'));
  expect(own.length).toBeGreaterThan(0);
  for (const name of own) await rm(join(dist, 'chunks', name));
  const repo = await cli.repository();
  const { exitCode, stderr } = await execa(
    process.execPath,
    [join(dist, 'cli.js'), 'run', 'repair it', '--repo', repo],
    {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: cli.dir,
        OLLAMA_HOST: cli.model.url,
        SIDECAR_STATE_DIR: cli.stateDir,
        SIDECAR_MODEL: 'm',
        SIDECAR_SANDBOX_MODE: 'off',
        OTEL_SDK_DISABLED: 'true',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      },
      extendEnv: false,
      reject: false,
      timeout: 25_000,
    },
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(collector.requests).toEqual([]);
});
