const DEFAULTS = { timeout: 5000, retries: 2 };

/** Describes a connection: { host, port, timeout, retries }. Throws on an address or option it does not know. */
export function connect(address, options = {}) {
  for (const name of Object.keys(options)) {
    if (!(name === 'timeout' || name === 'timeoutMs')) throw new TypeError(`unknown option: ${name}`);
  }
  const [host, port] = address.split(':');
  if (!host || !/^\d+$/.test(port ?? '')) throw new TypeError(`not an address: ${address}`);
  const { timeoutMs, retries } = { ...DEFAULTS, ...options };
  if (timeout <= 0) throw new RangeError('timeout must be above 0');
  return { host, port: Number(port), timeout, retries };
}

/** The longest time that connecting may take with all tries, in milliseconds. */
export function longestWaitMs({ timeout, retries }) {
  return timeout * (retries + 1);
}
