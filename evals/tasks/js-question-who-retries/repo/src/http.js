import { DEFAULTS } from './defaults.js';

/** Sends a request; with `retry` up to the default number of attempts while the server answers 502 to 504. */
export async function request(send, { path, body, retry = true }) {
  const attempts = retry ? DEFAULTS.http.attempts : 1;
  let response;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    response = await send({ path, body });
    if (![502, 503, 504].includes(response.status)) break;
  }
  return response;
}
