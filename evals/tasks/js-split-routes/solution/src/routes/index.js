import { routes as books } from './books.js';
import { routes as readers } from './readers.js';

export const routes = [...books, ...readers];
