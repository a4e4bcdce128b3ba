/** For runs that end at the first failure: what is quick comes first. */
import LongestFirst from './longest-first.js';

export default class LongestLast extends LongestFirst {
  sort(tests) {
    return super.sort(tests).toReversed();
  }
}
