/** Make, CMake, Maven and Gradle. */
import type { Project } from '../project.ts';

export const otherProjects: readonly Project[] = [
  {
    name: 'make-shell',
    kind: 'Make',
    needs: ['make'],
    fetch: ':',
    files: {
      Makefile: 'test:\n\t@sh tests/run.sh\n.PHONY: test\n',
      'slug.sh': "printf '%s' \"$1\" | tr 'A-Z ' 'a-z-'\n",
      'tests/run.sh': `echo TAP version 13
is() { # number, name, got, wanted
  if [ "$3" = "$4" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; failed=1; fi
}
is 1 'joins words' "$(sh slug.sh 'A b')" a-b
is 2 'keeps a word' "$(sh slug.sh x)" x
echo 1..2
exit \${failed:-0}
`,
    },
    check: 'make test',
    broken: { file: 'slug.sh', right: "'a-z-'", base: "'a-z_'", wrong: "'a-z.'" },
  },
];
