/** The parts of two packages that `proxy.ts` uses; one of them comes without types. */
declare module 'proxy-from-env' {
  export function getProxyForUrl(url: string): string;
}

declare module 'https-proxy-agent' {
  export const HttpsProxyAgent: new (address: string) => import('node:http').Agent;
}
