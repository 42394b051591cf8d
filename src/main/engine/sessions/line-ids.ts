import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the UUID by which programs know a message: its id where that is one, else always the same one made of it. Pure. */
export function lineId(messageId: string): string {
  if (UUID.test(messageId)) return messageId;
  const hex = createHash('sha256').update(messageId).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
