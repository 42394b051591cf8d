/** Where this window was, so that a reload comes back to it. */
export interface Place {
  readonly project: string | null;
  readonly sessionId: string | null;
  /** Folders opened without trust in this window. */
  readonly untrusted: readonly string[];
}

/** Remembers the place of one window or tab, for as long as it is open. */
export interface PlaceMemory {
  read(): Place;
  write(place: Place): void;
}

const KEY = 'lathe.place';
const NOWHERE: Place = { project: null, sessionId: null, untrusted: [] };
const MAX_UNTRUSTED = 20;

/** A memory in the browser's storage; a blocked or broken one simply remembers nothing. */
export const createPlaceMemory = (storage: Pick<Storage, 'getItem' | 'setItem'>): PlaceMemory => ({
  read() {
    try {
      return parse(JSON.parse(storage.getItem(KEY) ?? 'null'));
    } catch {
      return NOWHERE;
    }
  },
  write(place) {
    try {
      const untrusted = place.untrusted.slice(-MAX_UNTRUSTED);
      storage.setItem(KEY, JSON.stringify({ ...place, untrusted }));
    } catch {
      // Only convenience is lost.
    }
  },
});

function parse(value: unknown): Place {
  if (typeof value !== 'object' || value === null) return NOWHERE;
  const text = (field: unknown): string | null => (typeof field === 'string' ? field : null);
  const untrusted = 'untrusted' in value && Array.isArray(value.untrusted) ? value.untrusted : [];
  return {
    project: 'project' in value ? text(value.project) : null,
    sessionId: 'sessionId' in value ? text(value.sessionId) : null,
    untrusted: untrusted.filter((path): path is string => typeof path === 'string'),
  };
}
