import type { PromptPriority } from '../../shared/agent-event';
import type { SessionSummary } from '../../shared/contract';
import { err, fault, ok, type Result } from '../../shared/result';
import type { Ask } from './ask';
import { toBlocks } from './attachments';
import type { Drafts, LastShown } from './browser-storage';
import type { ScreenStore } from './screen';
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
  /** Appends text to the draft on screen, on a line of its own. */
  addToDraft(text: string): void;
  /**
   * Sends a prompt with the attachments of the draft to the session it was typed for, whatever is shown later. A
   * failure puts both back.
   */
  submit(text: string, priority?: PromptPriority): Promise<Result<null>>;
}

interface Deps {
  readonly store: ScreenStore;
  readonly ask: Ask;
  readonly feeds: SessionFeeds;
  readonly drafts: Drafts;
  readonly lastShown: LastShown;
}

/** A session that is being made. */
interface Pending {
  readonly project: string;
  /** A prompt waits for it, so that the next new session must be another one. */
  claimed: boolean;
  made: Promise<Result<string>>;
}

const NO_PROJECT = err(fault('no_project', 'No folder is open.', 'Open a folder first.'));

/** Creates the owner of the current session of one page. */
export function createCurrentSession(deps: Deps): CurrentSession {
  const { store, ask, feeds, drafts, lastShown } = deps;
  let pending: Pending | null = null;
  /** The project whose last new session was refused; the host is not asked again and again by itself. */
  let failedFor: string | null = null;
  /** Sessions this page has sent something to that the host still lists as empty. */
  let spoken: readonly string[] = [];

  const project = () => store.getState().opened?.path ?? '';
  const remember = (sessionId: string | null) => {
    const { opened, untrusted } = store.getState();
    lastShown.write({ project: opened?.path ?? null, sessionId, untrusted });
  };
  const show = (sessionId: string) => {
    store.setState({ sessionId });
    feeds.show(sessionId);
    remember(sessionId);
  };
  const emptySession = (): SessionSummary | undefined => {
    const { app, transcripts } = store.getState();
    const empty = (app?.sessions ?? []).filter((s) => s.title === '' && !s.running);
    spoken = spoken.filter((id) => empty.some((s) => s.id === id));
    return empty.find(
      ({ id, project: of }) =>
        of === project() && !spoken.includes(id) && (transcripts[id]?.queue.length ?? 0) === 0,
    );
  };
  /** Gives text typed while there was no session to the session that came. */
  const moveDraft = (sessionId: string, of: string) => {
    const attached = drafts.attached(newDraftKey(of));
    if (attached.length > 0) {
      drafts.attach(newDraftKey(of), []);
      drafts.attach(sessionId, [...drafts.attached(sessionId), ...attached]);
    }
    const early = drafts.get(newDraftKey(of));
    if (early === '') return;
    drafts.set(newDraftKey(of), '');
    const kept = drafts.get(sessionId);
    drafts.set(sessionId, kept === '' ? early : `${kept}\n${early}`);
  };
  const make = (): Pending => {
    const next: Pending = { project: project(), claimed: false, made: Promise.resolve(NO_PROJECT) };
    const create = async (): Promise<Result<string>> => {
      const made = await ask((client) => client.sessions.create({ project: next.project }));
      const latest = pending === next;
      if (latest) pending = null;
      if (!made.ok) {
        if (made.error.code !== 'offline') failedFor = next.project;
        return reported(store, made);
      }
      failedFor = null;
      if (!latest) return ok(made.value.id);
      moveDraft(made.value.id, next.project);
      if (store.getState().sessionId === null && project() === next.project) show(made.value.id);
      return ok(made.value.id);
    };
    next.made = create();
    return next;
  };
  const startNew = async (): Promise<Result<string>> => {
    if (project() === '') return NO_PROJECT;
    const empty = emptySession();
    if (empty) {
      moveDraft(empty.id, empty.project);
      show(empty.id);
      return ok(empty.id);
    }
    if (pending?.project !== project() || pending.claimed) pending = make();
    store.setState({ sessionId: null });
    remember(null);
    return pending.made;
  };
  const draftKey = () => store.getState().sessionId ?? newDraftKey(project());
  /** Names the session that what is typed now is for, before anything else happens. */
  const claim = (): Promise<Result<string>> => {
    const { sessionId } = store.getState();
    if (sessionId !== null) return Promise.resolve(ok(sessionId));
    const made = pending?.project === project() ? pending.made : startNew();
    if (pending) pending.claimed = true;
    return made;
  };
  return {
    show,
    startNew,
    draftKey,
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
      const { sessionId, app } = store.getState();
      if (sessionId !== null || app === null || pending || failedFor === project()) return;
      const own = app.sessions.filter((s) => s.project === project());
      const newest = own.toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
      if (newest && drafts.get(newDraftKey(project())) === '') show(newest.id);
      else void startNew();
    },
    async submit(text, priority) {
      const early = draftKey();
      const attached = drafts.attached(early);
      drafts.set(early, '');
      drafts.attach(early, []);
      store.setState((s) => ({ sent: s.sent + 1 }));
      const claimed = claim();
      const target = await claimed;
      const session = target.ok ? target.value : early;
      if (target.ok) spoken = [...spoken, target.value];
      const sent = target.ok
        ? await ask((client) =>
            client.session.submit({
              sessionId: target.value,
              text,
              ...(attached.length === 0 ? {} : { blocks: [...toBlocks(attached)] }),
              ...(priority === undefined ? {} : { priority }),
            }),
          )
        : target;
      if (sent.ok) return sent;
      const typed = drafts.get(session);
      drafts.set(session, typed === '' ? text : `${text}\n${typed}`);
      drafts.attach(session, [...attached, ...drafts.attached(session)]);
      return sent;
    },
  };
}

const newDraftKey = (project: string): string => `new ${project}`;
