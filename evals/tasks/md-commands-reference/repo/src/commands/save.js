/** Makes a snapshot. */
export const save = {
  summary: 'Stores a folder as a new snapshot.',
  options: {
    exclude: { value: 'pattern', default: 'none', meaning: 'leave out files that match; may be given several times' },
    tag: { value: 'text', default: 'none', meaning: 'a name for the snapshot' },
  },
};
