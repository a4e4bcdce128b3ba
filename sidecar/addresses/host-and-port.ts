/** Where a server listens, as it stands in a URL: an IPv6 address goes in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
