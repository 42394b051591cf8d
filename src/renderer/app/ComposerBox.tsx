import { type KeyboardEvent, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { memoryLine } from '../../shared/memory';
import type { FoundFile } from '../../shared/project-file';
import type { PromptPriority } from '../../shared/queued-prompt';
import { ok } from '../../shared/result';
import { Composer } from '../chat/Composer';
import { type FindFiles, otherMentions } from '../chat/file-menu';
import type { QueueAct } from '../chat/queue';
import { ownCommandOf, slashChoices } from '../commands/slash';
import type { RunCommand } from '../commands/table';
import { useProjectPrompts } from '../palette/PromptPickers';
import { withAttachments } from '../store/attachments';
import { findFiles } from '../store/files';
import { currentTranscript, revisedPrompt } from '../store/screen';
import {
  changeQueued,
  endRevision,
  holdQueued,
  putInDraft,
  stopSession,
  takeBack,
} from '../store/sessions';
import { addToast, dismissToast, reported } from '../store/toasts';
import { useDraft, useLathe, useScreen } from '../store/use-lathe';
import { visibleTerminals } from '../terminal/visible-terminals';
import { Button, Kbd } from '../ui/Button';
import { focusedOverlay, focusHome } from '../ui/Dialog';
import { promptsIn } from './session-views';
import { useAddFiles } from './use-add-files';

/** The composer of the session on screen: its draft survives, and a failed send keeps the text. */
export function ComposerBox({
  inputRef,
  onCommand,
}: {
  readonly inputRef: RefObject<HTMLTextAreaElement | null>;
  readonly onCommand: RunCommand;
}) {
  const lathe = useLathe();
  const { drafts, current } = lathe;
  const addFiles = useAddFiles();
  const sessionId = useScreen((s) => s.sessionId);
  const { text: draft, attached } = useDraft();
  const running = useScreen((s) => (currentTranscript(s)?.running ?? null) !== null);
  const queue = useScreen((s) => currentTranscript(s)?.queue ?? []);
  const committed = useScreen((s) => currentTranscript(s)?.committed ?? null);
  const active = useScreen((s) => currentTranscript(s)?.active ?? null);
  const linked = useScreen((s) => s.link.kind === 'connected');
  const history = usePrompts(committed, active);
  const hostCommands = useScreen((s) => s.hostCommands);
  const commands = useMemo(() => slashChoices(draft, hostCommands), [draft, hostCommands]);
  const findMentioned = useFindFiles();
  const warm = useWarmFinder();
  const revised = useScreen(revisedPrompt);
  const refusal = useRef<number | null>(null);
  // The owner says at the very moment of a key which session it is for.
  const setDraft = (text: string) => drafts.set(current.draftKey(), text);
  useEffect(() => {
    const box = inputRef.current;
    if (focusedOverlay() !== null || box === null) return;
    box.focus();
    // Words that were kept go on at their end.
    box.setSelectionRange(box.value.length, box.value.length);
  }, [inputRef]);
  /** Ends a refusal when the next prompt or command is sent, or its words are gone. */
  const endRefusal = useCallback(() => {
    if (refusal.current !== null) dismissToast(lathe.store, refusal.current);
    refusal.current = null;
  }, [lathe]);
  useEffect(() => {
    if (draft.trim() === '') endRefusal();
  }, [draft, endRefusal]);
  const send = async (text: string, priority: PromptPriority) => {
    const { store } = lathe;
    const sent = reported(store, await current.submit(text, priority));
    refusal.current = sent.ok ? null : (store.getState().toasts.at(-1)?.id ?? null);
    return sent;
  };
  const submit = async (text: string, priority: PromptPriority) => {
    endRefusal();
    const command = attached.length > 0 ? null : ownCommandOf(text, hostCommands);
    const memory = attached.length > 0 ? null : memoryLine(text);
    if (memory !== null) {
      // The words stay in the message box until they are kept.
      lathe.store.setState({ dialog: { kind: 'remember', text: memory } });
      return undefined;
    }
    if (command === null) return send(text, priority);
    const key = current.draftKey();
    drafts.set(key, '');
    const done = await onCommand(command.id, command.argument);
    if (!done && drafts.get(key) === '') drafts.set(key, text);
    return undefined;
  };
  const addToDraft = (text: string, key = current.draftKey()) => {
    const kept = drafts.get(key);
    drafts.set(key, kept.trim() === '' ? text : `${text}\n${kept}`);
    inputRef.current?.focus();
  };
  /** Tells whether an earlier prompt covers the draft: what is given up with that must hold no other words. */
  const isBehindRevision = () => revisedPrompt(lathe.store.getState())?.sessionId === sessionId;
  const takeBackPrompt = async (promptId: string) => {
    if (sessionId === null) return;
    const taken = reported(lathe.store, await takeBack(lathe, sessionId, promptId));
    if (!taken.ok) return;
    putInDraft(lathe, sessionId, taken.value);
    if (isBehindRevision())
      addToast(lathe.store, { level: 'info', text: 'That message is in your draft.', fix: BEHIND });
    inputRef.current?.focus();
  };
  const keepLostEdit = (text: string) => {
    addToDraft(text, sessionId ?? undefined);
    addToast(lathe.store, {
      level: 'info',
      ...(isBehindRevision()
        ? { text: 'That message went in as it was. Your new words are in your draft.', fix: BEHIND }
        : { text: 'That message went in as it was. Your new words are in the message box.' }),
    });
  };
  const addPaste = (text: string) => {
    const key = current.draftKey();
    const all = reported(
      lathe.store,
      withAttachments(drafts.attached(key), [{ kind: 'paste', text }]),
    );
    if (all.ok) drafts.attach(key, all.value);
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (revised === null || event.key !== 'Escape') return;
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    event.preventDefault();
    endRevision(lathe, revised.sessionId);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears of Esc in the message box; the button does the same.
    <div
      // In a very low window it has room for one line beside a question, unless one writes in it or presses what is there.
      className="flex max-h-[max(7rem,100cqh-2.75rem-var(--kept)-var(--spared))] shrink-0 flex-col group-data-[asked=true]/centre:not-focus-within:not-active:[@container(max-height:35rem)]:max-h-8 group-data-[asked=true]/centre:not-focus-within:not-active:[@container(max-height:35rem)]:overflow-clip"
      onKeyDown={onKeyDown}
    >
      {revised === null ? null : <RevisionLine sessionId={revised.sessionId} />}
      <Composer
        sessionKey={sessionId ?? ''}
        draftKey={current.draftKey()}
        revising={revised !== null}
        draft={draft}
        onDraft={(text) => {
          setDraft(text);
          warm();
        }}
        attached={attached}
        onAttached={(list) => drafts.attach(current.draftKey(), list)}
        onFiles={addFiles}
        onPaste={addPaste}
        onSubmit={submit}
        onStop={() => stopSession(lathe)}
        running={running}
        queue={queue}
        onQueue={onQueue}
        onHold={(promptId, signal) => {
          if (sessionId !== null) void holdQueued(lathe, sessionId, promptId, signal);
        }}
        onEditLost={keepLostEdit}
        history={history}
        onSearch={() => lathe.store.setState({ dialog: { kind: 'prompts' } })}
        onRewind={() => lathe.store.setState({ dialog: { kind: 'rewind' } })}
        commands={commands}
        findFiles={findMentioned}
        inputRef={inputRef}
        {...(linked ? {} : { notice: OFFLINE_NOTICE })}
      />
    </div>
  );
}

/** Says that the message box holds an earlier prompt, and gives the way out. */
function RevisionLine({ sessionId }: { readonly sessionId: string }) {
  const lathe = useLathe();
  const cancel = () => {
    endRevision(lathe, sessionId);
    focusHome();
  };
  return (
    <div className="prose-column flex shrink-0 items-center gap-2 py-1 text-meta text-ink-2">
      <p role="status" className="min-w-0 flex-1">
        You are editing an earlier message. What came after it is left behind when you send this.
      </p>
      <Button size="sm" variant="ghost" onClick={cancel}>
        Cancel <Kbd keys="esc" />
      </Button>
    </div>
  );
}

/**
 * Returns what finds files of the project on screen. A shell that has gone elsewhere takes mentions along: then
 * they are written from the root.
 */
function useFindFiles(): FindFiles {
  const lathe = useLathe();
  const project = useScreen((s) => s.opened?.path ?? '');
  const shellCwd = useScreen((s) => currentTranscript(s)?.shellCwd ?? '');
  const away = shellCwd !== '' && shellCwd !== project;
  return useCallback(
    async (text, signal) => {
      const { app, sessionId, mentions } = lathe.store.getState();
      const { near, far } = otherMentions(text, {
        terminals: visibleTerminals(app?.terminals ?? [], project, sessionId, null),
        mentions: [...mentions.agents, ...mentions.resources],
      });
      const findings = await findFiles(lathe, { text }, signal);
      const others = [...near, ...far];
      if (!findings.ok) return others.length === 0 ? findings : ok({ ...NO_FILES, found: others });
      // Files are what one most likely means, unless something else begins so.
      const joined = (found: readonly FoundFile[]) =>
        ok({ ...findings.value, found: [...near, ...found, ...far] });
      if (!away) return joined(findings.value.found);
      const root = project.endsWith('/') ? project : `${project}/`;
      const found = findings.value.found.map(({ path, marks }) => ({
        path: root + path,
        marks: marks.map((at) => at + root.length),
      }));
      return joined(found);
    },
    [lathe, project, away],
  );
}

/** Returns what has the files of the project listed before they are asked for: somebody types, and may write an `@`. */
function useWarmFinder(): () => void {
  const lathe = useLathe();
  const warmed = useRef('');
  return useCallback(() => {
    const project = lathe.store.getState().opened?.path ?? '';
    if (warmed.current === project) return;
    warmed.current = project;
    void findFiles(lathe, { text: '' }, new AbortController().signal);
  }, [lathe]);
}

const NO_FILES = { searched: 0, partial: false };

const BEHIND = 'Your draft shows once the earlier message is sent or given up.';

const OFFLINE_NOTICE =
  'Not connected. What you send waits here and goes out once the connection is back.';

type Items = Parameters<typeof promptsIn>[0] | null;

/**
 * Returns the prompts sent before, oldest first: those of other sessions of the project, then those of this one. Only
 * looked for again when there are new rows.
 */
function usePrompts(committed: Items, active: Items): readonly string[] {
  const before = useMemo(() => promptsIn(committed ?? []), [committed]);
  const ofProject = useProjectPrompts();
  return useMemo(() => {
    const own = [...before, ...promptsIn(active ?? [])];
    const said = new Set(own);
    return [...ofProject.filter((text) => !said.has(text)), ...own];
  }, [before, active, ofProject]);
}
