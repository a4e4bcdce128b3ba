/** Formats host and port for a URL: an IPv6 address is put in brackets. */
export const formatHostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
