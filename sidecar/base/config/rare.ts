/** Describes a setting that few users change: it is left out of short lists. */
export const rare = (description?: string) => ({
  rare: true,
  ...(description !== undefined && { description }),
});
