/** Removes old snapshots. */
export const prune = {
  summary: 'Removes snapshots that are not kept by any rule.',
  options: {
    'dry-run': { value: null, default: false, meaning: 'only say what would be removed' },
    'keep-daily': { value: 'number', default: 7, meaning: 'newest of so many days' },
    'keep-monthly': { value: 'number', default: 12, meaning: 'newest of so many months' },
  },
};
