/** The placeholder of an empty section of a plan document, and its difference from text that only looks like it. */

export const PLACEHOLDERS = {
  goal: '[No goal yet]',
  criteria: '[No acceptance criteria yet]',
  steps: '[No steps yet]',
  decisionsMade: '[No decisions yet]',
  decisionsRejected: '[No rejected decisions yet]',
  log: '[No actions taken yet]',
} as const;

/**
 * A line of nothing but one pair of brackets that speaks of something missing, as this and other writers of plans
 * put it (`[User will provide goal]`). A text that looks so is written with a backslash before it.
 */
export const isPlaceholder = (line: string): boolean =>
  /^\[[^[\]]*\]$/.test(line) &&
  /\b(?:no|none|nothing|yet|tbd|to be|will be|will provide|empty)\b/i.test(line);

/** The ways in which models say "nothing" in a section whose real entries have a mark of their own. */
export const isNothing = (line: string): boolean =>
  isPlaceholder(line) || /^[-*]?\s*\(?(?:none|n\/a|nothing|no [a-z ]{3,40} yet|none yet)?\)?\.?$/i.test(line);
