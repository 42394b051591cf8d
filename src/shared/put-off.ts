import type { Item } from './transcript';

/** A call that was put off ends here for whoever looks back; when it is taken up again, it has a row of its own. */
export const withPutOff = (active: readonly Item[], callId: string): readonly Item[] =>
  active.map((item) =>
    item.kind === 'call' && item.id === callId
      ? { ...item, id: `${callId}:put-off`, status: 'cancelled', error: 'A hook put this off.' }
      : item,
  );
