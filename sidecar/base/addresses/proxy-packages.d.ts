/** Declares the types of the functions that `proxy.ts` uses from two packages without types. */
declare module 'proxy-from-env' {
  export function getProxyForUrl(url: string): string;
}

declare module 'https-proxy-agent' {
  import type { Agent } from 'node:http';

  export const HttpsProxyAgent: new (address: string) => Agent;
}
