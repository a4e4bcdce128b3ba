/** Validates hub addresses. The address of another machine must be encrypted. Pure. */

export interface HubUrlFailure {
  code: 'hub_url_invalid' | 'hub_url_insecure';
  message: string;
}

/** Parses a hub address; `http` and `https` become `ws` and `wss`. */
export function checkHubUrl(
  url: string,
  allowInsecure = false,
): { ok: true; value: URL } | { ok: false; failure: HubUrlFailure } {
  if (!URL.canParse(url)) {
    const message = `${JSON.stringify(url)} is not a valid address; write an address such as ws://127.0.0.1:4600/ws or wss://hub.example/ws`;
    return rejectUrl('hub_url_invalid', message);
  }
  const parsed = new URL(url);
  if (parsed.protocol === 'http:') parsed.protocol = 'ws:';
  if (parsed.protocol === 'https:') parsed.protocol = 'wss:';
  if (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:') {
    return rejectUrl(
      'hub_url_invalid',
      `the hub's address must begin with ws:// or wss://, not ${parsed.protocol}//`,
    );
  }
  if (parsed.username || parsed.password) {
    return rejectUrl(
      'hub_url_invalid',
      "the hub's address must not contain a password; write the token into a file and set hub.tokenFile",
    );
  }
  if (parsed.protocol === 'ws:' && !allowInsecure && !isLoopback(parsed.hostname)) {
    return rejectUrl(
      'hub_url_insecure',
      `${parsed.host} is not this machine, so its address must begin with wss:// (or set hub.allowInsecure)`,
    );
  }
  return { ok: true, value: parsed };
}

const rejectUrl = (code: HubUrlFailure['code'], message: string) => ({
  ok: false as const,
  failure: { code, message },
});

/** Returns whether a host name from a `URL` is `localhost`, in 127.0.0.0/8, or ::1. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}
