export const templates = {
  welcome: {
    subject: 'Welcome to {{ shop }}',
    text: 'Hello {{name|friend}},\n\nthank you for joining {{shop}}.',
  },
  shipped: {
    subject: 'Order {{order}} is on its way',
    text: '{{count}} parcels, by {{carrier | our own van}}.',
  },
};
