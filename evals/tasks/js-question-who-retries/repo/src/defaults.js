export const DEFAULTS = {
  // Used by http.js for requests that allow it.
  http: { attempts: 3 },
  // `retries` counts what follows the first request.
  gateway: { retries: 3, pauseMs: 200 },
  // Used by the worker that sends receipts at night.
  receipts: { attempts: 5 },
};
