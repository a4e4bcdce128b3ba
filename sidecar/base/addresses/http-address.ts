/** Returns whether a text is an HTTP address without credentials. Credentials belong in headers, which no command prints. */
export function isHttpAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/u.test(url.protocol) && url.username === '' && url.password === '';
}
