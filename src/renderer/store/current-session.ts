import type { SessionSummary } from '../../shared/contract';
import type { PromptPriority } from '../../shared/queued-prompt';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Ask } from './ask';
import type { PromptAttachment } from './attachments';
import type { Drafts, LastShown } from './browser-storage';
import { createOutbox } from './outbox';
import {
  type RevisedPrompt,
  revisedPrompt,
  type ScreenStore,
  type Unsent,
  withoutRevised,
} from './screen';
import type { SessionFeeds } from './session-feeds';
import { reported } from './toasts';

/**
 * The one owner of which session is on screen, and so of where typed text goes. While a session is being made
 * `sessionId` is null: text typed meanwhile belongs to the session that comes, never to the one shown before.
 */
export interface CurrentSession {
  /** Brings a session on screen and subscribes to it. */
  show(sessionId: string): void;
  /** Takes the session off the screen, for example because the project changes. */
  clear(): void;
  /** Takes an empty session of the project on screen at once, making one if needed. Failures are shown. */
  startNew(): Promise<Result<string>>;
  /** Shows the newest session of the open project, or starts one; does nothing while one is shown or being made. */
  settle(): void;
  /** Returns the key of the draft on screen. */
  draftKey(): string;
  /** Runs what adds to the draft on screen bit by bit. `keyNow` gives its key, also once its session has been made. */
  withDraft(act: (keyNow: () => string) => Promise<void>): Promise<void>;
  /** Appends text to the draft on screen, on a line of its own. */
  addToDraft(text: string): void;
  /**
   * Sends a prompt with the attachments of the draft to the session it was typed for, whatever is shown later. Without
   * a connection it waits for one; any other failure puts both back.
   */
  submit(text: string, priority?: PromptPriority): Promise<Result<null>>;
  /** Sends what waited for the connection, in order. Failures are shown. */
  sendWaiting(): Promise<void>;
  /** Puts a message that was never sent back into the draft of its session. */
  takeBackUnsent(id: string): void;
}

