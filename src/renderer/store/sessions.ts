import type { LimitsChange, ThinkingMode } from '../../shared/agent-event';
import type { ApprovalAnswer, PermissionMode } from '../../shared/permission';
import type { PromptParts, PromptPriority } from '../../shared/queued-prompt';
import type { Result } from '../../shared/result';
import type { AgentTranscript } from '../../shared/transcript';
import { fromBlocks } from './attachments';
import { revisionKey } from './current-session';
import type { Lathe } from './lathe';
import { withoutRevised } from './screen';
import { addToast, reported } from './toasts';

/** Stops what runs in the session on screen. Says nothing where it has ended meanwhile, as at a second press. */
export async function stopSession(lathe: Pick<Lathe, 'ask' | 'store'>): Promise<void> {
  const { sessionId, transcripts } = lathe.store.getState();
  if (sessionId === null || !transcripts[sessionId]?.running) return;
  const stopped = await lathe.ask((client) => client.session.stop({ sessionId }));
  if (stopped.ok || stopped.error.code !== 'not_running') reported(lathe.store, stopped);
}

/** Changes model, effort, thinking, limits or permission mode of the session on screen. False when it could not be changed. */
export async function configureSession(
  lathe: Lathe,
  change: {
    readonly model?: string;
    readonly effort?: string;
    readonly thinking?: ThinkingMode;
    readonly limits?: LimitsChange;
    readonly mode?: PermissionMode;
  },
): Promise<boolean> {
  const { sessionId } = lathe.store.getState();
  if (sessionId === null) return false;
  const changed = await lathe.ask((client) => client.session.configure({ sessionId, ...change }));
  return reported(lathe.store, changed).ok;
}

/** The modes ⇧Tab goes through; the others are chosen on purpose, in the menu. */
const CYCLE: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** Returns the mode after this one. */
export const nextMode = (mode: PermissionMode): PermissionMode =>
  CYCLE[(CYCLE.indexOf(mode) + 1) % CYCLE.length] ?? 'default';

/** Answers a pending approval; a failure leaves the question standing. */
export async function answerApproval(
  { ask, keptForms }: Pick<Lathe, 'ask' | 'keptForms'>,
  sessionId: string,
  approvalId: string,
  answer: ApprovalAnswer,
): Promise<Result<null>> {
  const taken = await ask((client) => client.session.answer({ sessionId, approvalId, answer }));
  // What was begun to write for it has no further use, and may be private.
  if (taken.ok) keptForms.forget(approvalId);
  return taken;
}

/** Takes a queued prompt back; gives its parts for the composer. */
export const takeBack = (
  lathe: Lathe,
  sessionId: string,
  promptId: string,
): Promise<Result<PromptParts>> =>
  lathe.ask((client) => client.session.takeBack({ sessionId, promptId }));

/** Edits, moves or reprioritises a queued prompt; `now` steers what runs, or starts a query. */
export const changeQueued = (
  lathe: Lathe,
  sessionId: string,
  promptId: string,
  change: { readonly text?: string; readonly priority?: PromptPriority; readonly place?: number },
): Promise<Result<null>> =>
  lathe.ask((client) => client.session.changeQueued({ sessionId, promptId, ...change }));

/** Keeps a queued prompt until the signal, while its words are changed here. Without a connection it goes in as it is. */
export const holdQueued = (
  lathe: Lathe,
  sessionId: string,
  promptId: string,
  signal: AbortSignal,
): Promise<Result<null>> =>
  lathe.ask((client) => client.session.editQueued({ sessionId, promptId }, { signal }));

/** Goes on where the end of Lathe, a failure or a limit stopped the work; `forSession` takes that limit away from the session. */
export const continueWork = async (
  lathe: Lathe,
  sessionId: string,
  forSession: boolean,
): Promise<void> => {
  const asked = { sessionId, ...(forSession ? { forSession } : {}) };
  reported(lathe.store, await lathe.ask((client) => client.session.continueWork(asked)));
};

/** Fetches the conversation of a sub-agent from its log; null when it cannot be had. */
export const agentTranscript = async (
  lathe: Lathe,
  sessionId: string,
  agentId: string,
): Promise<AgentTranscript | null> => {
  const found = await lathe.ask((client) => client.session.agentTranscript({ sessionId, agentId }));
  return found.ok ? found.value : null;
};

