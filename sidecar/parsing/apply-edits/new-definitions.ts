/** Rejects new definitions of an answer that do not belong in the file: tests, examples of use, code with omitted parts. */
import { listDefinitions, type Definition } from '../definitions/index.ts';
import { hasElisionMark } from './elision-marks.ts';
import type { MergeContext } from './merge-context.ts';
import { isUsed } from './code-text.ts';
import type { OmittedPart } from './types.ts';

type Rejection = Pick<OmittedPart, 'reason'> & Partial<OmittedPart>;

const TEST_CALL = /^(describe|it|test|suite|context|before\w*|after\w*)\b/u;
const TEST_REJECTION: Rejection = { reason: 'it is a test', kind: 'example' };
const EXAMPLE_REJECTION: Rejection = { reason: 'it is a usage example', kind: 'example' };

/** Returns the reason to reject a new definition; undefined to accept it. */
export function rejectionOf(
  definition: Definition,
  { file, text: fileText, block, path }: MergeContext,
): Rejection | undefined {
  const { name, kind } = definition;
  if (name === 'module.exports' || name === 'default')
    return { reason: 'the file uses another style of exports' };
  const hasTests = file.definitions.some((each) => isTest(each));
  if (isTest(definition) && !hasTests && !/test/iu.test(path)) return TEST_REJECTION;
  // In a file of another Go package than `main`, a function `main` of the answer is an example.
  if (file.language === 'go' && kind === 'function' && name === 'main' && !/^package main\b/mu.test(fileText))
    return EXAMPLE_REJECTION;
  const text = block.text.slice(definition.startAfterExport, definition.end);
  if (hasElisionMark(text)) return { reason: `${name} is new, but the block omits parts of it` };
  return isExample(definition, block) ? EXAMPLE_REJECTION : undefined;
}

/** Returns whether a definition is named like a test of pytest, unittest, Go or Jest. */
const isTest = ({ name, kind, parameters = '', signature }: Definition): boolean =>
  (kind === 'call' && TEST_CALL.test(name)) ||
  (kind === 'function' && name.startsWith('test_')) ||
  (kind === 'function' && /^Test[A-Z]/u.test(name) && parameters.includes('*testing.T')) ||
  (kind === 'class' && /^Test[A-Z]/u.test(name) && signature.includes('TestCase'));

/**
 * Returns whether a definition is an example of use after the requested functions: a call such as `const result = add(1, 2)` whose result
 * is not used.
 */
function isExample(
  { names, kind, form, start, value, end }: Definition,
  block: MergeContext['block'],
): boolean {
  const functions = listDefinitions(block.items).filter(({ hasBody }) => hasBody);
  const last = functions.at(-1);
  if (form !== 'variable' || kind !== 'constant' || !last || start < last.start || block.areMembers)
    return false;
  return (
    block.text.slice(value?.start ?? start, end).includes('(') &&
    !functions.some((definition) =>
      names.some((name) => isUsed(block.text.slice(definition.start, definition.end), name)),
    )
  );
}
