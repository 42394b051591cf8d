import { z } from 'zod';
import { PromptPriority } from '../../shared/queued-prompt';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Transcript } from '../../shared/transcript';
import type { Ask } from './ask';
import { type PromptAttachment, toBlocks } from './attachments';
import type { Drafts } from './browser-storage';
import type { ScreenStore, Unsent } from './screen';
import { reported } from './toasts';

/** Sends messages, and keeps those that wait for the connection in the order they were written. */
export interface Outbox {
  /**
   * Sends a message with its attachments to the session that `target` names. Without a connection it waits for one;
   * any other failure puts it back into its draft.
   */
  send(
    message: Unsent,
    attached: readonly PromptAttachment[],
    target: () => Promise<Result<string>>,
  ): Promise<Result<null>>;
  /** Sends what waited, in order, as long as the connection holds. Failures are shown. */
  sendWaiting(): Promise<void>;
  /** Puts a message that was never sent back into its draft. */
  takeBack(id: string): void;
}

interface OutboxDeps {
  readonly store: ScreenStore;
  readonly ask: Ask;
  readonly drafts: Drafts;
  /** Keeps the texts over a reload of this window. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Names the session of a message that waited; one that waited for a new session may make it. */
  sessionOf(message: Unsent): Promise<Result<string>>;
  /** Returns the key of the draft that a message came from. */
  draftOf(message: Unsent): string;
}

const UNSENT_KEY = 'lathe.unsent';
const MAX_UNSENT = 50;

/** A message is shown as being sent when no answer came in this time, in milliseconds. */
const SLOW_MS = 1000;

const FULL = fault(
  'too_many',
  'Too many messages wait for the connection.',
  'Wait until it is back, or take some of them back.',
);

/** Creates the outbox of a page; what a reload left waits again. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, ask, drafts, storage } = deps;
  let sending: Promise<void> | null = null;

  const list = () => store.getState().unsent;
  const set = (unsent: readonly Unsent[]) => {
    store.setState({ unsent });
    try {
      storage.setItem(UNSENT_KEY, JSON.stringify(unsent));
    } catch {
      // A full storage costs what a reload would keep, never what is on screen.
    }
  };
  /** Adds a message, or replaces the one of its id. False when too many wait. */
  const put = (message: Unsent): boolean => {
    const at = list().findIndex(({ id }) => id === message.id);
    if (at < 0 && list().length >= MAX_UNSENT) return false;
    set(at < 0 ? [...list(), message] : list().with(at, message));
    return true;
  };
  const forget = ({ id }: Unsent) => {
    if (list().some((one) => one.id === id)) set(list().filter((one) => one.id !== id));
    drafts.attach(attachedKey(id), []);
  };
  const putBack = (message: Unsent) => {
    const key = deps.draftOf(message);
    const typed = drafts.get(key);
    drafts.set(key, typed === '' ? message.text : `${message.text}\n${typed}`);
    drafts.attach(key, [...drafts.attached(attachedKey(message.id)), ...drafts.attached(key)]);
    forget(message);
  };
  /** Gives messages that wait for a new session the id of the one that was made. */
  const named = (message: Unsent, sessionId: string): Unsent => {
    const same = (one: Unsent) => one.sessionId === null && one.project === message.project;
    if (message.sessionId === null && list().some(same))
      set(list().map((one) => (same(one) ? { ...one, sessionId } : one)));
    return { ...message, sessionId };
  };
  const submit = async (message: Unsent, sessionId: string): Promise<Result<null>> => {
    const answered = new AbortController();
    void deps.wait(SLOW_MS, answered.signal).then(() => {
      if (!answered.signal.aborted) put({ ...message, tried: true });
    });
    const attached = drafts.attached(attachedKey(message.id));
    const sent = await ask((client) =>
      client.session.submit({
        sessionId,
        text: message.text,
        promptId: message.id,
        ...(attached.length === 0 ? {} : { blocks: [...toBlocks(attached)] }),
        ...(message.priority === undefined ? {} : { priority: message.priority }),
      }),
    );
    answered.abort();
    return sent;
  };
  /** Sends a message once: it is taken, waits for the connection, or is back in its draft. */
  const deliver = async (message: Unsent, target: Promise<Result<string>>) => {
    const session = await target;
    const sender = session.ok ? named(message, session.value) : message;
    const sent = session.ok ? await submit(sender, session.value) : session;
    if (sent.ok) forget(sender);
    else if (sent.error.code !== 'offline') putBack(sender);
    else if (!put({ ...sender, tried: sender.tried || session.ok })) {
      putBack(sender);
      return err(FULL);
    }
    return sent;
  };
  const sendAll = async () => {
    for (let [next] = list(); next !== undefined; [next] = list()) {
      const sent = await deliver(next, deps.sessionOf(next));
      if (!sent.ok && sent.error.code === 'offline') return;
      reported(store, sent);
    }
  };
  const sendWaiting = () => {
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  };

  store.setState({ unsent: readUnsent(storage) });
  return {
    sendWaiting,
    async send(message, attached, target) {
      drafts.attach(attachedKey(message.id), attached);
      const connected = store.getState().link.kind === 'connected';
      const behind = list().some(({ sessionId }) => sessionId === message.sessionId);
      if (connected && !behind) {
        const sent = await deliver(message, target());
        return sent.ok || sent.error.code !== 'offline' ? sent : ok(null);
      }
      if (!put(message)) {
        putBack(message);
        return err(FULL);
      }
      if (connected) await sendWaiting();
      return ok(null);
    },
    takeBack(id) {
      const message = list().find((one) => one.id === id);
      if (message && !message.tried) putBack(message);
    },
  };
}

/** Returns the key under which the attachments of a message are kept among those of drafts. */
const attachedKey = (id: string): string => `unsent ${id}`;

const Kept = z.array(
  z.object({
    id: z.string(),
    sessionId: z.string().nullable(),
    project: z.string(),
    text: z.string(),
    priority: PromptPriority.exactOptional(),
    tried: z.boolean(),
  }),
);

function readUnsent(storage: Pick<Storage, 'getItem'>): readonly Unsent[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(UNSENT_KEY) ?? '[]');
    return Kept.max(MAX_UNSENT).safeParse(kept).data ?? [];
  } catch {
    return [];
  }
}

/** Returns the messages that do not stand in the conversation yet: one whose answer was lost may. */
export function stillUnsent(
  unsent: readonly Unsent[],
  { committed, active, queue }: Pick<Transcript, 'committed' | 'active' | 'queue'>,
): readonly Unsent[] {
  if (unsent.length === 0) return unsent;
  const taken = (id: string) =>
    queue.some((one) => one.id === id) ||
    [active, committed].some((items) =>
      items.some((item) => item.kind === 'prompt' && item.id === id),
    );
  return unsent.filter(({ id }) => !taken(id));
}
