export const DEFAULTS = {
  limit: 20,
  sort: 'asc',
};
