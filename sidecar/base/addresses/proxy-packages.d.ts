/** The parts of two packages that `proxy.ts` uses; one of them has no types. */
declare module 'proxy-from-env' {
  export function getProxyForUrl(url: string): string;
}

declare module 'https-proxy-agent' {
  import type { Agent } from 'node:http';

  export const HttpsProxyAgent: new (address: string) => Agent;
}
