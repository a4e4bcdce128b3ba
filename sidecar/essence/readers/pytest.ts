/** pytest, with any `--tb` style and with `-q`. */
import { dedent, joinMessage, notRun } from '../failure-text.ts';
import type { FailedTest, Place, Reader, Reading, WorkspacePaths } from '../types.ts';
import { isFrame } from '../workspace-paths.ts';

const HEADER = /^_{3,} (.+?) _{3,}$/;
/** Texts hold doctests. */
const SUMMARY = /^(FAILED|ERROR) (\S+?\.py(?=::| |$)|[^\s:]+\.\w+(?=::))((?:::.+?)?)(?: - (.*))?$/;
const TOTALS =
  /^=* ?(?:\d+ (?:failed|passed|skipped|error|errors|deselected|xfailed|xpassed|warnings?)(?:, )?)+ in [\d.]+s/;

export const pytestReader: Reader = {
  runner: 'pytest',
  recognises: ({ lines }) =>
    lines.some(
      (line) => TOTALS.test(line) || /^=+ (?:test session starts|short test summary info) =+$/.test(line),
    ),
  read({ lines, paths }) {
    const reading: Reading = { failed: [], errors: [] };
    const totals = lines.findLast((line) => TOTALS.test(line)) ?? '';
    const [, passed] = /\b(\d+) passed/.exec(totals) ?? [];
    // With `-qq` there are no totals.
    reading.passed =
      totals === '' ? lines.filter((line) => line.startsWith('PASSED ')).length : Number(passed ?? 0);
    for (const section of sectionsOf(lines)) {
      if (section.title.startsWith('ERROR collecting ')) addCollection(reading, section, paths);
      else reading.failed.push(fromSection(section, paths));
    }
    addSummary(reading, lines, paths);
    return reading;
  },
};

interface Section {
  title: string;
  body: string[];
}

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  let open = false;
  for (const line of lines) {
    const [, title] = HEADER.exec(line) ?? [];
    // The rule of `_ _ _` parts the frames of one failure.
    if (title !== undefined && !/^[_ ]+$/.test(title)) {
      sections.push({ title, body: [] });
      open = true;
    } else if (/^(?:=+ .* =+|-+ Captured .* -+|!+ .* !+)$/.test(line)) open = false;
    else if (open) sections.at(-1)?.body.push(line);
  }
  return sections;
}

/** Lines marked `E`; with native tracebacks the text below the last frame. */
function messageOf(body: readonly string[], paths: WorkspacePaths): string {
  const marked = body.filter((line) => /^E(?: |$)/.test(line)).map((line) => line.slice(1));
  const native = marked.length > 0 ? dedent(marked) : belowLastFrame(body);
  return joinMessage(
    native.filter((line) => !/^\s*\?[ ^+-]*$/.test(line) && !/, use -v+ to (?:show|get)/.test(line)),
    paths,
  );
}

function belowLastFrame(body: readonly string[]): string[] {
  const last = body.findLastIndex((line) => /^\s*File "/.test(line));
  return last < 0 ? [] : body.slice(last + 1).filter((line, index) => index > 1 || !/^ {4}/.test(line));
}

/** Places of the workspace, the outermost first: the last one is where it was raised. */
function placesOf(body: readonly string[], paths: WorkspacePaths): Place[] {
  return body.flatMap((line) => (isFrame(line) ? (paths.firstFrame([line]) ?? []) : []));
}

function fromSection({ title, body }: Section, paths: WorkspacePaths): FailedTest {
  const places = placesOf(body, paths);
  const [place] = places;
  const frame = places.at(-1);
  const message = messageOf(body, paths);
  return {
    name: title.replace(/^ERROR at (setup|teardown) of (.+)$/, '$2 ($1)').replace(/^\[doctest\] /, ''),
    place,
    message: message || undefined,
    frame,
  };
}

function addCollection(reading: Reading, { title, body }: Section, paths: WorkspacePaths): void {
  const file = title.slice('ERROR collecting '.length);
  const own = paths.relative(file);
  const marked = body.flatMap((line) => /^E +File "(.+)", line (\d+)/.exec(line)?.slice(1, 3) ?? []);
  const place = paths.place(marked[0], marked[1]) ?? placesOf(body, paths).at(-1);
  const message =
    messageOf(
      body.filter((line) => !/^E +(?:File ".*", line \d+|\^+|\s{3,}.*)$/.test(line)),
      paths,
    ) || messageOf(body, paths);
  reading.errors.push({
    message: message || 'could not be collected',
    place: place ?? (own === undefined ? undefined : { path: own, line: 1 }),
  });
  reading.failed.push(notRun(own ?? file));
}

/** The summary gives tests their full names, and is all there is with `--tb=no` and `--tb=line`. */
function addSummary(reading: Reading, lines: readonly string[], paths: WorkspacePaths): void {
  const places = linePlaces(lines);
  const sections = [...reading.failed];
  for (const line of lines) {
    const [, kind, file, names = '', message] = SUMMARY.exec(line) ?? [];
    if (file === undefined) continue;
    const dotted = names.split('::').filter(Boolean).join('.');
    const at = sections.findIndex(
      ({ name }) => name === file || (dotted !== '' && name.replace(PHASE, '') === dotted),
    );
    if (at >= 0) {
      const [known] = sections.splice(at, 1);
      if (known && dotted !== '') known.name = file + names + (PHASE.exec(known.name)?.[0] ?? '');
    } else if (kind === 'FAILED' || dotted !== '' || !reading.failed.some(({ name }) => name === file)) {
      const said = message === undefined ? [] : places.filter((place) => place.message === message);
      const frame = said[0] && paths.place(...(places.splice(places.indexOf(said[0]), 1)[0]?.at ?? ['', '']));
      reading.failed.push({
        name: file + names,
        message: message === undefined ? undefined : joinMessage([message], paths),
        frame,
      });
    }
  }
}

const PHASE = / \((?:setup|teardown)\)$/;

/** `--tb=line` prints `path:line: message` for each failure, in the order of the summary. */
const linePlaces = (lines: readonly string[]): { at: [path: string, line: string]; message: string }[] =>
  lines.flatMap((line) => {
    const [, path, number, message] = /^(\S+\.py):(\d+): (.+)$/.exec(line) ?? [];
    return path && number && message ? [{ at: [path, number], message }] : [];
  });
