import type { Client } from '../../../../src/renderer/api/transport';
import { createAsk } from '../../../../src/renderer/store/ask';
import { createDrafts, createLastShown } from '../../../../src/renderer/store/browser-storage';
import { createCurrentSession } from '../../../../src/renderer/store/current-session';
import { createScreenStore } from '../../../../src/renderer/store/screen';
import type { SessionSummary } from '../../../../src/shared/contract';
import type { PromptBlock } from '../../../../src/shared/queued-prompt';
import { err, fault, ok, type Result } from '../../../../src/shared/result';

const PROJECT = { path: '/p', name: 'p', trusted: true, findings: [], problems: [] };
/** A session as the host lists it; its title is its id. */
export const summary = (id: string, over: Partial<SessionSummary> = {}): SessionSummary =>
  ({
    id,
    project: '/p',
    title: id,
    updatedAt: 1,
    running: false,
    needsAnswer: false,
    ...over,
  }) as SessionSummary;

/** A page whose host answers when the test says so. */
export function sessionPage(sessions: readonly SessionSummary[]) {
  const disk = new Map<string, string>();
  const storage = {
    getItem: (key: string) => disk.get(key) ?? null,
    setItem: (key: string, value: string) => void disk.set(key, value),
  };
  const store = createScreenStore();
  const drafts = createDrafts(storage);
  const sent: { sessionId: string; text: string; blocks?: readonly PromptBlock[] }[] = [];
  const ids: string[] = [];
  const creations: ((made: Result<SessionSummary>) => void)[] = [];
  const rewinds: ((back: Result<{ text: string }>) => void)[] = [];
  let refused: Result<null> = ok(null);
  const client = {
    sessions: { create: () => new Promise((resolve) => creations.push(resolve)) },
    session: {
      rewind: () => new Promise((resolve) => rewinds.push(resolve)),
      submit: ({ sessionId, text, blocks, promptId }: Submitted) => {
        ids.push(promptId);
        const taken = () => sent.push({ sessionId, text, ...(blocks ? { blocks } : {}) });
        if (silent) return new Promise(() => {});
        if (refused.ok) taken();
        return Promise.resolve(refused);
      },
    },
  } as unknown as Client;
  let silent = false;
  let lost = new AbortController();
  let number = 0;
  const slow: (() => void)[] = [];
  const current = createCurrentSession({
    store,
    drafts,
    ask: createAsk(() => ({ client, lost: lost.signal })),
    storage,
    newId: () => {
      number += 1;
      return `message-${number}`;
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        slow.push(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
    feeds: { show() {}, useTransport() {}, forget() {} },
    lastShown: createLastShown(storage),
  });
  store.setState({
    opened: PROJECT,
    app: { sessions } as never,
    link: { kind: 'connected' },
  });
  return {
    ids,
    unsent: () => store.getState().unsent.map(({ text, tried }) => [text, tried]),
    /** The host answers nothing from now on. */
    fallSilent() {
      silent = true;
    },
    async grow() {
      for (const resolve of slow.splice(0)) resolve();
      await settled();
    },
    async disconnect() {
      store.setState({ link: { kind: 'lost', attempt: 1, fault: fault('lost', 'Lost.') } });
      lost.abort();
      await settled();
    },
    async reconnect() {
      silent = false;
      lost = new AbortController();
      store.setState({ link: { kind: 'connected' } });
      await current.sendWaiting();
      await settled();
    },
    store,
    drafts,
    current,
    sent,
    refuse: (result: Result<null>) => {
      refused = result;
    },
    shown: () => store.getState().sessionId,
    asked: () => creations.length,
    /** The host answers the oldest request for a session. */
    async made(id: string) {
      creations.shift()?.(ok(summary(id, { title: '' })));
      await settled();
    },
    async failed() {
      creations.shift()?.(err(fault('disk', 'No room.')));
      await settled();
    },
    /** Opens an earlier prompt of the session on screen to be edited. */
    revise: (promptId: string) =>
      store.setState(({ revised, sessionId }) => ({
        revised: { ...revised, [sessionId ?? '']: promptId },
      })),
    /** The host answers all that asked to go back. Returns how many did. */
    async wentBack(back: Result<{ text: string }> = ok({ text: '' })) {
      const asked = rewinds.splice(0);
      for (const resolve of asked) resolve(back);
      await settled();
      return asked.length;
    },
    type: (text: string) => drafts.set(current.draftKey(), drafts.get(current.draftKey()) + text),
  };
}

type Submitted = {
  readonly sessionId: string;
  readonly text: string;
  readonly blocks?: readonly PromptBlock[];
  readonly promptId: string;
};

/** Lets everything go on that waits for nothing. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
