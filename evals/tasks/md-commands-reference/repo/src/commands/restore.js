/** Brings files back. */
export const restore = {
  summary: 'Writes the files of a snapshot into a folder.',
  options: {
    overwrite: { value: null, default: false, meaning: 'replace files that are there' },
    to: { value: 'folder', default: '.', meaning: 'where the files are written' },
  },
};
