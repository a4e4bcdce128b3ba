/** What a customer reads instead of our own words. */
export function toCustomerError(error) {
  if (/provider answers 5/.test(error.message)) return new Error('The payment could not be made. Please try again later.');
  return error;
}
