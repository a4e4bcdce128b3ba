/**
 * Addresses of repositories as they are shown and logged: a URL may hold a user and a password or a token
 * (operations.md, Workspaces: credentials never in logs). Pure.
 */

/** The address without them; a path stays as it is. */
export const withoutCredentials = (repo: string): string => repo.replace(/^([a-z+]+:\/\/)[^/?#\s]*@/i, '$1');
