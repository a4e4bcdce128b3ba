/** JUnit XML, as most runners can write it. Read by its tags, since what stands in a log is often cut off. */
import { MAX_READ_FAILURES, failureFields, joinMessage, withoutDuration } from '../failure-text.ts';
import type { FailedTest, Reader, Reading, WorkspacePaths } from '../types.ts';

export const junitReader: Reader = {
  runner: 'JUnit XML',
  recognises: ({ lines }) =>
    lines.some((line) => /^\s*<testsuites?[ >]|^<\?xml.*<testsuites?[ >]/.test(line)),
  read({ lines, paths }) {
    const text = lines.join('\n');
    const reading: Reading = { passed: 0, failed: [], errors: [] };
    const suites: string[] = [];
    const tags = [...tagsOf(text)];
    for (const [index, tag] of tags.entries()) {
      if (tag.name === 'testsuite') suites.push(attribute(tag.attributes, 'name') ?? '');
      else if (tag.name === '/testsuite') suites.pop();
      else if (tag.name === 'testcase') {
        // All text before the next case or suite belongs to this one, whether or not it is closed.
        const content = text.slice(
          tag.end,
          Math.min(tags[index + 1]?.start ?? text.length, tag.end + MAX_CASE_CHARS),
        );
        addCase(reading, { ...tag, suites, content, paths });
      }
    }
    return reading;
  },
};

/** A message may stand in an attribute. */
const MAX_ATTRIBUTES_CHARS = 20_000;
/** A failing test may print its whole log; the reason comes first. */
const MAX_CASE_CHARS = 50_000;

interface Tag {
  start: number;
  name: string;
  attributes: string;
  /** Where its content begins. */
  end: number;
}

/** Suites and cases, in order. Attributes may hold `>`, so quotes are followed. */
function* tagsOf(text: string): Generator<Tag> {
  const start = /<(\/?testsuite|testcase)(?=[\s/>])/g;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const end = tagEnd(text, start.lastIndex);
    if (end < 0) return;
    const attributes = text.slice(start.lastIndex, Math.min(end, start.lastIndex + MAX_ATTRIBUTES_CHARS));
    yield { name: match[1] ?? '', attributes, start: match.index, end: end + 1 };
    start.lastIndex = end + 1;
  }
}

/** The `>` that ends a tag; below zero where the text ends before it. */
function tagEnd(text: string, from: number): number {
  const mark = /["'>]/g;
  mark.lastIndex = from;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    if (match[0] === '>') return match.index;
    const close = text.indexOf(match[0], mark.lastIndex);
    if (close < 0) return -1;
    mark.lastIndex = close + 1;
  }
  return -1;
}

interface Case extends Tag {
  suites: readonly string[];
  content: string;
  paths: WorkspacePaths;
}

function addCase(reading: Reading, found: Case): void {
  const { content, paths } = found;
  const at = /<(failure|error)(?=[\s/>])/.exec(content);
  if (!at) {
    if (!/<skipped(?=[\s/>])/.test(content)) reading.passed = (reading.passed ?? 0) + 1;
    return;
  }
  if (reading.failed.length >= MAX_READ_FAILURES) {
    reading.failed.push({ name: attribute(found.attributes, 'name') ?? 'a test' });
    return;
  }
  const opened = tagEnd(content, at.index + at[0].length);
  const attributes = content.slice(at.index, opened < 0 ? undefined : opened);
  const closed = content.indexOf(`</${at[1] ?? ''}>`, opened);
  const body =
    opened < 0 || attributes.endsWith('/') ? '' : content.slice(opened + 1, closed < 0 ? undefined : closed);
  reading.failed.push(
    failure(found, { body: decode(body), message: attribute(attributes, 'message'), paths }),
  );
}

function failure(
  { attributes, suites }: Case,
  said: { body: string; message: string | undefined; paths: WorkspacePaths },
): FailedTest {
  const { body, message, paths } = said;
  const name = attribute(attributes, 'name') ?? 'a test';
  const owner = attribute(attributes, 'classname') ?? suites.at(-1) ?? '';
  const lines = body.split('\n');
  const marked = lines.filter((line) => line.startsWith('E '));
  const fields = failureFields(marked.length > 0 ? marked.map((line) => line.slice(1)) : lines, paths);
  // pytest prints the frames with the innermost last.
  const frame = fields.frame ?? paths.firstFrame(marked.length > 0 ? lines.toReversed() : lines);
  const place = paths.place(attribute(attributes, 'file'), attribute(attributes, 'line'));
  const text =
    message !== undefined && marked.length === 0 && body.trim() === ''
      ? joinMessage([message], paths)
      : fields.message;
  return {
    name: withoutDuration(
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

function attribute(
  attributes: string,
  name: 'name' | 'classname' | 'message' | 'file' | 'line',
): string | undefined {
  const [, double, single] = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  const value = double ?? single;
  return value === undefined ? undefined : decode(value);
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decode = (text: string): string =>
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
