import type { AttachmentStorage } from './attachment-storage';
import type { PromptAttachment } from './attachments';

/** The project and session a window shows, so that a reload comes back to them. */
interface Shown {
  readonly project: string | null;
  readonly sessionId: string | null;
  /** Folders opened without trust in this window. */
  readonly untrusted: readonly string[];
}

/** Remembers what one window or tab shows, for as long as it is open. */
export interface LastShown {
  read(): Shown;
  write(shown: Shown): void;
}

const SHOWN_KEY = 'lathe.place';
const NOWHERE: Shown = { project: null, sessionId: null, untrusted: [] };
const MAX_UNTRUSTED = 20;

/** Creates the memory of one window; a blocked or broken storage remembers nothing. */
export const createLastShown = (storage: Pick<Storage, 'getItem' | 'setItem'>): LastShown => ({
  read() {
    try {
      return parse(JSON.parse(storage.getItem(SHOWN_KEY) ?? 'null'));
    } catch {
      return NOWHERE;
    }
  },
  write(shown) {
    try {
      const untrusted = shown.untrusted.slice(-MAX_UNTRUSTED);
      storage.setItem(SHOWN_KEY, JSON.stringify({ ...shown, untrusted }));
    } catch {
      // Only convenience is lost.
    }
  },
});

function parse(value: unknown): Shown {
  if (typeof value !== 'object' || value === null) return NOWHERE;
  const text = (field: unknown): string | null => (typeof field === 'string' ? field : null);
  const untrusted = 'untrusted' in value && Array.isArray(value.untrusted) ? value.untrusted : [];
  return {
    project: 'project' in value ? text(value.project) : null,
    sessionId: 'sessionId' in value ? text(value.sessionId) : null,
    untrusted: untrusted.filter((path): path is string => typeof path === 'string'),
  };
}

/** Remembers where terminals were scrolled to, over a reload of the page. */
export interface ScrollPlaces {
  /** Returns the lines below what was on screen of a terminal; 0 when it was at its bottom. */
  get(terminalId: string): number;
  save(places: Readonly<Record<string, number>>): void;
}

const SCROLLED_KEY = 'lathe.scrolled';

/** Reads the places as they were when the page was left; a blocked or broken storage has none. */
export function createScrollPlaces(storage: Pick<Storage, 'getItem' | 'setItem'>): ScrollPlaces {
  const places = new Map<string, number>();
  for (const [id, lines] of entriesIn(storage, SCROLLED_KEY))
    if (typeof lines === 'number' && Number.isSafeInteger(lines) && lines > 0)
      places.set(id, lines);
  return {
    get: (terminalId) => places.get(terminalId) ?? 0,
    save: (next) => keepEntries(storage, SCROLLED_KEY, Object.entries(next)),
  };
}

const ON_SCREEN_KEY = 'lathe.terminals-on-screen';

/** Returns the ids of the terminals that were on screen when the page was left; none when the storage is blocked or broken. */
export const terminalsOnScreen = (storage: Pick<Storage, 'getItem'>): readonly string[] =>
  entriesIn(storage, ON_SCREEN_KEY).map(([id]) => id);

/** Keeps the ids of the terminals that are on screen as the page is left. */
export const keepTerminalsOnScreen = (
  storage: Pick<Storage, 'setItem'>,
  ids: readonly string[],
): void =>
  keepEntries(
    storage,
    ON_SCREEN_KEY,
    ids.map((id) => [id, true]),
  );

/** Remembers what was seen of terminals whose host was lost, over a reload of the page: nobody else has it. */
export interface LostScreens {
  /** Returns the text that was seen of a terminal; null when there is none. */
  get(terminalId: string): string | null;
  /** Keeps the texts of the terminals among `known`, and those of before that were not shown again. */
  save(texts: Readonly<Record<string, string>>, known: ReadonlySet<string>): void;
}

const LOST_KEY = 'lathe.lost-terminals';
/** The ends of texts are kept up to these: a browser's storage is a few megabytes in all. Characters. */
const MAX_LOST_CHARS = 200_000;
const MAX_LOST_IN_ALL = 1_000_000;

