/** Go modules that ship their tests. */
import { fromGoProxy, type Project } from '../project.ts';

const goModule = (path: string, version: string, broken: Project['broken']): Project => ({
  name: path.replace(/\/v\d+$/, '').replace(/^.*\/(?:go-)?/, 'go-'),
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
  goModule('github.com/google/uuid', 'v1.6.0', {
    file: 'util.go',
    right: 'return (b1 << 4) | b2,',
    base: 'return (b1 << 3) | b2,',
    wrong: 'return (b1 << 5) | b2,',
  }),
  goModule('github.com/dustin/go-humanize', 'v1.0.1', {
    file: 'ordinals.go',
    right: 'if x%100 != 12 {',
    base: 'if x%100 == 12 {',
    wrong: 'if x%100 != 13 && x > 0 {',
  }),
  goModule('github.com/gorilla/mux', 'v1.8.1', {
    file: 'mux.go',
    right: `if p[len(p)-1] == '/' && np != "/" {`,
    base: `if p[len(p)-1] == '/' && np == "/" {`,
    wrong: `if p[len(p)-1] == '.' && np != "/" {`,
  }),
  goModule('github.com/spf13/pflag', 'v1.0.6', {
    file: 'count.go',
    right: '*i = countValue(*i + 1)',
    base: '*i = countValue(*i + 2)',
    wrong: '*i = countValue(*i)',
  }),
  goModule('github.com/mitchellh/mapstructure', 'v1.5.0', {
    file: 'mapstructure.go',
    right: 'case kind >= reflect.Uint && kind <= reflect.Uint64:\n\t\treturn reflect.Uint\n',
    base: 'case kind >= reflect.Uint && kind <= reflect.Uint64:\n\t\treturn reflect.Int\n',
    wrong: 'case kind >= reflect.Uint && kind <= reflect.Uint64:\n\t\treturn reflect.Bool\n',
  }),
  goModule('github.com/mattn/go-runewidth', 'v0.0.16', {
    file: 'runewidth.go',
    right: 'return string(b) + s',
    base: 'return s + string(b) + ""',
    wrong: 'return string(b)',
  }),
  goModule('github.com/Masterminds/semver/v3', 'v3.3.1', {
    file: 'version.go',
    right: 'vNext.minor = v.minor + 1',
    base: 'vNext.minor = v.minor + 2',
    wrong: 'vNext.minor = v.minor',
  }),
  goModule('github.com/hashicorp/go-version', 'v1.7.0', {
    file: 'version.go',
    right: 'LessThan(o *Version) bool {\n\treturn v.Compare(o) < 0',
    base: 'LessThan(o *Version) bool {\n\treturn v.Compare(o) > 0',
    wrong: 'LessThan(o *Version) bool {\n\treturn v.Compare(o) == 0',
  }),
  goModule('github.com/tidwall/gjson', 'v1.18.0', {
    file: 'gjson.go',
    right: "t.Raw[0] == '{'",
    base: "t.Raw[0] == '<'",
    wrong: "t.Raw[0] == '('",
  }),
];
