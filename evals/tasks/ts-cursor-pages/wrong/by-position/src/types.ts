export interface Message {
  id: number;
  author: string;
  text: string;
}

export interface PageRequest {
  after?: number;
  limit?: number;
}

export interface Page {
  items: Message[];
  next?: number;
}
