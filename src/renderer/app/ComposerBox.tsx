import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { PromptPriority } from '../../shared/agent-event';
import { Composer } from '../chat/Composer';
import type { QueueAct } from '../chat/queue';
import { currentTranscript } from '../store/screen';
import { changeQueued, draftKey, stopSession, submitPrompt, takeBack } from '../store/sessions';
import { addToast, reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import type { CommandId } from './keys';
import { promptsIn } from './session-views';
import { runSlash, slashChoices, slashCommandOf } from './slash-commands';

/** The composer of the session on screen: its draft survives, and a failed send keeps the text. */
export function ComposerBox({
  inputRef,
  onCommand,
}: {
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  readonly onCommand: (id: CommandId) => void;
}) {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const project = useScreen((s) => s.opened?.path ?? '');
  const key = draftKey(sessionId, project);
  const [draft, setDraftText] = useState(() => lathe.drafts.get(key));
  const running = useScreen((s) => (currentTranscript(s)?.running ?? null) !== null);
  const queue = useScreen((s) => currentTranscript(s)?.queue ?? []);
  const committed = useScreen((s) => currentTranscript(s)?.committed ?? null);
  const active = useScreen((s) => currentTranscript(s)?.active ?? null);
  const linked = useScreen((s) => s.link.kind === 'connected');
  const history = usePrompts(committed, active);
  const commands = useMemo(() => slashChoices(draft), [draft]);
  const setDraft = (text: string) => {
    setDraftText(text);
    lathe.drafts.set(key, text);
  };
  useEffect(() => inputRef.current?.focus(), [inputRef]);
  const submit = async (text: string, priority: PromptPriority) => {
    setDraft('');
    const command = slashCommandOf(text);
    const sent = command
      ? await runSlash(lathe, command, onCommand)
      : reported(lathe.store, await submitPrompt(lathe, text, priority)).ok;
    if (!sent) setDraft(lathe.drafts.get(key) === '' ? text : lathe.drafts.get(key));
  };
  const takeBackPrompt = async (promptId: string) => {
    if (sessionId === null) return;
    const taken = reported(lathe.store, await takeBack(lathe, sessionId, promptId));
    if (taken.ok) addToDraft(taken.value);
  };
  const addToDraft = (text: string) => {
    const kept = lathe.drafts.get(key);
    setDraft(kept.trim() === '' ? text : `${text}\n${kept}`);
    inputRef.current?.focus();
  };
  const keepLostEdit = (text: string) => {
    addToDraft(text);
    addToast(lathe.store, {
      level: 'info',
      text: 'That message went in as it was. Your new words are in the message box.',
    });
  };
  const onQueue = async (act: QueueAct) => {
    if (act.kind === 'takeBack') return takeBackPrompt(act.id);
    if (sessionId === null) return;
    const { kind: _, id, ...change } = act;
    if (act.kind === 'when' && act.priority === 'now') inputRef.current?.focus();
    const changed = await changeQueued(lathe, sessionId, id, change);
    if (!changed.ok && act.kind === 'edit') return keepLostEdit(act.text);
    reported(lathe.store, changed);
  };
  return (
    <div data-composer>
      <Composer
        draft={draft}
        onDraft={setDraft}
        onSubmit={submit}
        onStop={() => stopSession(lathe)}
        running={running}
        queue={queue}
        onQueue={onQueue}
        onEditLost={keepLostEdit}
        history={history}
        commands={commands}
        inputRef={inputRef}
        {...(linked ? {} : { blocked: 'Reconnecting… your text is kept' })}
      />
    </div>
  );
}

type Items = Parameters<typeof promptsIn>[0] | null;

/** Returns the prompts sent before, oldest first; only looked for again when there are new rows. */
function usePrompts(committed: Items, active: Items): readonly string[] {
  const before = useMemo(() => promptsIn(committed ?? []), [committed]);
  return useMemo(() => {
    const now = promptsIn(active ?? []);
    return now.length === 0 ? before : [...before, ...now];
  }, [before, active]);
}
