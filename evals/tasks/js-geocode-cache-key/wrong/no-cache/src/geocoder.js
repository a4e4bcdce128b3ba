import { MemoryCache } from './cache.js';
import { isCoordinates, normalisePlace } from './normalise.js';

const DEFAULTS = { lang: 'en', limit: 5 };

export class Geocoder {
  #fetchPlaces;
  #cache;

  constructor({ fetchPlaces, cache = new MemoryCache() }) {
    this.#fetchPlaces = fetchPlaces;
    this.#cache = cache;
    this.hits = 0;
  }

  /** The places of that name, best first: [{ name, lat, lon }]. */
  async lookup(place, options = {}) {
    const query = normalisePlace(place);
    if (query === '') throw new Error('no place given');
    if (isCoordinates(query)) {
      const [lat, lon] = query.split(',').map(Number);
      return [{ name: query, lat, lon }];
    }
    const known = this.#cache.get(query);
    if (known) {
      this.hits += 1;
      return known;
    }
    const { lang, limit } = { ...DEFAULTS, ...options };
    const places = await this.#fetchPlaces({ query, lang, limit });
    return places;
  }

  /** The best place of that name, or null. */
  async best(place, options = {}) {
    const [first] = await this.lookup(place, { ...options, limit: 1 });
    return first ?? null;
  }

  forget() {
    this.#cache.clear();
    this.hits = 0;
  }
}
