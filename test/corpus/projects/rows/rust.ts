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
  crate('semver', '1.0.26', {
    file: 'src/eval.rs',
    right: 'Op::Tilde => matches_tilde(cmp, ver)',
    base: 'Op::Tilde => matches_caret(cmp, ver)',
    wrong: 'Op::Tilde => matches_exact(cmp, ver)',
  }),
  crate('heck', '0.5.0', {
    file: 'src/lib.rs',
    right: 'char_indices.next() {\n        write!(f, "{}", c.to_uppercase())?;',
    base: 'char_indices.next() {\n        write!(f, "{}", c.to_lowercase())?;',
    wrong: 'char_indices.next() {\n        write!(f, "{}", c)?;',
  }),
  crate('strsim', '0.11.1', {
    file: 'src/lib.rs',
    right:
      'result = min(result + 1, min(distance_a, distance_b + 1));\n            cache[j] = result;\n        }\n    }\n\n    result\n}',
    base: 'result = min(result + 2, min(distance_a, distance_b + 1));\n            cache[j] = result;\n        }\n    }\n\n    result\n}',
    wrong:
      'result = min(result, min(distance_a, distance_b + 1));\n            cache[j] = result;\n        }\n    }\n\n    result\n}',
  }),
  crate('shell-words', '1.1.0', {
    file: 'src/lib.rs',
    right: `line.push(' ');\n        line`,
    base: `line.push('_');\n        line`,
    wrong: `line.push('-');\n        line`,
  }),
  crate('unicode-width', '0.2.1', {
    file: 'src/lib.rs',
    right: 'fn width(self) -> Option<usize> {\n        tables::single_char_width(self)',
    base: 'fn width(self) -> Option<usize> {\n        tables::single_char_width(self).map(|w| w + 1)',
    wrong: 'fn width(self) -> Option<usize> {\n        tables::single_char_width(self).map(|_| 1)',
  }),
  crate('either', '1.15.0', {
    file: 'src/lib.rs',
    right: 'Left(_) => true,\n            Right(_) => false,',
    base: 'Left(_) => false,\n            Right(_) => true,',
    wrong: 'Left(_) => true,\n            Right(_) => true,',
  }),
  crate('numtoa', '0.2.4', {
    file: 'src/lib.rs',
    right: 'as u16 / 10) * 2',
    base: 'as u16 / 11) * 2',
    wrong: 'as u16 / 12) * 2',
  }),
  crate('fnv', '1.0.7', {
    file: 'lib.rs',
    right: 'hash = hash.wrapping_mul(0x100000001b3);',
    base: 'hash = hash.wrapping_mul(0x100000001b1);',
    wrong: 'hash = hash.wrapping_mul(0x100000001b7);',
  }),
  crate('arrayvec', '0.7.6', {
    file: 'src/array_string.rs',
    right: 'self.capacity() - self.len()\n',
    base: 'self.capacity() - self.len() + 1\n',
    wrong: 'self.len()\n',
  }),
];
