import { nextCode } from './codes.js';

/** Makes and follows short links. */
export class Links {
  constructor(store) {
    this.store = store;
  }

  create(target) {
    if (!/^https?:\/\//.test(target)) throw new Error(`not an address: ${target}`);
    const known = this.store.get(`target:${target}`);
    if (known) return known;
    const code = nextCode(this.store);
    this.store.set(`link:${code}`, { target, hits: 0 });
    this.store.set(`target:${target}`, code);
    return code;
  }

  follow(code) {
    const link = this.store.get(`link:${code}`);
    if (!link) return undefined;
    this.store.set(`link:${code}`, { ...link, hits: link.hits + 1 });
    return link.target;
  }

  remove(code) {
    const link = this.store.get(`link:${code}`);
    if (!link) return false;
    this.store.delete(`target:${link.target}`);
    return this.store.delete(`link:${code}`);
  }
}
