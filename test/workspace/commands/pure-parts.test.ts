/** The parts of running commands that are functions of their arguments. */
import { describe, expect, test } from '@jest/globals';
import * as fc from '../../support/properties.ts';
import {
  buildCommandEnvironment,
  isWithheld,
} from '../../../sidecar/workspace/commands/command-environment.ts';
import { buildShellArguments } from '../../../sidecar/workspace/commands/command-shell.ts';
import { findDenialReason } from '../../../sidecar/workspace/commands/deny-list.ts';
import { OutputCollector } from '../../../sidecar/workspace/commands/output-collector.ts';
import { processorMs, slowness } from '../../support/pace.ts';

describe('collected output', () => {
  test('is the text again, however its bytes were cut into chunks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.array(fc.nat(9)), (text, cuts) => {
        const collector = new OutputCollector(100_000);
        const bytes = Buffer.from(text);
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          collector.append('stdout', bytes.subarray(at, at + cut));
          at += cut;
        }
        expect(collector.finish()).toMatchObject({ stdout: text, output: text, stderr: '', droppedBytes: 0 });
      }),
    );
  });

  test('keeps the first and the last half of what does not fit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 700 }), (length, chunk) => {
        const text = Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
        const collector = new OutputCollector(1000);
        for (let at = 0; at < length; at += chunk) {
          collector.append('stdout', Buffer.from(text.slice(at, at + chunk)));
        }
        const { stdout, droppedBytes } = collector.finish();
        expect(droppedBytes).toBe(Math.max(0, length - 1000));
        const marker = `\n[... ${droppedBytes} bytes of output were dropped here ...]\n`;
        expect(stdout).toBe(droppedBytes === 0 ? text : text.slice(0, 500) + marker + text.slice(-500));
      }),
    );
  });

  test('never shows half a character at the cut', () => {
    const collector = new OutputCollector(100);
    collector.append('stdout', Buffer.from('€'.repeat(200)));
    expect(collector.finish().stdout).not.toContain('\ufffd');
  });
});

describe('the environment of commands', () => {
  test('has no secrets, settings of the worker and modes of a project', () => {
    const names = [
      'OPENAI_API_KEY APIKEY GITHUB_TOKEN NPM_TOKEN_READ AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID DB_PASSWORD PGPASSWORD',
      'GOOGLE_APPLICATION_CREDENTIALS SIDECAR_HUB_URL OLLAMA_HOST OTEL_EXPORTER_OTLP_HEADERS SSH_AUTH_SOCK',
      'DBUS_SESSION_BUS_ADDRESS LD_PRELOAD NODE_OPTIONS GIT_DIR BASH_ENV MYSQL_PWD SENTRY_DSN SLACK_WEBHOOK',
      'AZURE_CONNECTION_STRING ANYTHING_ELSE npm_config_registry NODE_ENV RAILS_ENV FORCE_COLOR',
    ].flatMap((line) => line.split(' '));
    expect(names.filter((name) => !isWithheld(name, 'x'))).toEqual([]);
    const kept = 'PATH LANG LC_ALL TERM GOPATH JAVA_HOME PYTHONPATH CI VIRTUAL_ENV TOKENIZERS_PARALLELISM';
    expect(kept.split(' ').filter((name) => isWithheld(name, 'x'))).toEqual([]);
  });

  test('has no address with credentials in it', () => {
    expect(isWithheld('GOPROXY', 'https://me:pw@host/')).toBe(true);
    expect(isWithheld('PIP_INDEX_URL', 'https://token@host/simple')).toBe(true);
    expect(isWithheld('GOPROXY', 'https://host/')).toBe(false);
  });

  test.each([
    ['http_proxy', 'user:pw@proxy.example:3128'],
    ['HTTPS_PROXY', 'http://user@proxy'],
    ['MAVEN_OPTS', '-Xmx2g -Dhttp.proxyHost=p -Dhttp.proxyPassword=precious'],
    ['GRADLE_OPTS', '-Porg.gradle.project.repoToken=precious'],
    ['JAVA_TOOL_OPTIONS', '-Djavax.net.ssl.trustStorePassword="precious word"'],
    ['JAVA_OPTS', '--api-key precious'],
    ['GOFLAGS', '-ldflags=-X main.secret=precious'],
    ['CFLAGS', '-DDB_PASS=precious'],
  ])('%s with a secret in its value is withheld', (name, value) => {
    expect(isWithheld(name, value)).toBe(true);
  });

  test.each([
    ['http_proxy', 'proxy.example:3128'],
    ['MAVEN_OPTS', '-Xmx2g -Dhttp.proxyHost=p -Dhttp.proxyPort=8080 -XX:+UseG1GC'],
    ['JAVA_TOOL_OPTIONS', '-Djavax.net.ssl.trustStore=/etc/ssl/store -Dfile.encoding=UTF-8'],
    ['RUSTFLAGS', '-C target-cpu=native --cfg tokio_unstable'],
    ['GOFLAGS', '-mod=vendor -tags=integration'],
    ['LD', '/usr/bin/ld'],
  ])('%s without one is passed on', (name, value) => {
    expect(isWithheld(name, value)).toBe(false);
  });

  test('has what the operator adds by name', () => {
    const added = ['APP_MODE', 'BUILD_*'];
    expect(isWithheld('APP_MODE', 'x', added)).toBe(false);
    expect(isWithheld('BUILD_ID', 'x', added)).toBe(false);
    expect(isWithheld('APP_MODES', 'x', added)).toBe(true);
  });

  test('has the scratch folders, and where toolchains of the operator are', () => {
    expect(
      buildCommandEnvironment({
        workerVariables: { PATH: '/bin', HOME: '/home/me', A_TOKEN: 'x', GOPATH: '/go' },
        home: '/tmp/.home',
        temporary: '/tmp',
        operatorHome: '/home/me',
        isAccessible: (path) => path === '/home/me/.rustup',
        overrides: { EXTRA: '1' },
      }),
    ).toEqual({
      PATH: '/bin',
      HOME: '/tmp/.home',
      TMPDIR: '/tmp',
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      GOPATH: '/go',
      RUSTUP_HOME: '/home/me/.rustup',
      GIT_TERMINAL_PROMPT: '0',
      GIT_PAGER: 'cat',
      PAGER: 'cat',
      CI: 'true',
      EXTRA: '1',
    });
  });
});

