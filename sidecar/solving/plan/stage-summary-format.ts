/** Declares the `format` of the summary request. `stageSummarySchema` parses the answer. */
const textSchema = { type: 'string' } as const;

export const stageSummaryFormat = {
  type: 'object',
  properties: {
    log_entry: {
      type: 'object',
      properties: {
        action: textSchema,
        details: textSchema,
        result: textSchema,
        tools_used: { type: 'array', items: textSchema },
      },
      required: ['action', 'details', 'result', 'tools_used'],
    },
    acceptance_criteria_updates: {
      type: 'array',
      items: {
        type: 'object',
        properties: { description: textSchema, completed: { type: 'boolean' }, notes: textSchema },
        required: ['description', 'completed'],
      },
    },
    decisions_made: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          title: textSchema,
          rationale: textSchema,
          alternatives: { type: 'array', items: textSchema },
        },
        required: ['title', 'rationale'],
      },
    },
  },
  required: ['log_entry', 'acceptance_criteria_updates', 'decisions_made'],
} as const;