/** Reads the texts as they were when the page was left; a blocked or broken storage has none. */
export function createLostScreens(storage: Pick<Storage, 'getItem' | 'setItem'>): LostScreens {
  const kept = new Map(entriesIn(storage, LOST_KEY).filter(isText));
  return {
    get: (terminalId) => kept.get(terminalId) ?? null,
    save(texts, known) {
      for (const [id, text] of Object.entries(texts)) {
        kept.delete(id);
        kept.set(id, text.slice(-MAX_LOST_CHARS));
      }
      let room = MAX_LOST_IN_ALL;
      const newest = [...kept].reverse().filter(([id, text]) => {
        if (known.has(id)) room -= text.length;
        return known.has(id) && room >= 0;
      });
      keepEntries(storage, LOST_KEY, newest.reverse());
    },
  };
}

/** Remembers what a user has begun to write in dialogs, in one window over a reload of the page. */
export interface KeptForms {
  /** Returns the text that is kept under a key; null when none is. */
  get(key: string): string | null;
  /** Keeps a text; null forgets it. */
  set(key: string, text: string | null): void;
  /** Forgets every text whose key names this question. */
  forget(approvalId: string): void;
}

const FORMS_KEY = 'lathe.forms';
/** The oldest make room: a question that was settled elsewhere leaves its texts behind. */
const MAX_FORM_TEXTS = 40;
/** Longer texts are not kept: the browser's store is a few megabytes in all. Characters. */
const MAX_FORM_CHARS = 20_000;

/** Reads what was kept as the page was left; a blocked or broken storage keeps nothing. */
export function createKeptForms(storage: Pick<Storage, 'getItem' | 'setItem'>): KeptForms {
  const texts = new Map(entriesIn(storage, FORMS_KEY).filter(isText));
  return {
    get: (key) => texts.get(key) ?? null,
    set(key, text) {
      texts.delete(key);
      if (text !== null && text.length <= MAX_FORM_CHARS) texts.set(key, text);
      for (const oldest of [...texts.keys()].slice(0, -MAX_FORM_TEXTS)) texts.delete(oldest);
      keepEntries(storage, FORMS_KEY, texts);
    },
    forget(approvalId) {
      const over = [...texts.keys()].filter((key) => key.split(' ').includes(approvalId));
      for (const key of over) texts.delete(key);
      if (over.length > 0) keepEntries(storage, FORMS_KEY, texts);
    },
  };
}

type Entry = readonly [string, unknown];

/** Returns what is kept under a key, by name; a blocked or broken storage holds nothing. */
function entriesIn(storage: Pick<Storage, 'getItem'>, key: string): readonly Entry[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? '{}');
    return Object.entries(kept ?? {});
  } catch {
    return [];
  }
}

