/** Returns the metadata of a setting that few users change. Short lists omit such settings. */
export const describeRareSetting = (description?: string) => ({
  rare: true,
  ...(description !== undefined && { description }),
});
