export const pl = {
  greeting: 'Cześć, {name}!',
  unread: {
    one: '{count} nieprzeczytana wiadomość',
    few: '{count} nieprzeczytane wiadomości',
    many: '{count} nieprzeczytanych wiadomości',
  },
  days: { one: '{count} dzień temu', few: '{count} dni temu', many: '{count} dni temu' },
  empty: 'Brak wiadomości',
};
