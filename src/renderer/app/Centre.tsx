import { Command, Ellipsis, PanelLeft, PanelRight } from 'lucide-react';
import { type ReactNode, type RefObject, useCallback, useMemo } from 'react';
import type { Keymap } from '../../shared/keymap';
import type { Result } from '../../shared/result';
import type { Transcript } from '../../shared/transcript';
import { type CommandId, commandOf } from '../../shared/window-commands';
import { ApprovalDialog } from '../approvals/ApprovalDialog';
import type { Given } from '../approvals/use-asking';
import type { LoadImage } from '../chat/CodeBlock';
import { Conversation } from '../chat/Conversation';
import { hasBegun } from '../chat/rows';
import { UnsentList } from '../chat/UnsentList';
import type { RunCommand } from '../commands/table';
import { useKeymap } from '../commands/use-keymap';
import { useRuleReplay } from '../rules/RuleReplay';
import { titleOf } from '../sessions/group-sessions';
import { readImageFile } from '../store/files';
import { restoreSession } from '../store/kept-sessions';
import { stillUnsent } from '../store/outbox';
import type { ReadingPlace } from '../store/reading-places';
import { currentProject, currentTranscript } from '../store/screen';
import { agentTranscript, answerApproval } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button, IconButton, Kbd } from '../ui/Button';
import { cx } from '../ui/css';
import { focusHome } from '../ui/Dialog';
import { tildeText } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { ContextArea, Menu, type MenuEntry } from '../ui/Menu';
import { Notice } from '../ui/Notice';
import { ComposerBox } from './ComposerBox';
import { useCardActions, useContextEntries, usePromptMenu } from './conversation-acts';
import { FileLinks } from './FileLinks';
import { useNarrow } from './layout';
import { MenuButton } from './TitleRow';
import { Toasts } from './Toasts';

/** The middle column: title, conversation, questions, and where one writes. */
export function Centre({
  composer,
  banner,
  onCommand,
}: {
  readonly composer: RefObject<HTMLTextAreaElement | null>;
  readonly banner: ReactNode;
  readonly onCommand: RunCommand;
}) {
  const sessionId = useScreen((s) => s.sessionId);
  const dialog = useScreen((s) => s.dialog !== null);
  const asked = useScreen((s) => (currentTranscript(s)?.approvals.length ?? 0) > 0);
  return (
    <div
      data-asked={asked}
      // The room that the box for messages leaves to the others: a question keeps its title, some lines and its answers.
      // What led to the question keeps some lines too, down to a window of 640 × 400, unless one writes.
      className="group/centre relative flex h-full min-h-0 flex-col overflow-clip bg-canvas [--kept:4rem] [--spared:clamp(0rem,100cqh-30rem,9rem)] [container-type:size] data-[asked=true]:[--kept:18rem] data-[asked=true]:[--spared:clamp(0rem,min(150cqh-30.25rem,40cqh-4.5rem),9rem)] data-[asked=true]:has-[[data-focus-home]:focus]:[--spared:clamp(0rem,100cqh-30rem,9rem)]"
    >
      <TitleBar onCommand={onCommand} />
      {banner}
      {/* In a low window it gives way to a question, which must be read and answered. */}
      <div className="min-h-(--spared) flex-1 basis-0">
        {sessionId === null ? (
          <Unloaded>
            <Welcome />
          </Unloaded>
        ) : (
          <SessionView key={sessionId} sessionId={sessionId} />
        )}
      </div>
      <DeletedNotice />
      <Approvals />
      {dialog ? null : <Toasts />}
      <ComposerBox inputRef={composer} onCommand={onCommand} />
    </div>
  );
}

/** The place of a conversation that is still to be made or loaded; messages may wait for it already. */
function Unloaded({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex h-full flex-col overflow-y-auto">
      <div className="min-h-0 flex-1">{children}</div>
      <WaitingMessages transcript={null} />
    </div>
  );
}

/** The messages of the session on screen that wait for the connection. */
function WaitingMessages({ transcript }: { readonly transcript: Transcript | null }) {
  const { current } = useLathe();
  const all = useScreen((s) =>
    s.unsent.filter(
      (one) => one.sessionId === s.sessionId && one.project === (s.opened?.path ?? ''),
    ),
  );
  const unsent = transcript === null ? all : stillUnsent(all, transcript);
  return <UnsentList unsent={unsent} onTakeBack={current.takeBackUnsent} />;
}

