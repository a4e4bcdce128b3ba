/**
 * Reads JUnit XML, which most runners can write. Parses by tags, because the XML in a log is often cut off.
 */
import { MAX_READ_FAILURES, readFailureFields, joinMessage, removeDuration } from '../failure-text.ts';
import type { FailedTest, OutputReader, OutputReading, OutputPaths } from '../types.ts';

/** Matches the attributes and the end of a tag. The value of an attribute may contain `>`, for example in a message. */
const ATTRIBUTES = String.raw`((?:\s+[\w:.-]{1,80}\s*=\s*(?:"[^"]{0,20000}"|'[^']{0,20000}'))*)\s*(/?)>`;
const TAG_PATTERN = new RegExp(String.raw`<(/?testsuite|testcase)(?:${ATTRIBUTES}|>)`, 'g');
const FAILURE_PATTERN = new RegExp(String.raw`<(?:failure|error)${ATTRIBUTES}`);
/** Maximum length of the part of a test case that is read. A failing test may print its whole log after the reason. */
const MAX_CASE_CHARS = 50_000;

export const junitReader: OutputReader = {
  runner: 'JUnit XML',
  mark: /^\s*<testsuites?[ >]|^<\?xml.*<testsuites?[ >]/,
  read({ lines, paths }) {
    const text = lines.join('\n');
    const reading: OutputReading = { passed: 0, failed: [], errors: [], passing: [], skipped: 0 };
    const suites: string[] = [];
    const tags = [...text.matchAll(TAG_PATTERN)];
    for (const [index, { 0: tag, 1: name, 2: attributes = '', index: start }] of tags.entries()) {
      if (name === 'testsuite') suites.push(readAttribute(attributes, 'name') ?? '');
      else if (name === '/testsuite') suites.pop();
      else {
        // All text before the next case or suite is part of this case, whether the case is closed or not.
        const [from, to] = [start + tag.length, tags[index + 1]?.index ?? text.length];
        addCase(reading, {
          attributes,
          suites,
          content: text.slice(from, Math.min(to, from + MAX_CASE_CHARS)),
          paths,
        });
      }
    }
    return reading;
  },
};

interface TestCase {
  attributes: string;
  suites: readonly string[];
  content: string;
  paths: OutputPaths;
}

function addCase(reading: OutputReading, testCase: TestCase): void {
  const { content, paths } = testCase;
  const [openingTag, attributes = '', closingSlash = ''] = FAILURE_PATTERN.exec(content) ?? [];
  if (openingTag === undefined) {
    if (!/<skipped(?=[\s/>])/.test(content)) reading.passed = (reading.passed ?? 0) + 1;
    return;
  }
  if (reading.failed.length >= MAX_READ_FAILURES) {
    reading.failed.push({ name: readAttribute(testCase.attributes, 'name') ?? 'a test' });
    return;
  }
  const below = closingSlash === '' ? content.slice(content.indexOf(openingTag) + openingTag.length) : '';
  const [body = ''] = /^[\s\S]*?(?=<\/(?:failure|error)>|$(?![\s\S]))/.exec(below) ?? [];
  reading.failed.push(
    readFailure(testCase, {
      body: decodeEntities(body),
      message: readAttribute(attributes, 'message'),
      paths,
    }),
  );
}

function readFailure(
  { attributes, suites }: TestCase,
  failure: { body: string; message: string | undefined; paths: OutputPaths },
): FailedTest {
  const { body, message, paths } = failure;
  const name = readAttribute(attributes, 'name') ?? 'a test';
  const owner = readAttribute(attributes, 'classname') ?? suites.at(-1) ?? '';
  const lines = body.split('\n');
  const marked = lines.filter((line) => line.startsWith('E '));
  const fields = readFailureFields(marked.length > 0 ? marked.map((line) => line.slice(1)) : lines, paths);
  // pytest prints the innermost frame last.
  const frame = fields.frame ?? paths.findFirstFrame(marked.length > 0 ? lines.toReversed() : lines);
  const place = paths.placeOf(readAttribute(attributes, 'file'), readAttribute(attributes, 'line'));
  const text =
    message !== undefined && marked.length === 0 && body.trim() === ''
      ? joinMessage([message], paths)
      : fields.message;
  return {
    name: removeDuration(
      owner === '' || name.includes(owner) || owner === 'test'
        ? [...suites.filter((suite) => owner === 'test' && suite !== ''), name].join(' > ')
        : `${owner} > ${name}`,
    ),
    place,
    ...fields,
    message: text,
    frame,
  };
}

function readAttribute(
  attributes: string,
  name: 'name' | 'classname' | 'message' | 'file' | 'line',
): string | undefined {
  const [, double, single] = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  const value = double ?? single;
  return value === undefined ? undefined : decodeEntities(value);
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decodeEntities = (text: string): string =>
  text
    .replaceAll(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .replaceAll(
      /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
      (whole, hex?: string, number?: string, name?: string) => {
        if (name !== undefined) return ENTITIES[name] ?? whole;
        const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16);
        return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
      },
    );
