export interface Line {
  title: string;
  cents: number;
  /** How many of it. */
  qty: number;
}

export type Basket = readonly Line[];
