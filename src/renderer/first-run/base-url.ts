/** What is wrong with an endpoint's address, or null. An empty one means the default endpoint. */
export function baseUrlProblem(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'Write the whole address, such as https://gateway.example.com';
  }
  if (url.username !== '' || url.password !== '') {
    return 'Leave user name and password out of the address.';
  }
  return null;
}

/** Whether a key sent there would travel unencrypted over a network. */
export function isUnencrypted(text: string): boolean {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || url.protocol !== 'http:') return false;
  return !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
}