/** Stops one call of the running query; the others go on. */
export async function cancelCall(lathe: Lathe, sessionId: string, callId: string): Promise<void> {
  reported(
    lathe.store,
    await lathe.ask((client) => client.session.cancelCall({ sessionId, callId })),
  );
}

/** Ends the pause before the next try of a request. A try that has begun already needs no words. */
export const retryNow = async (lathe: Lathe, sessionId: string): Promise<void> => {
  const hurried = await lathe.ask((client) => client.session.retryNow({ sessionId }));
  if (!hurried.ok && hurried.error.code !== 'not_waiting') reported(lathe.store, hurried);
};

/** Gives a session a title of the user's choice. */
export const renameSession = (
  lathe: Lathe,
  sessionId: string,
  title: string,
): Promise<Result<null>> => lathe.ask((client) => client.sessions.rename({ sessionId, title }));

/** Goes back to before a prompt of a session (`restored`: the restore by which files did), whose words and attachments come into its draft; a failure is shown. */
export async function rewindTo(
  lathe: Lathe,
  sessionId: string,
  promptId: string,
  restored?: string,
): Promise<void> {
  const files = restored === undefined ? {} : { restored };
  const back = await lathe.ask((client) =>
    client.session.rewind({ sessionId, promptId, ...files }),
  );
  if (reported(lathe.store, back).ok && back.ok) putInDraft(lathe, sessionId, back.value);
}

/** Opens an earlier prompt to be edited and sent again. Until it is sent nothing changes, and the draft stays. */
export async function revisePrompt(
  lathe: Lathe,
  sessionId: string,
  promptId: string,
): Promise<void> {
  const prompt = await lathe.ask((client) => client.session.prompt({ sessionId, promptId }));
  if (!reported(lathe.store, prompt).ok || !prompt.ok) return;
  endRevision(lathe, sessionId);
  const key = revisionKey(promptId);
  // What a reload left of an earlier revision.
  clearDraft(lathe, key);
  putInDraft(lathe, key, prompt.value);
  lathe.store.setState(({ revised }) => ({ revised: { ...revised, [sessionId]: promptId } }));
}

/** Leaves the earlier prompt that is edited in a session as it was. */
export function endRevision(
  { store, drafts }: Pick<Lathe, 'store' | 'drafts'>,
  sessionId: string,
): void {
  const promptId = store.getState().revised[sessionId];
  if (promptId === undefined) return;
  store.setState((s) => withoutRevised(s, sessionId));
  clearDraft({ drafts }, revisionKey(promptId));
}

function clearDraft({ drafts }: Pick<Lathe, 'drafts'>, key: string): void {
  drafts.set(key, '');
  drafts.attach(key, []);
}

/** Makes a session of what was there before a prompt or a rewind, and shows it; a failure is shown. */
export async function forkSession(
  lathe: Lathe,
  sessionId: string,
  until:
    | { readonly kind: 'prompt'; readonly promptId: string }
    | { readonly kind: 'rewind'; readonly rewindId: string }
    | { readonly kind: 'item'; readonly itemId: string },
): Promise<void> {
  const forked = reported(
    lathe.store,
    await lathe.ask((client) => client.session.fork({ sessionId, until })),
  );
  if (!forked.ok) return;
  const { sessionId: id, prompt } = forked.value;
  if (prompt !== null) putInDraft(lathe, id, prompt);
  lathe.current.show(id);
  addToast(lathe.store, {
    ...{ level: 'info', text: 'This is a session of its own now' },
    fix: 'The one it was forked from and the files are as they were.',
  });
}

/** Puts a prompt before what is in a session's draft. */
export function putInDraft(
  { drafts }: Pick<Lathe, 'drafts'>,
  key: string,
  { text, blocks = [] }: PromptParts,
): void {
  const kept = drafts.get(key);
  drafts.set(key, kept.trim() === '' ? text : `${text}\n${kept}`);
  if (blocks.length > 0) drafts.attach(key, [...fromBlocks(blocks), ...drafts.attached(key)]);
}
