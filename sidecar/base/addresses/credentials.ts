/** Removes or masks user names, passwords and tokens in addresses, so that they can be shown and logged. Pure. */

/** Removes the credentials of an address; a path stays unchanged. */
export const removeCredentials = (repo: string): string => repo.replace(/^([a-z+]+:\/\/)[^/?#\s]*@/i, '$1');

/** Masks user names and passwords in every URL of a text, whatever their characters. */
export const maskCredentials = (text: string, mask = '***'): string =>
  text.replaceAll(/\/\/[^\s/@]*(?:@[^\s/@]*)*@/g, `//${mask}@`);
