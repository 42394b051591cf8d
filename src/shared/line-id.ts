const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the UUID by which programs know a message: its id where that is one, else always the same one made of it. Pure. */
export function lineId(messageId: string): string {
  if (UUID.test(messageId)) return messageId;
  const hex = [1, 2, 3, 4].map((seed) => hashOf(messageId, seed)).join('');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

/** Returns 32 bits made of a text, in hexadecimal (MurmurHash3, one character a block). */
function hashOf(text: string, seed: number): string {
  let hash = Math.imul(seed, 0x9e3779b1);
  for (let at = 0; at < text.length; at += 1) {
    const block = Math.imul(Math.imul(text.charCodeAt(at), 0xcc9e2d51) | 0, 0x1b873593);
    hash = Math.imul(((hash ^ block) << 13) | ((hash ^ block) >>> 19), 5) + 0xe6546b64;
  }
  hash = Math.imul(hash ^ (hash >>> 16) ^ text.length, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
