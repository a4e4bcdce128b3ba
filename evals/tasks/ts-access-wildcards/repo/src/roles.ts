export interface User {
  name: string;
  roles: string[];
}

export type Roles = Record<string, string[]>;

export const ROLES: Roles = {
  admin: ['*'],
  accountant: ['invoices:*', 'reports:read'],
  auditor: ['invoices:read', 'reports:read', 'reports:export'],
  trainee: ['!invoices:delete', '!reports:export'],
};

/** All entries of the user's roles, each once. */
export function entriesOf(user: User, roles: Roles = ROLES): string[] {
  const entries = new Set<string>();
  for (const role of user.roles) {
    const own = roles[role];
    if (!own) throw new Error(`unknown role: ${role}`);
    for (const entry of own) entries.add(entry);
  }
  return [...entries];
}
