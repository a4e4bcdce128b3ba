import { one } from './a.js';
test('one', () => expect(one()).toBe(1));
