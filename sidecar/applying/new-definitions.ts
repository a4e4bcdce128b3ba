/** What an answer defines, the file has not, and is still not to be added: examples, tests, what is left out. */
import type { Definition, SourceFile } from '../definitions/index.ts';
import type { CodeBlock } from './code-block.ts';
import { hasMark } from './marks.ts';
import { isUsed } from './texts.ts';
import type { LeftOut } from './types.ts';

interface Place {
  file: SourceFile;
  block: CodeBlock;
  path: string;
  /** Whether a part stands in the file. */
  isOld: (part: string) => boolean;
}

type Refusal = Pick<LeftOut, 'reason' | 'kind'>;

const TEST = /^(describe|it|test|suite|context|before\w*|after\w*)\b/;
const EXAMPLE_NAME = /^(?:example|test|sample|result|output|input)/i;

const A_TEST: Refusal = { reason: 'it is a test', kind: 'example' };

/** As pytest, unittest and Go's own tests are named. */
const isTest = ({ name, kind, parameters = '', signature }: Definition): boolean =>
  (kind === 'function' && name.startsWith('test_')) ||
  (kind === 'function' && /^Test[A-Z]/.test(name) && parameters.includes('*testing.T')) ||
  (kind === 'class' && /^Test[A-Z]/.test(name) && signature.includes('TestCase'));

/** The `main` that an example in Go needs: the file is of another package. */
const isForeignMain = ({ name, kind }: Definition, { file, isOld }: Place): boolean =>
  file.language === 'go' && kind === 'function' && name === 'main' && !isOld('package main');

const isPartOfBody = ({ items, text }: CodeBlock): boolean =>
  items.some(
    (item) => item.type === 'statement' && /^return\b/.test(text.slice(item.start, item.start + 10)),
  );

/** Undefined when it is to be added. */
export function whyNotNew(definition: Definition, place: Place): Refusal | undefined {
  const { file, block, path, isOld } = place;
  if (definition.name === 'module.exports' || definition.name === 'default')
    return { reason: 'the file exports in another way', kind: 'ambiguous' };
  if (definition.kind === 'call') {
    const [callee] = definition.name.split('(');
    const hasLike = file.definitions.some(
      (each) => each.kind === 'call' && each.name.split('(')[0] === callee,
    );
    return TEST.test(definition.name) && !hasLike ? A_TEST : undefined;
  }
  if (isTest(definition) && !/test/i.test(path) && !file.definitions.some(isTest)) return A_TEST;
  if (isForeignMain(definition, place)) return { reason: 'it is an example of use', kind: 'example' };
  if (hasMark(block.text.slice(definition.bareStart, definition.end))) {
    const isStub = file.language === 'python' && path.endsWith('.pyi');
    return isStub
      ? undefined
      : { reason: `${definition.name} is new, and parts of it are left out`, kind: 'loss' };
  }
  if (definition.form === 'variable' && isPartOfBody(block))
    return { reason: 'it is part of a body whose place is not certain', kind: 'ambiguous' };
  // A statement of a function's body that the answer shows by itself.
  if (definition.form === 'variable' && isOld(block.text.slice(definition.bareStart, definition.end)))
    return { reason: `the file has ${definition.name} already, inside of something else`, kind: 'example' };
  return isExample(definition, block) ? { reason: 'it is an example of use', kind: 'example' } : undefined;
}

/** `const result = add(1, 2)` behind what was asked for, used by nothing that is defined. */
function isExample(definition: Definition, block: CodeBlock): boolean {
  const hasKeyword = definition.bareStart > definition.exportStart;
  if (definition.form !== 'variable' || definition.kind !== 'constant' || hasKeyword) return false;
  const functions = block.items.flatMap((item) =>
    item.type === 'definition' && item.definition.hasBody ? [item.definition] : [],
  );
  const last = functions.at(-1);
  if (!last || definition.start < last.start || block.areMembers) return false;
  const calls = block.text.slice(definition.value?.start ?? definition.start, definition.end).includes('(');
  if (!calls && !EXAMPLE_NAME.test(definition.name)) return false;
  return !functions.some(({ start, end }) =>
    definition.names.some((name) => isUsed(block.text.slice(start, end), name)),
  );
}
