/*
 * Access to the hub: the token, requests, and one live stream that resumes by sequence number. The token comes once in
 * the address (`#token=…`) or from the user; it is stored in this tab's sessionStorage.
 */

const tokenKey = 'ollama-sidecar.token';

export class ApiError extends Error {
  /** @param {{ detail?: string, title?: string, code?: string }} problem @param {number} status */
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `The hub answered with HTTP status ${status}.`);
    this.status = status;
    this.code = problem.code ?? 'unreachable';
  }
}

/** Moves the token from the address to the session storage, before other code can read the address. */
export function takeTokenFromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (!token) return;
  sessionStorage.setItem(tokenKey, token);
  const task = fragment.get('task');
  history.replaceState(null, '', task ? `#/task/${encodeURIComponent(task)}` : location.pathname);
}

export const readToken = () => sessionStorage.getItem(tokenKey);
/** @param {string} value */
export const setToken = (value) => sessionStorage.setItem(tokenKey, value);
export const forgetToken = () => sessionStorage.removeItem(tokenKey);

/** Returns an error's message. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Sends a request and returns the parsed answer. Throws ApiError. Paths are relative to the page, since a hub may be
 * served below a path of its host.
 * @param {string} path @param {{ method?: string, body?: object, signal?: AbortSignal | undefined }} [options] @returns {Promise<any>}
 */
export async function request(path, { method = 'GET', body, signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      ...(signal && { signal }),
      headers: {
        authorization: `Bearer ${readToken()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ detail: 'The hub does not answer.' }, 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(answer, response.status);
  return answer;
}

/**
 * Returns the answer, or undefined for an `ApiError`; rejects with any other error, which is a bug of the page.
 * @template T @param {Promise<T>} answer
 */
export const ignoreRefusal = (answer) =>
  answer.catch((/** @type {unknown} */ error) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });

/**
 * Reads one Server-Sent Events stream until it ends. Calls `onEvent(kind, data)` for each event in order. Throws
 * ApiError if the stream cannot be opened.
 * @param {string} path @param {{ signal: AbortSignal, onOpen: () => void, onEvent: (kind: string, data: any) => void }} listener
 */
export async function readStream(path, { signal, onOpen, onEvent }) {
  const response = await fetch(path, {
    signal,
    headers: { authorization: `Bearer ${readToken()}`, accept: 'text/event-stream' },
  });
  if (!response.ok || !response.body) {
    throw new ApiError(await response.json().catch(() => ({})), response.status);
  }
  onOpen();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const parsed = parseServerSentEvent(block);
      if (parsed) onEvent(parsed.kind, parsed.data);
    }
  }
}

/** Parses one event to `{ kind, data }`; undefined for comments. @param {string} block */
export function parseServerSentEvent(block) {
  let kind = 'message';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) kind = line.slice(7);
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  return data === '' ? undefined : { kind, data: JSON.parse(data) };
}
