/**
 * Whether a task is about its own checks: it says so (`metadata.may_change_checks`), or its description asks for tests
 * to be written or for a file of the checks to be changed. Pure; time is linear in the description.
 */
import { posix } from 'node:path';
import type { Task } from '../protocol/task.ts';

export interface Permission {
  /** The task says that it may change anything. */
  all: boolean;
  /** It asks for tests to be written. */
  tests: boolean;
  /** Names of files that it asks to change, in lower case. */
  names: ReadonlySet<string>;
}

const MAX_CHARS = 20_000;
const VERBS =
  /^(?:add|writ|creat|extend|updat|chang|edit|set|renam|remov|delet|bump|configur|mov|improv|rewrit|cover|upgrad|switch|migrat|declar|put|install)(?:e|es|s|ed|ing|en|ten|ting)?$/;
const TEST_WORDS = /^(?:tests?|specs?|fixtures?|test-cases?|testcases?|unit-tests?|testsuite)$/;
/** Words that end what the verb is about: a purpose, a condition, a place ("add f so that the tests pass"). */
const ENDS =
  /^(?:so|that|until|which|when|while|if|because|makes?|making|pass|passes|passing|by|where|after|before|without|not|unless|satisf(?:y|ies|ying)|break|breaking|for|keep|keeping|like|as|per|from|against|using|with|tested|run|running|see|ensure|ensuring|verify|check|confirm|but|what|whatever|how|fails?|used|called|described|expected|required|specified|needed|,)$/;
/** "A test for it", "a test case"; what else follows says what kind of thing it is: "the test runner". */
const AFTER_ONE_TEST =
  /^(?:cases?|files?|suites?|for|of|to|in|at|that|which|where|when|showing|covering|as|so|with|and|or|too|,)$/;
const ENDS_OBJECT =
  /^(?:pass|passes|passing|green|succeed|succeeds|work|works|fail|fails|still|must|should|need|keep|say|show|expect)$/;
const FILE_NAME = /^[\w@./-]*\.[a-z]\w{0,9}$|^(?:makefile|justfile|dockerfile|gemfile|rakefile|cargo\.lock)$/;
/** As many words a verb reaches. */
const REACH = 7;

export function permissionOf({ description, metadata }: Pick<Task, 'description' | 'metadata'>): Permission {
  const names = new Set<string>();
  let tests = false;
  for (const sentence of sentencesOf(description.slice(0, MAX_CHARS))) {
    for (const [index, word] of sentence.entries()) {
      if (!VERBS.test(word) || isNegated(sentence, index)) continue;
      if (word.startsWith('renam') && namesTestsToo(sentence.slice(index))) tests = true;
      for (let at = index + 1; at <= index + REACH && at < sentence.length; at += 1) {
        const object = sentence[at] ?? '';
        if (FILE_NAME.test(object)) names.add(object);
        if (meansTests(object, sentence[at + 1])) tests = true;
        if (ENDS.test(object) && !leadsToTests(sentence, at)) break;
        if (object === 'to' && !leadsToFile(sentence, at)) break;
      }
    }
  }
  return { all: metadata.may_change_checks === true, tests, names };
}

function meansTests(word: string, next: string | undefined): boolean {
  if (!TEST_WORDS.test(word)) return false;
  if (next === undefined) return true;
  if (ENDS_OBJECT.test(next) || FILE_NAME.test(next)) return false;
  return word.endsWith('s') || AFTER_ONE_TEST.test(next);
}

/** "Rename it everywhere, in the tests too": a name is used where it does not stand behind the verb. */
const namesTestsToo = (words: readonly string[]): boolean =>
  words.some(
    (word, at) =>
      TEST_WORDS.test(word) && /^(?:too|also|as well)\b/u.test(words.slice(at + 1, at + 3).join(' ')),
  );

/** Whether a task, in its words, is to write or change tests, not only to make them pass. */
export const wantsTests = (description: string): boolean => permissionOf({ description, metadata: {} }).tests;

/** "Cover it with tests"; any other "with" is a condition. */
const leadsToTests = (sentence: readonly string[], at: number): boolean =>
  sentence[at] === 'with' && sentence.slice(at + 1, at + 4).some((word) => TEST_WORDS.test(word));

/** "to package.json", "to the file package.json"; any other "to" is a purpose. */
const leadsToFile = (sentence: readonly string[], at: number): boolean =>
  sentence.slice(at + 1, at + 4).some((word) => FILE_NAME.test(word));

/** "Do not change the tests", "without changing package.json". */
const isNegated = (sentence: readonly string[], index: number): boolean =>
  sentence
    .slice(Math.max(0, index - 3), index)
    .some((word) => /^(?:not|never|don't|without|no|cannot|must-not)$/.test(word));

function sentencesOf(text: string): string[][] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.!?;:](?=\s|$)|\n|\s\(/)
    .map((sentence) =>
      sentence
        .replaceAll(',', ' , ')
        .split(/[\s`"'()*]/)
        .filter((word) => word !== ''),
    );
}

/** Whether a path is what the task asks to change. */
export const isSubject = ({ all, names }: Permission, path: string): boolean =>
  all || names.has(path.toLowerCase()) || names.has(posix.basename(path).toLowerCase());
