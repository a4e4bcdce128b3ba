/** Go modules that ship their tests. */
import { fromGoProxy, type Project } from '../project.ts';

const goModule = (path: string, version: string, broken: Project['broken']): Project => ({
  name: `go-${path
    .replace(/\/v\d+$/, '')
    .split('/')
    .at(-1)}`,
  kind: 'go test',
  needs: ['go'],
  fetch: fromGoProxy(path, version),
  prepare: 'go mod download && go test ./... >/dev/null',
  check: 'go test -v ./...',
  broken,
});

export const goModules: readonly Project[] = [
  goModule('github.com/google/shlex', 'v0.0.0-20191202100458-e7afc7fbc510', {
    file: 'shlex.go',
    right: 'return a.value == b.value',
    base: 'return a.value != b.value',
    wrong: 'return a.value < b.value',
  }),
];
