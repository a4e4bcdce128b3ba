const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A code that is not in use: counts up from the last one given out. */
export function nextCode(store) {
  let number = store.get('last-code') ?? 0;
  let code;
  do {
    number += 1;
    code = encode(number);
  } while (store.get(`link:${code}`) !== undefined);
  store.set('last-code', number);
  return code;
}

function encode(number) {
  let code = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / SIGNS.length)) code = SIGNS[rest % SIGNS.length] + code;
  return code.padStart(3, SIGNS[0]);
}
