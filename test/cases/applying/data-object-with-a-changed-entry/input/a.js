export const DEFAULTS = {
  limit: 10,
  sort: 'asc',
};
