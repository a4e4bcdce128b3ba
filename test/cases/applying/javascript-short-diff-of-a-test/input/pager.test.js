import { pages } from './pager.js';
assert.equal(pages(3, 2), 1);
