/** The prompt to a model when a plan document cannot be read. */
import { PLACEHOLDERS } from './placeholders.ts';
import { planStatuses } from './plan.ts';

/** Names what was wrong and shows the whole format; the caller adds the broken document. */
export const repairPrompt = (message: string): string => `${message}

Write the whole document again in exactly this form. Keep all of its text, invent nothing, and send only the document.

---
status: planning
createdAt: 2026-01-07T10:23:21.000Z
updatedAt: 2026-01-07T10:23:21.000Z
version: 1
---

# Plan: <goal>

**Status:** planning

## Goal
<goal>

## Acceptance Criteria
- [ ] <open criterion>
- [x] <criterion that is done> *(<notes>)*

## Decisions Made
### <title>
**Rationale:** <why>
**Alternatives considered:** <one>, <another>
**Decided:** 2026-01-07T10:23:21.000Z

## Decisions Rejected
### <title>
**Rationale:** <why not>
**Rejected:** 2026-01-07T10:23:21.000Z

## Execution Log
### 2026-01-07T10:23:21.000Z - <action>
**Tools:** <tool>, <tool>
**Result:** <result>

Rules:
- status is one of ${planStatuses.join(', ')}.
- A section "## Steps" in the form of the criteria may stand after them. No other sections and no text outside of them. An empty section holds its placeholder: ${Object.values(PLACEHOLDERS).join(', ')}.
- Further lines of a text are indented by two spaces.`;
