/** A request or an abort as oRPC writes it: JSON text with an id. */
export function isRpcMessage(data: unknown): data is string {
  if (typeof data !== 'string') return false;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null || !('i' in value)) return false;
    if ('t' in value && value.t !== 1) return value.t === 3 || value.t === 4;
    return 'p' in value && hasPath(value.p);
  } catch {
    return false;
  }
}

const hasPath = (payload: unknown): boolean =>
  typeof payload === 'object' &&
  payload !== null &&
  'u' in payload &&
  typeof payload.u === 'string' &&
  payload.u.startsWith('/');
