/** Crates that ship their tests. */
import { fromCrates, type Project } from '../project.ts';

const crate = (name: string, version: string, broken: Project['broken']): Project => ({
  name: `crate-${name}`,
  kind: 'cargo test',
  needs: ['cargo'],
  fetch: fromCrates(name, version),
  prepare: 'cargo test --quiet >/dev/null',
  check: 'cargo test --offline',
  broken,
});

export const crates: readonly Project[] = [
  crate('roman', '0.1.6', {
    file: 'src/lib.rs',
    right: '("X", 10),   ("IX", 9)',
    base: '("X", 10),   ("IX", 8)',
    wrong: '("X", 10),   ("IX", 7)',
  }),
];
