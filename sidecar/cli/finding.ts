/** A finding of `doctor` about one thing that a worker needs. */
export interface Finding {
  what: string;
  status: 'ok' | 'warning' | 'problem';
  found: string;
  /** The remedy; undefined if none is needed. */
  advice?: string;
}

export const ok = (what: string, found: string): Finding => ({ what, status: 'ok', found });
export const warning = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'warning',
  found,
  advice,
});
export const problem = (what: string, found: string, advice: string): Finding => ({
  what,
  status: 'problem',
  found,
  advice,
});
