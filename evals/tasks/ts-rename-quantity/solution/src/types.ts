export interface Line {
  title: string;
  cents: number;
  /** How many of it. */
  quantity: number;
}

export type Basket = readonly Line[];
