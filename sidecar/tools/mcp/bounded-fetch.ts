/** Limits the size of a response to Node's `fetch`, because the SDK reads responses whole. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` whose responses fail while being read if they exceed `maxBytes`. */
export function boundedFetch(maxBytes: number): Fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (!response.body || response.status < 200 || response.status >= 300) return response;
    let leftBytes = maxBytes;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          leftBytes -= chunk.byteLength;
          if (leftBytes >= 0) controller.enqueue(chunk);
          else controller.error(new Error(`sent more than ${maxBytes / 1024 ** 2} MiB in one answer`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(bounded, { status, statusText, headers });
  };
}
