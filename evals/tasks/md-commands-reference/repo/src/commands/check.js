/** Reads every stored file again and compares it with its checksum. */
export const check = {
  summary: 'Reads all stored files and compares them with their checksums.',
  options: {
    sample: { value: 'percent', default: 100, meaning: 'share of the files to read' },
  },
};