/** Keeps entries under a key; a full or blocked storage costs convenience only. */
function keepEntries(
  storage: Pick<Storage, 'setItem'>,
  key: string,
  entries: Iterable<Entry>,
): void {
  try {
    storage.setItem(key, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // What is on screen stays.
  }
}

const isText = (entry: Entry): entry is readonly [string, string] => typeof entry[1] === 'string';

/** Unsent text per session. It survives reloads and restarts; the oldest drafts make room. */
export interface Drafts {
  get(sessionId: string): string;
  /** Returns the attachments of the draft; the same list until they change. */
  attached(sessionId: string): readonly PromptAttachment[];
  /** Replaces the attachments. Those of the newest few drafts are kept. */
  attach(sessionId: string, attachments: readonly PromptAttachment[]): void;
  /** An empty text forgets the draft. */
  set(sessionId: string, text: string): void;
  /** Calls back after every change; gives the way to stop that. */
  subscribe(listener: () => void): () => void;
}

const DRAFTS_KEY = 'lathe.drafts';
const MAX_DRAFTS = 50;
/** Comments on lines that changed have room of their own: they push out no prompt. */
const MAX_COMMENTS = 20;
const COMMENT = 'comment:';
const isComment = (key: string): boolean => key.startsWith(COMMENT);

/** Returns the key of a comment's draft. Where the line has another text or number, it is another draft. */
export const commentKey = (sessionId: string, place: string, text: string): string =>
  `${COMMENT}${sessionId}:${place}:${text.slice(0, 200)}`;
/** Drafts whose attachments are kept. */
const MAX_ATTACHED = 10;
const NO_ATTACHMENTS: readonly PromptAttachment[] = [];
/** Longer texts are kept on screen but not stored: the browser's store is a few megabytes in all. */
const MAX_STORED_CHARS = 50_000;

/**
 * Creates drafts kept in the browser's storage, and in `own`, which only this window has: two windows may be on one session. A full or
 * blocked storage costs the draft, never what is on screen.
 */
export function createDrafts(
  storage: TextStorage,
  attachmentStorage: AttachmentStorage = NO_STORAGE,
  own: TextStorage = NO_TEXTS,
): Drafts {
  const drafts = Object.assign(read(storage), read(own));
  const attachments = new Map<string, readonly PromptAttachment[]>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const dropOldest = () => {
    for (const oldest of [...attachments.keys()].slice(0, -MAX_ATTACHED)) {
      attachments.delete(oldest);
      void attachmentStorage.save(oldest, []);
    }
  };
  /** Drafts whose attachments changed before what is kept arrived; null once it has. */
  let changedEarly: Set<string> | null = new Set();
  void attachmentStorage.load().then((kept) => {
    const newer = [...attachments];
    attachments.clear();
    for (const [id, list] of kept) if (!changedEarly?.has(id)) attachments.set(id, list);
    for (const [id, list] of newer) attachments.set(id, list);
    changedEarly = null;
    dropOldest();
    notify();
  });
  return {
    get: (sessionId) => drafts[sessionId] ?? '',
    set(sessionId, text) {
      const before = drafts[sessionId];
      if (text === '') delete drafts[sessionId];
      else drafts[sessionId] = text;
      for (const kept of [storage, own]) keepDraft(kept, sessionId, text, before);
      notify();
    },
    attached: (sessionId) => attachments.get(sessionId) ?? NO_ATTACHMENTS,
    attach(sessionId, list) {
      if (list.length === 0 && changedEarly === null && !attachments.has(sessionId)) return;
      changedEarly?.add(sessionId);
      attachments.delete(sessionId);
      if (list.length > 0) attachments.set(sessionId, list);
      void attachmentStorage.save(sessionId, list);
      dropOldest();
      notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Keeps one draft in a storage, where other windows keep theirs. `before`: what this window kept there last. */
function keepDraft(
  storage: TextStorage,
  key: string,
  text: string,
  before: string | undefined,
): void {
  const { [key]: there, ...others } = read(storage);
  // What another window has begun for the same session is not this one's to forget.
  if (text === '' && there !== before) return;
  const isKept = text !== '' && text.length <= MAX_STORED_CHARS;
  const entries = [...(isKept ? [[key, text] as const] : []), ...Object.entries(others)];
  const newest = [
    ...entries.filter(([id]) => !isComment(id)).slice(0, MAX_DRAFTS),
    ...entries.filter(([id]) => isComment(id)).slice(0, MAX_COMMENTS),
  ];
  keepEntries(storage, DRAFTS_KEY, newest);
}

/** Keeps no texts. */
const NO_TEXTS: TextStorage = { getItem: () => null, setItem: () => {} };

/** Keeps nothing. */
const NO_STORAGE: AttachmentStorage = {
  load: () => Promise.resolve(new Map()),
  save: () => Promise.resolve(),
};

/** Returns the texts of drafts in a storage, newest first. */
function read(storage: Pick<Storage, 'getItem'>): Record<string, string> {
  try {
    const value: unknown = JSON.parse(storage.getItem(DRAFTS_KEY) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const texts = Object.entries(value).filter(
      (e): e is [string, string] => typeof e[1] === 'string',
    );
    return Object.assign(Object.create(null), Object.fromEntries(texts));
  } catch {
    return {};
  }
}

/** The two operations this app needs of the browser's storage. */
type TextStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** Returns the browser's storage, or one in memory where the browser forbids it. */
export function storageOr(open: () => TextStorage): TextStorage {
  try {
    return open();
  } catch {
    const kept = new Map<string, string>();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => {
        kept.set(key, value);
      },
    };
  }
}

/** Puts `key` first and cuts the list to `capacity`. `dropped` is what fell off the end. */
export function touch(
  order: readonly string[],
  key: string,
  capacity: number,
): { readonly order: readonly string[]; readonly dropped: readonly string[] } {
  const next = [key, ...order.filter((k) => k !== key)];
  return { order: next.slice(0, capacity), dropped: next.slice(capacity) };
}