function SessionView({ sessionId }: { readonly sessionId: string }) {
  const onAction = useCardActions(sessionId);
  const transcript = useScreen(currentTranscript);
  const feed = useScreen((s) => s.feeds[sessionId]);
  const lathe = useLathe();
  const loadImage: LoadImage = useCallback(
    (path, signal) => readImageFile(lathe, path, signal),
    [lathe],
  );
  const loadAgent = useCallback(
    (agentId: string) => agentTranscript(lathe, sessionId, agentId),
    [lathe, sessionId],
  );
  const { readingPlaces } = lathe;
  const place = useMemo(
    () => ({
      left: readingPlaces.get(sessionId),
      save: (left: ReadingPlace) => readingPlaces.save(sessionId, left),
    }),
    [readingPlaces, sessionId],
  );
  const sent = useScreen((s) => s.sent);
  const revealed = useScreen((s) => (s.revealed?.sessionId === sessionId ? s.revealed : null));
  const entries = useContextEntries();
  const promptMenu = usePromptMenu(sessionId);
  const home = useScreen((s) => s.info?.home ?? '');
  if (transcript === null) {
    return (
      <Unloaded>
        {feed?.kind === 'failed' ? (
          <div className="mx-auto max-w-xl p-6">
            <Notice level="error" title="This session could not be loaded">
              {tildeText([feed.fault.message, feed.fault.fix].filter(Boolean).join(' '), home)}{' '}
              Nothing in it was lost; Lathe keeps trying.
            </Notice>
          </div>
        ) : (
          <p className="flex h-full items-center justify-center gap-2 text-code text-ink-3">
            <Spinner /> Loading the session
          </p>
        )}
      </Unloaded>
    );
  }
  return (
    <ContextArea entries={entries}>
      <div className="h-full">
        <Conversation
          transcript={transcript}
          onAction={onAction}
          loadAgent={loadAgent}
          loadImage={loadImage}
          sent={sent}
          reveal={revealed}
          place={place}
          promptMenu={promptMenu}
          empty={<Welcome />}
          after={
            <>
              {hasBegun(transcript) || transcript.committed.length === 0 ? null : <Welcome />}
              <WaitingMessages transcript={transcript} />
            </>
          }
        />
      </div>
    </ContextArea>
  );
}

/** Says that the session on screen was deleted in another window, and has it back. What is shown and typed stays. */
function DeletedNotice() {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const isGone = useScreen(
    (s) =>
      s.sessionId !== null &&
      s.feeds[s.sessionId]?.kind === 'failed' &&
      s.app !== null &&
      !s.app.sessions.some(({ id }) => id === s.sessionId),
  );
  if (sessionId === null || !isGone) return null;
  return (
    <div className="prose-column pb-2">
      <Notice
        level="warning"
        title="This session was deleted in another window"
        action={<Button onClick={() => restoreSession(lathe, sessionId)}>Restore</Button>}
      >
        It is kept for 30 days, and what you typed stays here.
      </Notice>
    </div>
  );
}

/** Refusals after which the dialog goes away by itself, so that they are told beside it. */
const NO_LONGER: ReadonlySet<string> = new Set(['gone', 'not_found', 'closed']);

/** The questions of the session on screen. A failed answer leaves the question standing. */
function Approvals() {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const approvals = useScreen((s) => currentTranscript(s)?.approvals ?? []);
  const home = useScreen((s) => s.info?.home ?? '');
  const replay = useRuleReplay();
  if (sessionId === null) return null;
  const send = async (given: readonly Given[]) => {
    const answered: Result<null>[] = [];
    for (const { approvalId, answer } of given)
      answered.push(await answerApproval(lathe, sessionId, approvalId, answer));
    const failed = answered.filter((one) => !one.ok);
    const stands = failed.find(({ error }) => !NO_LONGER.has(error.code));
    if (stands) return stands.error.message;
    // A rule that was saved with the first answer may have settled others before theirs came.
    const [gone] = failed;
    return gone && failed.length === answered.length ? reported(lathe.store, gone) : undefined;
  };
  return (
    <FileLinks>
      <ApprovalDialog
        key={sessionId}
        approvals={approvals}
        onAnswer={send}
        home={home}
        replay={replay}
        onOpen={lathe.openLink}
      />
    </FileLinks>
  );
}