describe('the deny list', () => {
  test.each([
    'sudo apt install x',
    'cd /tmp && sudo rm x',
    'FOO=1 sudo -E make',
    '/usr/bin/sudo ls',
    'mkfs.ext4 /dev/sda1',
    'shutdown -h now',
    'if true; then reboot; fi',
    ':(){ :|:& };:',
    'bomb() { bomb | bomb & }; bomb',
    'rm -rf /',
    'rm -r -f "/"',
    'rm -rf /*',
    'rm --recursive --no-preserve-root /',
    'dd if=/dev/zero of=/dev/sda',
  ])('refuses %s', (command) => {
    expect(findDenialReason(command)).toMatch(/^Refused: /);
  });

  test.each([
    'npm test',
    'rm -rf ./dist /tmp/x',
    'rm -rf node_modules && npm ci',
    'grep -rn sudo docs/',
    'echo "do not shutdown"',
    'git log --grep=reboot',
    'cat src/halt.ts',
    'f() { a | b; }; f',
    'dd if=/dev/zero of=disk.img count=1',
    './sudo.sh',
  ])('lets %s through', (command) => {
    expect(findDenialReason(command)).toBeUndefined();
  });

  test('is fast on anything', () => {
    const tookMs = processorMs(() => {
      findDenialReason(`${'a '.repeat(100_000)}(){ ${'x|'.repeat(50_000)}`);
      findDenialReason('rm '.repeat(50_000));
      findDenialReason(`f${'(){'.repeat(7_000)}`);
      findDenialReason(`${'a'.repeat(9_000)}(){${'a'.repeat(9_000)}`);
      findDenialReason(`f(${' '.repeat(9_000)})${' '.repeat(9_000)}`);
      findDenialReason('\n'.repeat(20_000));
      findDenialReason(';a='.repeat(7_000));
      findDenialReason('A=1 '.repeat(20_000));
    });
    expect(tookMs).toBeLessThan(5_000 * slowness());
  });
});

test('limits are set in the units of the shell, on the line of the command', () => {
  const limits = { maxMemoryBytes: 2 ** 30, maxFileBytes: 2 ** 20, maxCpuSeconds: 60, maxProcesses: 100 };
  expect(buildShellArguments({ path: '/bin/bash', isBash: true }, 'make', limits)).toEqual([
    '-c',
    '{ ulimit -c 0; echo 1000 > /proc/self/oom_score_adj; ulimit -d 1048576; ulimit -f 1024; ulimit -t 60; ulimit -u 100; } 2>/dev/null; make',
  ]);
  expect(
    buildShellArguments({ path: '/bin/sh', isBash: false }, 'make', {
      maxFileBytes: 2 ** 20,
      maxProcesses: 9,
    }),
  ).toEqual([
    '-c',
    '{ ulimit -c 0; echo 1000 > /proc/self/oom_score_adj; ulimit -f 2048; ulimit -p 9; } 2>/dev/null; make',
  ]);
});
