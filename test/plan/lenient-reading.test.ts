import { describe, expect, test } from '@jest/globals';
import { parsePlan } from '../../sidecar/plan/parse.ts';
import { serializePlan } from '../../sidecar/plan/serialize.ts';
import { slowness } from '../support/pace.ts';

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

  test('times to the minute and in milliseconds are read as UTC', () => {
    const plan = read(
      '---\nstatus: planning\ncreatedAt: 1767781401000\nupdatedAt: 2026-01-07\n---\n## Decisions Made\n### A\n**Rationale:** b\n**Decided:** 2026-01-07 10:23\n',
    );
    expect(plan.metadata.createdAt).toBe(1_767_781_401_000);
    expect(plan.metadata.updatedAt).toBe(Date.parse('2026-01-07T00:00:00Z'));
    expect(plan.decisionsMade[0]?.timestamp).toBe(Date.parse('2026-01-07T10:23:00Z'));
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

  test('a hostile one is read in linear time', () => {
    const started = performance.now();
    for (const piece of ['*(', '\\', '### ', '- [ ] a\n', '**a:** ', ',', '[', '---\n', '\n']) {
      parsePlan(`## Acceptance Criteria\n- [ ] a ${piece.repeat(250_000 / piece.length)})*`, { nowMs });
      parsePlan(`## Decisions Made\n### a\n${piece.repeat(250_000 / piece.length)}`, { nowMs });
    }
    expect(performance.now() - started).toBeLessThan(5_000 * slowness());
  });
});
