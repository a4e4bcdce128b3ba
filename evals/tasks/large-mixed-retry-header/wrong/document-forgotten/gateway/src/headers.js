/** Names of the headers that the gateway sends to workers. */
export const HEADERS = { attempt: 'x-attempt-number', trace: 'x-trace', step: 'x-step' };
