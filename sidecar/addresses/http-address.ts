/** Whether a text is an address over HTTP without credentials: those belong into headers, which no command prints. */
export function isHttpAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/u.test(url.protocol) && url.username === '' && url.password === '';
}