interface Deps {
  readonly store: ScreenStore;
  readonly ask: Ask;
  readonly feeds: SessionFeeds;
  readonly drafts: Drafts;
  readonly lastShown: LastShown;
  /** Keeps what waits for the connection over a reload of this window. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly newId: () => string;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** A session that is being made. */
interface Pending {
  readonly project: string;
  /** A prompt waits for it, so that the next new session must be another one. */
  claimed: boolean;
  made: Promise<Result<string>>;
}

/** Words and attachments that were sent. */
interface Words {
  readonly text: string;
  readonly attached: readonly PromptAttachment[];
}

/** Of more sessions without a title the older ones are no longer told apart from empty ones. */
const MAX_SPOKEN = 200;

const NO_PROJECT = err(fault('no_project', 'No folder is open.', 'Open a folder first.'));

/** Creates the owner of the current session of one page. */
export function createCurrentSession(deps: Deps): CurrentSession {
  const { store, ask, feeds, drafts, lastShown } = deps;
  let pending: Pending | null = null;
  /** The project whose last new session was refused; the host is not asked again and again by itself. */
  let failedFor: string | null = null;
  /** The projects of sessions that the host was asked for and has not answered. */
  let making: readonly string[] = [];
  /** Sessions this page has sent something to that the host lists as empty, or does not list yet. */
  let spoken: readonly string[] = [];
  /** The drafts that something is being added to. */
  const followed = new Set<{ key: string }>();
  /** Words that were sent in the place of earlier prompts that the host has not yet gone back to. */
  const leaving = new Map<string, { words: Words[]; back: Promise<Result<unknown>> }>();

  const project = () => store.getState().opened?.path ?? '';
  const remember = (sessionId: string | null) => {
    const { opened, untrusted } = store.getState();
    lastShown.write({ project: opened?.path ?? null, sessionId, untrusted });
  };
  const show = (sessionId: string) => {
    store.setState({ sessionId, revealed: null });
    feeds.show(sessionId);
    remember(sessionId);
  };
  const speakTo = (sessionId: string) => {
    const { sessions = [] } = store.getState().app ?? {};
    const isTitled = (id: string) => sessions.some((s) => s.id === id && s.title !== '');
    spoken = [...spoken.filter((id) => !isTitled(id)), sessionId].slice(-MAX_SPOKEN);
  };
  const emptySessions = (): readonly SessionSummary[] => {
    const { app, transcripts } = store.getState();
    return (app?.sessions ?? []).filter(
      ({ id, project: of, title, running }) =>
        title === '' &&
        !running &&
        of === project() &&
        !spoken.includes(id) &&
        (transcripts[id]?.queue.length ?? 0) === 0,
    );
  };
  /** Puts a draft behind that of a session: text typed while there was none goes to the session that came. */
  const moveDraft = (sessionId: string, from: string) => {
    for (const draft of followed) if (draft.key === from) draft.key = sessionId;
    const attached = drafts.attached(from);
    if (attached.length > 0) {
      drafts.attach(from, []);
      drafts.attach(sessionId, [...drafts.attached(sessionId), ...attached]);
    }
    const early = drafts.get(from);
    if (early === '') return;
    drafts.set(from, '');
    const kept = drafts.get(sessionId);
    drafts.set(sessionId, kept === '' ? early : `${kept}\n${early}`);
  };
  const create = async (of: string): Promise<Result<SessionSummary>> => {
    making = [...making, of];
    const made = await ask((client) => client.sessions.create({ project: of }));
    making = making.toSpliced(making.indexOf(of), 1);
    return made;
  };
  const make = (): Pending => {
    const next: Pending = { project: project(), claimed: false, made: Promise.resolve(NO_PROJECT) };
    const take = async (): Promise<Result<string>> => {
      const made = await create(next.project);
      const latest = pending === next;
      if (latest) pending = null;
      if (!made.ok) {
        if (made.error.code !== 'offline') failedFor = next.project;
        return made.error.code === 'offline' ? made : reported(store, made);
      }
      failedFor = null;
      if (!latest) return ok(made.value.id);
      moveDraft(made.value.id, newDraftKey(next.project));
      if (store.getState().sessionId === null && project() === next.project) show(made.value.id);
      return ok(made.value.id);
    };
    next.made = take();
    return next;
  };
  const startNew = async (): Promise<Result<string>> => {
    if (project() === '') return NO_PROJECT;
    // An empty one may be listed before it is said to be made: then a prompt typed earlier waits for it.
    const [empty] = making.includes(project()) ? [] : emptySessions();
    if (empty) {
      moveDraft(empty.id, newDraftKey(empty.project));
      show(empty.id);
      return ok(empty.id);
    }
    if (pending?.project !== project() || pending.claimed) pending = make();
    store.setState({ sessionId: null });
    remember(null);
    return pending.made;
  };
  const draftKey = () => {
    const revised = revisedPrompt(store.getState());
    if (revised !== null) return revisionKey(revised.promptId);
    return store.getState().sessionId ?? newDraftKey(project());
  };
  /** Goes back to before the prompt whose new words are sent; a failure puts `words` back and leaves it open. */
  const goBack = async ({ sessionId, promptId }: RevisedPrompt, words: readonly Words[]) => {
    const back = await ask((client) => client.session.rewind({ sessionId, promptId }));
    const key = revisionKey(promptId);
    if (!back.ok) {
      const texts = [...words.map(({ text }) => text), drafts.get(key)];
      drafts.set(key, texts.filter((text) => text !== '').join('\n'));
      drafts.attach(key, [...words.flatMap(({ attached }) => attached), ...drafts.attached(key)]);
    }
    const isOpen = store.getState().revised[sessionId] === promptId;
    const isOver = back.ok || back.error.code === 'gone';
    if (isOver && isOpen) store.setState((s) => withoutRevised(s, sessionId));
    if (isOver || !isOpen) moveDraft(sessionId, key);
    return back;
  };
  /** Does so once for all that is sent until it is answered. */
  const goBackTo = (revised: RevisedPrompt, sent: Words) => {
    const { promptId } = revised;
    const words = leaving.get(promptId)?.words ?? [];
    words.push(sent);
    const back =
      leaving.get(promptId)?.back ?? goBack(revised, words).finally(() => leaving.delete(promptId));
    leaving.set(promptId, { words, back });
    return back;
  };
  /** Claims the new session that what is typed now is for, before anything else happens. */
  const claim = (): Promise<Result<string>> => {
    const made = pending?.project === project() ? pending.made : startNew();
    if (pending) pending.claimed = true;
    return made;
  };
  const sessionOf = async ({ sessionId, project: of }: Unsent): Promise<Result<string>> => {
    if (sessionId !== null) return ok(sessionId);
    const shown = of === project() ? store.getState().sessionId : undefined;
    // The answer to its making was lost, and it is found again: another one would take the prompt off the screen.
    const found = emptySessions().find(({ id }) => id === shown);
    const made =
      found !== undefined
        ? idOf(ok(found))
        : shown === null
          ? await claim()
          : await create(of).then(idOf);
    if (made.ok) speakTo(made.value);
    return made;
  };
  const outbox = createOutbox({
    ...deps,
    sessionOf,
    draftOf: ({ sessionId, project: of }) => sessionId ?? newDraftKey(of),
  });
  return {
    show,
    startNew,
    draftKey,
    async withDraft(act) {
      const draft = { key: draftKey() };
      followed.add(draft);
      try {
        await act(() => draft.key);
      } finally {
        followed.delete(draft);
      }
    },
    addToDraft(text) {
      const kept = drafts.get(draftKey());
      drafts.set(
        draftKey(),
        kept === '' || kept.endsWith('\n') ? `${kept}${text}` : `${kept}\n${text}`,
      );
    },
    clear() {
      store.setState({ sessionId: null });
      remember(null);
    },
    settle() {
      const { sessionId, app, unsent } = store.getState();
      if (sessionId !== null || app === null || pending || failedFor === project()) return;
      const own = app.sessions.filter((s) => s.project === project() && s.archived !== true);
      const newest = own.toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
      const early =
        drafts.get(newDraftKey(project())) !== '' ||
        unsent.some((one) => one.sessionId === null && one.project === project());
      if (newest && !early) show(newest.id);
      else void startNew();
    },
    async submit(text, priority) {
      const early = draftKey();
      const attached = drafts.attached(early);
      drafts.set(early, '');
      drafts.attach(early, []);
      const { sessionId } = store.getState();
      const revised = revisedPrompt(store.getState());
      const back = revised === null ? ok(null) : await goBackTo(revised, { text, attached });
      if (!back.ok) return back;
      store.setState((s) => ({ sent: s.sent + 1 }));
      if (sessionId !== null) speakTo(sessionId);
      const message = { id: deps.newId(), sessionId, project: project(), text, tried: false };
      return outbox.send(
        priority === undefined ? message : { ...message, priority },
        attached,
        () => sessionOf(message),
      );
    },
    sendWaiting: outbox.sendWaiting,
    takeBackUnsent: outbox.takeBack,
  };
}

const idOf = (made: Result<SessionSummary>): Result<string> => (made.ok ? ok(made.value.id) : made);

/** Returns the key of the new words of an earlier prompt, beside which the draft of its session stays. */
export const revisionKey = (promptId: string): string => `again ${promptId}`;

const newDraftKey = (project: string): string => `new ${project}`;
