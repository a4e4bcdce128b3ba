/** Shows what is stored. */
export const list = {
  summary: 'Shows the snapshots, newest first.',
  options: {
    json: { value: null, default: false, meaning: 'print JSON' },
    limit: { value: 'number', default: 20, meaning: 'show at most so many' },
  },
};
