/**
 * Addresses of repositories and servers as they are shown and logged: a URL may hold a user and a password or a token.
 * Pure.
 */

/** The address without them; a path stays as it is. */
export const withoutCredentials = (repo: string): string => repo.replace(/^([a-z+]+:\/\/)[^/?#\s]*@/i, '$1');

/** Puts `mask` in the place of user names and passwords in every URL in `text`, whatever characters those have. */
export const maskCredentials = (text: string, mask = '***'): string =>
  text.replaceAll(/\/\/[^\s/@]*(?:@[^\s/@]*)*@/g, `//${mask}@`);
