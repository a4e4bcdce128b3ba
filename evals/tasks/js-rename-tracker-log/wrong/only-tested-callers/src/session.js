/** A visit: notes its begin and end. Works without a tracker as well. */
export function createSession(user, tracker) {
  tracker?.record('session.begin', { user });
  return {
    user,
    visit(...pages) {
      tracker?.recordMany(pages.map((page) => `page.${page}`), { user });
    },
    end() {
      tracker?.record('session.end', { user });
    },
  };
}
