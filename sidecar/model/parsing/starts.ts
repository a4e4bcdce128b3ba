/**
 * The places of a text where a call may begin: braces, square brackets and less-than signs. The engine's own search finds
 * each kind, once for the whole text.
 */
export class Starts {
  readonly #text: string;
  #brace = -1;
  #square = -1;
  #less = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The first one at `from` or later, -1 when there is none. Asked for from left to right. */
  next(from: number): number {
    if (this.#brace < from) this.#brace = this.#find('{', from);
    if (this.#square < from) this.#square = this.#find('[', from);
    if (this.#less < from) this.#less = this.#find('<', from);
    const first = Math.min(this.#brace, this.#square, this.#less);
    return first === Infinity ? -1 : first;
  }

  #find(char: string, from: number): number {
    const at = this.#text.indexOf(char, from);
    return at === -1 ? Infinity : at;
  }
}
