/** A visit: notes its begin and end. Works without a tracker as well. */
export function createSession(user, tracker) {
  tracker?.log('session.begin', { user });
  return {
    user,
    visit(...pages) {
      tracker?.logMany(pages.map((page) => `page.${page}`), { user });
    },
    end() {
      tracker?.log('session.end', { user });
    },
  };
}
