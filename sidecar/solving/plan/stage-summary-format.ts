/** Declares the `format` of the summary request. `stageSummarySchema` parses the answer. */
const text = { type: 'string' } as const;

export const stageSummaryFormat = {
  type: 'object',
  properties: {
    log_entry: {
      type: 'object',
      properties: {
        action: text,
        details: text,
        result: text,
        tools_used: { type: 'array', items: text },
      },
      required: ['action', 'details', 'result', 'tools_used'],
    },
    acceptance_criteria_updates: {
      type: 'array',
      items: {
        type: 'object',
        properties: { description: text, completed: { type: 'boolean' }, notes: text },
        required: ['description', 'completed'],
      },
    },
    decisions_made: {
      type: 'array',
      items: {
        type: 'object',
        properties: { title: text, rationale: text, alternatives: { type: 'array', items: text } },
        required: ['title', 'rationale'],
      },
    },
  },
  required: ['log_entry', 'acceptance_criteria_updates', 'decisions_made'],
} as const;
