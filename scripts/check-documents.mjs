/*
 * Fails when a comment, a message or a document names a Markdown file, or a heading of one, that is not in the
 * repository, or when a document for developers names code that does not exist. Code names files by their path from the
 * root, documents also by a path from their own folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Files of the users' repositories and of sessions that texts may name. */
const NAMES_OF_USERS_FILES = new Set(['AGENTS.md', 'CLAUDE.md', 'SKILL.md', 'plan_doc.md', 'report.md']);

const CODE = /\.(?:ts|mjs|cjs|js|css|html|ya?ml|service)$|(?:^|\/)(?:Dockerfile|run)$/;
/** A comment of a line: the whole of it, or what follows code. */
const COMMENT = /^\s*(?:\/\/|\/?\*|#|<!--).*|\s(?:\/\/|\/\*)\s.*/;
/** A message that sends its reader to a document of this project. */
const MESSAGE = /\bdocs\/[\w/.-]+\.md\b(?:#[\w-]+)?/g;
const NAMED = /(?<![\w<>*/~-])(?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\.md\b(?:#[\w-]+)?/g;
const HEADING_HERE = /\]\((#[\w-]+)\)/g;

/** Documents whose back-ticked identifiers and paths are those of the code. */
const ABOUT_CODE = /^(?:CONTRIBUTING|docs\/ARCHITECTURE|docs\/dev\/.*)\.md$/;
const BACK_TICKED = /`([^`\n]+)`/g;
/** An identifier of two words or more; a word of prose is none. */
const IDENTIFIER = /(?<![\w./-])[A-Za-z]+[a-z]\d?[A-Z]\w*(?![\w-])/g;
const CODE_PATH = /^(?:sidecar|test|scripts|bench)\/[\w/.-]+$/;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  encoding: 'utf8',
  maxBuffer: 64 << 20,
})
  .split('\0')
  // One that was deleted is listed until the deletion is staged.
  .filter((path) => existsSync(path));
const documents = new Map(
  tracked.filter((path) => path.endsWith('.md') && !isData(path)).map((path) => [path, undefined]),
);

const faults = [...documents.keys()].flatMap(faultsOfDocument);
for (const path of tracked) if (CODE.test(path) && !isData(path)) faults.push(...faultsOfCode(path));
faults.push(...faultsOfNamedCode());
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`${faults.length} names lead nowhere: write one that exists, or drop it`);
  process.exitCode = 1;
}

/** Samples that tests read are not the project's own texts. */
function isData(path) {
  return /(?:^|\/)fixtures\/|^test\/cases\/|^evals\/tasks\//.test(path);
}

function faultsOfDocument(path) {
  return linesOf(path).flatMap((line, index) => {
    const web = line.replaceAll(/https?:\/\/[^\s)>]+/g, '').replaceAll(/\[[^\]]*\]\(/g, '(');
    const names = [...web.matchAll(NAMED)].map(([name]) => name);
    const here = [...web.matchAll(HEADING_HERE)].map(([, heading]) => `${path}${heading}`);
    return faultsAt(path, index, [...names, ...here], [dirname(path), '.']);
  });
}

function faultsOfCode(path) {
  const isTest = path.startsWith('test/');
  return linesOf(path).flatMap((line, index) => {
    const comment = COMMENT.exec(line)?.[0].replaceAll(/https?:\/\/\S+/g, '') ?? '';
    const names = [...comment.matchAll(NAMED), ...(isTest ? [] : line.matchAll(MESSAGE))].map(
      ([name]) => name,
    );
    return faultsAt(path, index, new Set(names), ['.']);
  });
}

function faultsOfNamedCode() {
  const code = tracked.filter((path) => /\.(?:[cm]?[jt]s|json)$/.test(path) && !isData(path));
  const words = new Set(code.flatMap((path) => readFileSync(path, 'utf8').match(/[\w$]+/g) ?? []));
  return [...documents.keys()]
    .filter((path) => ABOUT_CODE.test(path))
    .flatMap((path) =>
      linesOf(path).flatMap((line, index) =>
        [...line.matchAll(BACK_TICKED)].flatMap(([, text]) => {
          const identifiers = text.match(IDENTIFIER) ?? [];
          const missing = CODE_PATH.test(text)
            ? [text].filter((file) => !existsSync(file) && !tracked.some((one) => one.startsWith(`${file}.`)))
            : identifiers.filter((name) => !words.has(name));
          return missing.map((name) => `${path}:${index + 1}: no code has ${name}`);
        }),
      ),
    );
}

function faultsAt(path, index, names, folders) {
  return [...names].flatMap((name) => {
    const [file, heading] = name.split('#');
    if (NAMES_OF_USERS_FILES.has(file.split('/').at(-1))) return [];
    const found = folders.map((folder) => normalize(join(folder, file))).find((it) => documents.has(it));
    if (!found) return [`${path}:${index + 1}: there is no ${file}`];
    if (heading && !headingsOf(found).has(heading))
      return [`${path}:${index + 1}: ${found} has no #${heading}`];
    return [];
  });
}

/** The anchors of a document's headings, made as GitHub makes them. */
function headingsOf(path) {
  const known = documents.get(path);
  if (known) return known;
  const anchors = new Set();
  for (const line of linesOf(path)) {
    const text = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (text === undefined) continue;
    const anchor = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let free = anchor;
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`;
    anchors.add(free);
  }
  documents.set(path, anchors);
  return anchors;
}

function linesOf(path) {
  return readFileSync(path, 'utf8').split('\n');
}
