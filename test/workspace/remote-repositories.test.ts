import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { maskCredentials } from '../../sidecar/base/addresses/credentials.ts';
import { prepareWorkspace } from '../../sidecar/workspace/prepare-workspace.ts';
import { prepared } from './prepared.ts';
import { cleanUp, git, places, repository, temporaryFolder, write } from './repositories.ts';

afterAll(cleanUp);

/** `git http-backend` behind basic authentication. */
async function serveRepository(
  root: string,
): Promise<{ port: number; authorizations: Set<string>; close: () => Promise<void> }> {
  const authorizations = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    authorizations.add(request.headers.authorization ?? 'none');
    if (request.headers.authorization !== `Basic ${Buffer.from('bot:s3cret').toString('base64')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'bot',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      const headers = output
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ', 2) as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1];
      response.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers));
      response.end(output.subarray(end + 4));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    authorizations,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a remote repository', () => {
  test('file:// is fetched like a remote: default branch, branch, tag, commit', async () => {
    const repo = repository();
    const first = git(repo, 'rev-parse', 'HEAD');
    git(repo, 'tag', '-m', 'annotated', 'v1');
    git(repo, 'checkout', '-q', '-b', 'dev');
    write(repo, { 'a.txt': 'dev\n' });
    git(repo, 'commit', '-qam', 'dev');
    git(repo, 'checkout', '-q', 'main');
    const url = `file://${repo}`;
    const shared = places();
    const base = async (id: string, task: object): Promise<string | undefined> =>
      (await prepared({ task_id: id, repo: url, ...task }, shared)).baseCommit;
    expect(await base('1', {})).toBe(first);
    expect(await base('2', { branch: 'dev' })).toBe(git(repo, 'rev-parse', 'dev'));
    expect(await base('3', { base_ref: 'v1' })).toBe(first);
    expect(await base('4', { base_ref: first })).toBe(first);
    expect(await base('6', { branch: 'origin/dev~1' })).toBe(first);
    expect(await base('7', { branch: 'v1' })).toBe(first);
    expect(
      await prepareWorkspace({ ...shared, task: { task_id: '5', repo: url, branch: 'none' } }),
    ).toMatchObject({
      ok: false,
      failure: {
        code: 'workspace_branch_missing',
        message: `none is not a branch, tag or commit of ${url}. Its branches: dev, main`,
      },
    });
    git(repo, 'symbolic-ref', 'HEAD', 'refs/heads/gone');
    expect(await prepareWorkspace({ ...shared, task: { task_id: '8', repo: url } })).toMatchObject({
      failure: {
        message: `${url} has a HEAD that points to no existing branch. Name a branch. Its branches: dev, main`,
      },
    });
  });

  test('is pushed to only where the operator says so', async () => {
    const bare = temporaryFolder();
    git(bare, 'clone', '-q', '--bare', repository(), '.');
    const work = async (id: string, push: 'never' | 'branch'): Promise<unknown> => {
      const workspace = await prepared({ task_id: id, repo: `file://${bare}` }, { push });
      write(workspace.dir, { 'b.txt': 'b\n' });
      await workspace.commit('b');
      const published = await workspace.publish();
      await workspace.release({ keepBranch: true });
      return published.ok ? published.value?.where : published;
    };
    expect(await work('kept', 'never')).toBe('cache');
    expect(git(bare, 'branch', '--list', 'sidecar/*')).toBe('');
    expect(await work('pushed', 'branch')).toBe('remote');
    expect(git(bare, 'branch', '--list', 'sidecar/*')).toBe('sidecar/pushed');
  });

  test('credentials in the URL reach the server and nothing else', async () => {
    const root = temporaryFolder();
    git(root, 'clone', '-q', '--bare', repository(), 'repo.git');
    git(join(root, 'repo.git'), 'config', 'http.receivepack', 'true');
    const server = await serveRepository(root);
    const logged: string[] = [];
    const log = (fields: object, message: string): void =>
      void logged.push(`${JSON.stringify(fields)} ${message}`);
    const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
    try {
      const repo = `http://bot:s3cret@127.0.0.1:${server.port}/repo.git`;
      const workspace = await prepared({ task_id: 't', repo }, { push: 'branch', logger });
      write(workspace.dir, { 'b.txt': 'b\n' });
      await workspace.commit('b');
      expect(await workspace.publish()).toMatchObject({ ok: true, value: { where: 'remote' } });
      expect(git(join(root, 'repo.git'), 'branch', '--list', 'sidecar/*')).toBe('sidecar/t');
      for (const file of ['config', 'packed-refs', 'FETCH_HEAD']) {
        let text = '';
        try {
          text = readFileSync(join(workspace.gitDirs[0]!, file), 'utf8');
        } catch {
          // Most of them do not exist, which is as good.
        }
        expect(text).not.toContain('s3cret');
      }
      const wrong = await prepareWorkspace({
        ...places(),
        logger,
        task: { task_id: 'w', repo: `http://bot:wr0ng@127.0.0.1:${server.port}/repo.git` },
      });
      expect(wrong).toMatchObject({ ok: false, failure: { code: 'workspace_fetch_failed' } });
      expect(`${JSON.stringify(wrong)}${logged.join('\n')}`).not.toMatch(/s3cret|wr0ng/);
    } finally {
      await server.close();
    }
  });

  test('a server that does not answer is a failure that says which', async () => {
    const outcome = await prepareWorkspace({
      ...places(),
      task: { task_id: 't', repo: 'http://user:pass@127.0.0.1:9/repo' },
    });
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: 'workspace_fetch_failed', retryable: true },
    });
    expect(JSON.stringify(outcome)).not.toContain('pass');
  });

  test('an abort ends the wait', async () => {
    const hanging = createServer(() => undefined);
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    const { port } = hanging.address() as AddressInfo;
    const controller = new AbortController();
    hanging.once('request', () => controller.abort());
    const outcome = await prepareWorkspace({
      ...places(),
      signal: controller.signal,
      task: { task_id: 't', repo: `http://127.0.0.1:${port}/repo` },
    });
    hanging.closeAllConnections();
    hanging.close();
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'aborted' } });
  });
});

test('credentials are masked in every URL of a text', () => {
  expect(maskCredentials("fatal: 'https://user:p@ss@host/x' and ssh://git@host/y and https://host/z")).toBe(
    "fatal: 'https://***@host/x' and ssh://***@host/y and https://host/z",
  );
});
