export interface Options {
  name: string;
  size: number;
  color: string;
}

export function pick(key: string): string;
export function pick(key: number): number;
export function pick(key: unknown): unknown {
  return key;
}
