/** Headings in a question about code. Small models may repeat them after their answer. */
export const HEADINGS = {
  files: 'Files',
  tests: 'Tests (they say what is wanted',
  otherFiles: 'Other files',
  checks: 'How the checks end now, before any change',
  answer: 'Answer',
} as const;
