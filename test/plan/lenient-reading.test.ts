import { describe, expect, test } from '@jest/globals';
import { MAX_PLAN_CHARS, parsePlan } from '../../sidecar/plan/parse.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';

const nowMs = Date.parse('2026-02-03T04:05:06.007Z');
const read = (text: string) => {
  const parsed = parsePlan(text, { nowMs });
  if (!parsed.success) throw new Error(parsed.error.message);
  return parsed.plan;
};

describe('reading a plan that people and models wrote', () => {
  test('an empty file is an empty plan', () => {
    expect(read('')).toMatchObject({
      status: 'planning',
      goal: '',
      metadata: { createdAt: nowMs, version: 1 },
    });
  });

  test('without front matter the status of the body and defaults hold', () => {
    const plan = read('# Plan: Ship it\n\n**Status:** In Progress\n');
    expect(plan).toMatchObject({ status: 'in_progress', goal: 'Ship it', metadata: { updatedAt: nowMs } });
  });

  test.each(['x', 'X', '✓', '✔', '✔️'])('[%s] is done', (mark) => {
    expect(read(`## Acceptance Criteria\n- [${mark}] a`).acceptanceCriteria).toEqual([
      { description: 'a', completed: true },
    ]);
  });

  test.each(['- [ ] a', '- [] a', '- a', '1. a', '* [ ] a'])('"%s" is an open criterion', (line) => {
    expect(read(`## Acceptance Criteria\n${line}`).acceptanceCriteria).toEqual([
      { description: 'a', completed: false },
    ]);
  });

  test('a criterion that begins with a link keeps it', () => {
    expect(read('## Acceptance Criteria\n- [docs](x.md) are right').acceptanceCriteria[0]?.description).toBe(
      '[docs](x.md) are right',
    );
  });

  test.each([
    '[No decisions yet]',
    'No decisions yet',
    'None',
    '- None.',
    'N/A',
    '(none)',
    '[If no decisions yet, write: "No decisions yet"]',
  ])('"%s" in a section reads as empty', (line) => {
    const plan = read(
      `## Decisions Made\n${line}\n\n## Decisions Rejected\n${line}\n\n## Execution Log\n${line}`,
    );
    expect([plan.decisionsMade, plan.decisionsRejected, plan.executionLog]).toEqual([[], [], []]);
  });

  test('placeholders of other writers read as empty', () => {
    const plan = read(
      '# Plan: [Goal to be defined]\n\n## Goal\n[User will provide goal]\n\n## Acceptance Criteria\n- [ ] [Criteria will be added once goal is defined]\n',
    );
    expect(plan).toMatchObject({ goal: '', acceptanceCriteria: [] });
  });

  test('brackets around a text do not make it a placeholder', () => {
    expect(read('## Goal\n[WIP]\n\n## Acceptance Criteria\n- [ ] [docs]')).toMatchObject({
      goal: '[WIP]',
      acceptanceCriteria: [{ description: '[docs]' }],
    });
  });

  test('**Alternative:** and bullets are alternatives too', () => {
    const plan = read(
      '## Decisions Rejected\n### A\n**Rationale:** b\n**Alternative:** c, d\n### E\n**Alternatives considered:**\n- f, g\n- h\n',
    );
    expect(plan.decisionsRejected.map(({ alternatives }) => alternatives)).toEqual([
      ['c', 'd'],
      ['f, g', 'h'],
    ]);
  });

  test('lines without a place of their own belong to the text before them', () => {
    const plan = read(
      '## Decisions Made\n### A\nfirst\n**Impact:** large\n**Decided:** 2026-01-07T10:23:21Z\nafterthought\n\n## Execution Log\n### no time here\nall went well\n',
    );
    expect(plan.decisionsMade[0]?.rationale).toBe('first\n**Impact:** large\nafterthought');
    expect(plan.executionLog[0]).toMatchObject({
      action: 'no time here',
      result: 'all went well',
      timestamp: nowMs,
    });
  });

  test.each([
    ['1767781401000', '2026-01-07T10:23:21.000Z'],
    ['-1767781401000', '1913-12-25T13:36:39.000Z'],
    ['2026-01-07', '2026-01-07T00:00:00.000Z'],
    ['2026-01-07 10:23', '2026-01-07T10:23:00.000Z'],
    ['2026-01-07 10:23:21 UTC', '2026-01-07T10:23:21.000Z'],
    ['2026-01-07T10:23:21.123456Z', '2026-01-07T10:23:21.123Z'],
    ['2026-01-07t10:23z', '2026-01-07T10:23:00.000Z'],
    ['2026-01-07T10:23:21+02:00', '2026-01-07T08:23:21.000Z'],
    ['2026-01-07T10:23:21.500-02:30', '2026-01-07T12:53:21.500Z'],
    ['+012026-01-07T10:23:21+02:00', '+012026-01-07T08:23:21.000Z'],
    ['-000001-01-07', '-000001-01-07T00:00:00.000Z'],
  ])('the time %s is read', (written, iso) => {
    const front = read(`---\ncreatedAt: "${written}"\n---\n`);
    const label = read(`## Decisions Made\n### A\n**Decided:** ${written}  \n`);
    expect([front.metadata.createdAt, label.decisionsMade[0]?.timestamp]).toEqual([
      Date.parse(iso),
      Date.parse(iso),
    ]);
  });

  test.each([
    'at 1767781401000',
    '1767781401000 ms',
    '123',
    '8640000000000001',
    '2026-13-01',
    'on 2026-01-07',
    '2026-01-07 soon',
    'on 2026-01-07T10:23:21+02:00',
    '2026-01-07T10:23:21+02:00 or so',
    '2026-01-07T25:00:00+02:00',
  ])('the time %s is none, and the message shows how one is written', (written) => {
    const parsed = parsePlan(`## Decisions Made\n### A\n**Decided:** ${written}`);
    expect(parsed.success ? '' : parsed.error.message).toBe(
      `The plan document cannot be read: the time of a decision is "${written}"; write it as 2026-01-07T10:23:21.000Z`,
    );
  });

  test.each([
    ['2026-01-07T10:23:21Z - a', '2026-01-07T10:23:21Z', 'a'],
    ['2026-01-07 10:23 – a - b', '2026-01-07T10:23:00Z', 'a - b'],
    ['2026-01-07 10:23:21   —   a', '2026-01-07T10:23:21Z', 'a'],
    ['2026-01-07 - - a', '2026-01-07T00:00:00Z', '- a'],
    ['2026-01-07 -', '2026-01-07T00:00:00Z', ''],
    ['Step 2 - a', undefined, 'Step 2 - a'],
    ['Fixed 2026-01-07 - a', undefined, 'Fixed 2026-01-07 - a'],
    ['2026-01-07', undefined, '2026-01-07'],
    ['2026-01-07 -a', undefined, '2026-01-07 -a'],
  ])('an entry of the log: %s', (heading, iso, action) => {
    expect(read(`## Execution Log\n###  ${heading} \n`).executionLog).toEqual([
      { timestamp: iso === undefined ? nowMs : Date.parse(iso), action, result: '', toolsUsed: [] },
    ]);
  });

  test.each([
    ['front matter with spaces around', '---  \nstatus: " blocked "\nupdatedAt: " "\n---  \n## Goal\na'],
    ['a byte order mark and a fence', '\uFEFF\n ```md \n**Status:**Blocked\n## Goal\na\n ``` \n\n'],
    ['a status of several words', '# Plan: a\n**Status:**  Blocked '],
    ['rules between the parts', '**status:** blocked\n---\n***\n-----  \n## Goal\na\n--- \n'],
    ['headings of one mark, with colons', '#Plan : a\n**Status:** blocked\n# Steps:\nnone\n# goal:\na'],
  ])('%s', (_, text) => {
    expect(read(text)).toMatchObject({ status: 'blocked', goal: 'a', metadata: { updatedAt: nowMs } });
  });

  test.each(['in_progress', 'In Progress', 'in - progress'])('the status "%s"', (status) => {
    expect(read(`**Status:** ${status}`).status).toBe('in_progress');
  });

  test.each(['', '---\n---\n', '---\nstatus: ""\n---\n', '**Status:** \n'])(
    'without a status it is being planned: %j',
    (text) => expect(read(text).status).toBe('planning'),
  );

  test.each([
    ['words around a fence', 'Here it is:\n```\n## Goal\na\n```'],
    ['a fence that is opened only', '```\n## Goal\na'],
    ['a fence with a title', '```md plan\n## Goal\na\n```'],
  ])('%s is no plan', (_, text) => {
    const parsed = parsePlan(text);
    expect(parsed.success ? '' : parsed.error.message).toMatch(/ text before the first section: "(Here|```)/);
  });

  test.each([
    ['12.  [x]  a', { description: 'a', completed: true }],
    ['12)   a', { description: 'a', completed: false }],
    ['- [ ✅ ] a', { description: 'a', completed: true }],
    ['- [ ] None', { description: 'None', completed: false }],
    ['- a\n  b\n\n  c', { description: 'a\nb\n\nc', completed: false }],
    ['- a *(b)*  ', { description: 'a', completed: false, notes: 'b' }],
  ])('a criterion: %j', (lines, criterion) => {
    expect(read(`## Acceptance Criteria\n${lines}`).acceptanceCriteria).toEqual([criterion]);
  });

  test('other names of sections and labels are understood', () => {
    const plan = read(
      '## Decisions\n### A\n**Reason:** b\n\n## Rejected decisions\n### C\n\n## Execution log\n### D\n**Tools used:** e, f\n**Result:** g',
    );
    expect(plan).toMatchObject({
      decisionsMade: [{ title: 'A', rationale: 'b' }],
      decisionsRejected: [{ title: 'C' }],
      executionLog: [{ action: 'D', toolsUsed: ['e', 'f'], result: 'g' }],
    });
  });

  test('a placeholder with more below it is a goal', () => {
    expect(read('## Goal\n  [TBD]\n  after the talk\n').goal).toBe('[TBD]\nafter the talk');
  });

  test('a decision without a reason, and one with bullets and blank lines', () => {
    const plan = read(
      '## Decisions Made\n\n### A\n\n### B\n\n**Reason:**   c  \n**Alternatives:**\n  -   d  \n*   e\n',
    );
    expect(plan.decisionsMade).toEqual([
      { title: 'A', rationale: '', timestamp: nowMs },
      { title: 'B', rationale: 'c', alternatives: ['d', 'e'], timestamp: nowMs },
    ]);
  });

  test('a document that is too long is refused, one at the limit is read', () => {
    const atLimit = `## Goal\n${'x'.repeat(MAX_PLAN_CHARS - 8)}`;
    expect(parsePlan(atLimit).success).toBe(true);
    expect(parsePlan(`${atLimit}x`)).toMatchObject({
      error: { message: expect.stringContaining(`it is longer than ${MAX_PLAN_CHARS} characters`) },
    });
  });

  test.each(['## Decisions Made\n', ''])('a message quotes only the beginning of a text: %j', (before) => {
    const parsed = parsePlan(`${before}  KEEP ${'x'.repeat(1000)}`);
    expect(parsed.success ? '' : parsed.error.message).toMatch(/: "KEEP x{75}"$/);
  });

  test.each([
    ['---\n- a\n---\n', 'the front matter is no mapping'],
    ['---\na\n---\n', 'the front matter is no mapping'],
    ['---\nstatus: planning\n', 'the front matter has no closing "---"'],
    ['---\nversion: 1\nversion: 2\n---\n', 'the front matter is not valid YAML (Map keys must be unique'],
    ['---\nversion: -1\n---\n', 'version must be a whole number, not "-1"'],
    ['---\nstatus: "a\n---\n', 'the front matter is not valid YAML (Missing closing "quote'],
  ])('%j: %s', (text, message) => {
    const parsed = parsePlan(text);
    expect(parsed.success ? '' : parsed.error.message).toContain(message);
  });

  test('a heading that says more than the goal is kept', () => {
    expect(read('# Plan: New parser\n\n## Goal\nBe faster').goal).toBe('New parser\nBe faster');
  });

  test('a code fence around the document is taken off', () => {
    expect(read('```markdown\n# Plan: x\n\n## Goal\nx\n```\n').goal).toBe('x');
  });

  test('a backslash in a file without front matter is a backslash', () => {
    expect(read(String.raw`# Plan: read C:\new\table`).goal).toBe(String.raw`read C:\new\table`);
  });
});

/** Broken in different ways; each still holds the word KEEP, which must survive in the plan or end in an error. */
const broken: [string, string][] = [
  ['front matter never closed', '---\nstatus: planning\n# Plan: KEEP'],
  ['front matter that is a list', '---\n- KEEP\n---\n# Plan: x'],
  ['front matter that is text', '---\nKEEP\n---\n# Plan: x'],
  ['front matter that is no YAML', '---\nstatus: "KEEP\n---\n# Plan: x'],
  ['front matter with keys twice', '---\nstatus: planning\nstatus: KEEP\n---\n'],
  ['front matter with an unknown key', '---\nstatus: planning\nowner: KEEP\n---\n'],
  ['front matter with nesting', '---\nstatus: {is: KEEP}\n---\n'],
  ['front matter with an alias that is not there', '---\nstatus: *KEEP\n---\n'],
  ['a status that is none', '---\nstatus: KEEP\n---\n'],
  ['a negative version', '---\nversion: -1\n---\nKEEP'],
  ['a heading without a space', '## Decisions Made\n### a\n###KEEP'],
  ['a version that is none', '---\nversion: KEEP\n---\n'],
  ['a time that is none', '---\ncreatedAt: KEEP\n---\n'],
  ['a status in the body that is none', '**Status:** KEEP'],
  ['prose before the plan', 'KEEP this in mind.\n# Plan: x'],
  ['only prose', 'KEEP going'],
  ['JSON', '{"goal": "KEEP"}'],
  ['an unknown section', '## Goal\nx\n\n## Risks\nKEEP'],
  ['text before the first criterion', '## Acceptance Criteria\nKEEP\n- [ ] a'],
  ['text before the first decision', '## Decisions Made\nKEEP\n### a\n'],
  ['a decision whose time is none', '## Decisions Made\n### a\n**Rationale:** b\n**Decided:** KEEP'],
  ['notes that are never closed', '## Acceptance Criteria\n- [ ] a *(KEEP'],
  ['notes in the middle', '## Acceptance Criteria\n- [ ] a *(KEEP)* b'],
  ['a section with a name that objects have', '## constructor\nKEEP'],
  ['a label with a name that objects have', '## Decisions Made\n### a\n**constructor:** KEEP'],
  ['a section twice', '## Goal\nx\n## Goal\nKEEP'],
  ['rules between sections', '---\nstatus: planning\n---\n---\n## Goal\nKEEP\n---\n'],
  ['escapes that are none', '---\nstatus: planning\n---\n## Goal\nKEEP \\q \\u{110000} \\u{zz} \\'],
  ['NUL and control characters', '## Goal\nKEEP \u0000\u0007\u001b[31m'],
  ['binary', `\uFFFD\u0000\uFFFDKEEP`],
];

describe('a broken plan document', () => {
  test.each(broken)('%s neither throws nor loses text', (_, text) => {
    const parsed = parsePlan(text, { nowMs });
    if (parsed.success) {
      expect(JSON.stringify(parsed.plan)).toContain('KEEP');
      expect(parsePlan(serializePlan(parsed.plan), { nowMs })).toEqual(parsed);
    } else {
      expect(parsed.error.message).toMatch(/^The plan document cannot be read: /);
      expect(parsed.error.suggestedPrompt).toContain(parsed.error.message);
      expect(parsed.error.suggestedPrompt).toContain('## Acceptance Criteria');
    }
  });

  test('the prompt for its repair shows a format that reads back', () => {
    const parsed = parsePlan('only prose');
    const prompt = parsed.success ? '' : parsed.error.suggestedPrompt;
    const example = prompt.slice(prompt.indexOf('---'), prompt.indexOf('Rules:'));
    expect(parsePlan(example)).toMatchObject({
      success: true,
      plan: { acceptanceCriteria: [{ completed: false }, { completed: true, notes: '<notes>' }] },
    });
  });
});
