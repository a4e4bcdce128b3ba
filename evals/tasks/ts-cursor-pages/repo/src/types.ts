export interface Message {
  id: number;
  author: string;
  text: string;
}

export interface PageRequest {
  page?: number;
  limit?: number;
}

export interface Page {
  items: Message[];
  page: number;
  pages: number;
}
