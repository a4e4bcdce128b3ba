import { entriesOf, ROLES, type Roles, type User } from './roles.ts';

export class Forbidden extends Error {
  constructor(user: User, permission: string) {
    super(`${user.name} may not ${permission}`);
    this.name = 'Forbidden';
  }
}

/** Does the entry of a role, without its !, cover the permission? */
function covers(entry: string, permission: string): boolean {
  if (entry === permission) return true;
  return entry.endsWith(':*') && permission.startsWith(entry.slice(0, -1));
}

/** May the user do this? A permission is 'resource:action'. */
export function can(user: User, permission: string, roles: Roles = ROLES): boolean {
  const entries = entriesOf(user, roles);
  if (entries.some((entry) => entry.startsWith('!') && covers(entry.slice(1), permission))) return false;
  return entries.some((entry) => covers(entry, permission));
}

/** Throws Forbidden when the user may not do this. */
export function demand(user: User, permission: string, roles: Roles = ROLES): void {
  if (!can(user, permission, roles)) throw new Forbidden(user, permission);
}

/** Those of the permissions that the user has, for the menu. */
export function allowed(user: User, permissions: string[], roles: Roles = ROLES): string[] {
  return permissions.filter((permission) => can(user, permission, roles));
}
