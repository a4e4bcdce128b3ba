export interface Message {
  id: number;
  author: string;
  text: string;
}

export interface PageRequest {
  /** The id of the last message seen. */
  after?: number;
  limit?: number;
}

export interface Page {
  items: Message[];
  /** What to go on with as `after`; absent on the last page. */
  next?: number;
}
