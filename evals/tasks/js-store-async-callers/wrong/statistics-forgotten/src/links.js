import { nextCode } from './codes.js';

/** Makes and follows short links. */
export class Links {
  constructor(store) {
    this.store = store;
  }

  async create(target) {
    if (!/^https?:\/\//.test(target)) throw new Error(`not an address: ${target}`);
    const known = await this.store.get(`target:${target}`);
    if (known) return known;
    const code = await nextCode(this.store);
    await this.store.set(`link:${code}`, { target, hits: 0 });
    await this.store.set(`target:${target}`, code);
    return code;
  }

  async follow(code) {
    const link = await this.store.get(`link:${code}`);
    if (!link) return undefined;
    await this.store.set(`link:${code}`, { ...link, hits: link.hits + 1 });
    return link.target;
  }

  async remove(code) {
    const link = await this.store.get(`link:${code}`);
    if (!link) return false;
    await this.store.delete(`target:${link.target}`);
    return this.store.delete(`link:${code}`);
  }
}
