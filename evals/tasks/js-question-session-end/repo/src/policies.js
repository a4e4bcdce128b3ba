const MINUTE_S = 60;

/** How long sessions live, in seconds: `idle` without a request, `total` in any case. */
export const POLICIES = {
  public: { idle: 120 * MINUTE_S, total: 24 * 60 * MINUTE_S },
  member: { idle: 60 * MINUTE_S, total: 12 * 60 * MINUTE_S },
  // Half of what the safety rules allow (30 minutes).
  admin: { idle: 900, total: 8 * 60 * MINUTE_S },
};

/** The policy for a path. */
export function policyFor(path) {
  if (path.startsWith('/admin')) return POLICIES.admin;
  if (path.startsWith('/me')) return POLICIES.member;
  return POLICIES.public;
}
