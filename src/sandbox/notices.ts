/** Part of every response, so that the data is not mistaken for real. */
export const sandboxNotice = {
  title: 'Sandbox',
  description: [
    'The TLD .test is reserved for testing (RFC 6761). All data in this response is fictitious.',
  ],
};
