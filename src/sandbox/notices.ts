/** Part of every response about names, so that the data is not mistaken for real. */
export const sandboxNotice = {
  title: 'Sandbox',
  description: [
    'The TLD .test is reserved for testing (RFC 6761). All data in this response is fictitious.',
  ],
};

/** Part of every response with another object, so that the data is not mistaken for real. */
export const documentationNotice = {
  title: 'Sandbox',
  description: [
    'These addresses and numbers are reserved for documentation (RFC 5737, RFC 3849, RFC 5398), and the TLD .test for testing (RFC 6761). All data in this response is fictitious.',
  ],
};