/** The content of an empty conversation: what one can ask, three tasks that fit, and three useful keys. */
function Welcome() {
  const { keyOf } = useKeymap();
  const { current } = useLathe();
  const project = useScreen((s) => s.opened?.name ?? '');
  const tasks = useScreen((s) => currentProject(s)?.suggestions ?? []);
  const demo = useScreen((s) => s.app?.connection.kind === 'demo');
  const suggest = (task: string) => {
    current.addToDraft(task);
    focusHome();
  };
  return (
    <div className="prose-column flex min-h-full flex-col justify-end pt-4 pb-8">
      <h2 className="text-display font-semibold tracking-tight text-balance">
        What shall we do in {project}?
      </h2>
      <p className="mt-2 max-w-[58ch] text-body text-ink-2">
        {demo
          ? 'This is the offline demo: the model is scripted, everything else is real. Ask it to fix the failing test.'
          : 'Say what you want in your own words. You see every step, and Lathe asks before it changes files or runs commands.'}
      </p>
      {demo || tasks.length === 0 ? null : (
        <ul aria-label="Suggestions" className="mt-4 flex flex-col items-start gap-1.5">
          {tasks.map((task) => (
            <li key={task}>
              <button
                type="button"
                onClick={() => suggest(task)}
                className="rounded-md border border-line px-3 py-1 text-left text-code text-ink-2 transition-colors duration-100 hover:border-line-strong hover:bg-hover hover:text-ink"
              >
                {task}
              </button>
            </li>
          ))}
        </ul>
      )}
      <dl className="mt-6 grid w-fit grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-code text-ink-2">
        {(
          [
            ['palette', 'everything Lathe can do'],
            ['cycleMode', 'ask, edit freely, or only plan'],
            ['terminal', 'a terminal of your own'],
          ] as const
        ).map(([id, text]) => (
          <div key={id} className="contents">
            <dt className="justify-self-end">
              <Kbd keys={keyOf(id)} />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const MENU: readonly (CommandId | 'line')[] = [
  'renameSession',
  'changes',
  'plan',
  'line',
  'newShell',
  'line',
  'keys',
  'settings',
];

/** The line over the conversation: what it is about, the palette, and the two outer columns. */
function TitleBar({ onCommand }: { readonly onCommand: RunCommand }) {
  const keymap = useKeymap();
  const { store } = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const listed = useScreen((s) => s.app?.sessions.find((x) => x.id === s.sessionId)?.title);
  const folded = useScreen((s) => (s.sessionId ? s.transcripts[s.sessionId]?.title : undefined));
  const sideOpen = useScreen((s) => s.sideOpen);
  const dockOpen = useScreen((s) => s.dockOpen);
  const title = titleOf({ title: folded || listed || '' });
  const narrow = useNarrow();
  // In a narrow window the outer columns lie below this row.
  const isFirst = narrow || !sideOpen;
  const isLast = narrow || !dockOpen;
  return (
    <header
      data-title-row={cx(isFirst && 'start', isLast && 'end')}
      className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-canvas px-2"
    >
      {isFirst ? <MenuButton /> : null}
      <IconButton
        icon={PanelLeft}
        size="md"
        label={sideOpen ? 'Hide the sessions' : 'Show the sessions'}
        pressed={sideOpen}
        tooltipSide="bottom"
        className="aria-pressed:bg-transparent"
        onClick={() => store.setState({ sideOpen: !sideOpen })}
      />
      <h1 className="min-w-0 flex-1 truncate px-1 text-code font-medium" title={title}>
        <button
          type="button"
          dir="auto"
          disabled={sessionId === null}
          onDoubleClick={() => onCommand('renameSession')}
          // By key there is no second click.
          onClick={({ detail }) => detail === 0 && onCommand('renameSession')}
          className="max-w-full truncate"
        >
          {title}
        </button>
      </h1>
      <IconButton
        icon={Command}
        size="md"
        label="Command palette"
        keys={keymap.keyOf('palette')}
        tooltipSide="bottom"
        onClick={() => onCommand('palette')}
      />
      <Menu
        align="end"
        trigger={<IconButton icon={Ellipsis} size="md" label="More" tooltipSide="bottom" />}
        entries={MENU.map((id, at) => menuEntry(id, at, keymap, onCommand))}
      />
      <IconButton
        icon={PanelRight}
        size="md"
        label={dockOpen ? 'Hide the dock' : 'Show the dock'}
        keys={keymap.keyOf('toggleDock')}
        pressed={dockOpen}
        tooltipSide="bottom"
        className="aria-pressed:bg-transparent"
        onClick={() => onCommand('toggleDock')}
      />
    </header>
  );
}

function menuEntry(
  id: CommandId | 'line',
  at: number,
  { keyOf }: Keymap,
  onCommand: RunCommand,
): MenuEntry {
  if (id === 'line') return { kind: 'separator', id: `line ${at}` };
  const keys = keyOf(id);
  return {
    kind: 'item',
    id,
    label: commandOf(id).title,
    ...(keys === '' ? {} : { keys }),
    onSelect: () => void onCommand(id),
  };
}
