import { Power, Unplug } from 'lucide-react';
import { Component, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Fault } from '../../shared/result';
import { HomeFolder } from '../chat/ConversationRow';
import { KeymapContext } from '../commands/use-keymap';
import { ConnectStep } from '../first-run/ConnectStep';
import { FolderStep } from '../first-run/FolderStep';
import { TrustStep } from '../first-run/TrustStep';
import { restoreLastShown } from '../store/projects';
import { currentTranscript, phaseOf } from '../store/screen';
import { lookAtSession } from '../store/signals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { keepFocus } from '../ui/keep-focus';
import { Spinner } from '../ui/Marks';
import { TimersRun } from '../ui/use-now';
import { EarlyField, type EarlyWords, useEarlyWords } from './EarlyWords';
import { TitleStrip, useTitleBar } from './TitleRow';
import { Toasts } from './Toasts';
import { useAppearance } from './use-appearance';
import { Workbench } from './Workbench';

/** The window: whatever the moment calls for, and messages over it. */
export function App() {
  useAppearance();
  useTitleBar();
  const keymap = useScreen((s) => s.keymap);
  useRestoredWindow();
  useWindowTitle();
  useBells();
  useEffect(keepFocus, []);
  const connected = useScreen((s) => s.link.kind === 'connected');
  const home = useScreen((s) => s.info?.home ?? '');
  return (
    <TimersRun value={connected}>
      <KeymapContext value={keymap}>
        <HomeFolder value={home}>
          <CurrentPhase />
        </HomeFolder>
      </KeymapContext>
    </TimersRun>
  );
}

/** The workbench has a place for messages; every other phase has them below it. */
function CurrentPhase() {
  const phase = useScreen(phaseOf);
  const dialog = useScreen((s) => s.dialog !== null);
  if (phase.kind === 'workbench') {
    return (
      <>
        <Workbench key={phase.project.path} project={phase.project} />
        {dialog ? <Toasts over /> : null}
      </>
    );
  }
  return (
    <div className="flex h-full flex-col bg-canvas">
      <TitleStrip />
      <div className="min-h-0 flex-1">
        <FirstPhase phase={phase} />
      </div>
      <Toasts />
    </div>
  );
}

function FirstPhase({
  phase,
}: {
  readonly phase: Exclude<ReturnType<typeof phaseOf>, { readonly kind: 'workbench' }>;
}) {
  const early = useEarlyWords();
  switch (phase.kind) {
    case 'starting':
      return <Starting trouble={phase.trouble} early={early} />;
    case 'waiting':
      return <ReadingShell onSkip={phase.skip} early={early} />;
    case 'refused':
      return <Refused fault={phase.fault} />;
    case 'ended':
      return <Ended />;
    case 'folder':
      return <FolderStep />;
    case 'trust':
      return <TrustStep key={phase.project.path} project={phase.project} />;
    case 'connect':
      return <ConnectStep project={phase.project} />;
  }
}

/** Goes back to where this window was, once, as soon as it is connected. */
function useRestoredWindow(): void {
  const lathe = useLathe();
  const ready = useScreen((s) => s.link.kind === 'connected');
  const done = useRef(false);
  useEffect(() => {
    if (!ready || done.current) return;
    done.current = true;
    void restoreLastShown(lathe);
  }, [lathe, ready]);
}

/** Takes the mark of a bell off a session as soon as somebody looks at it. */
function useBells(): void {
  const { store } = useLathe();
  const rangHere = useScreen((s) => s.sessionId !== null && s.rang.includes(s.sessionId));
  useEffect(() => {
    if (!rangHere) return;
    const look = () => lookAtSession(store);
    look();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [store, rangHere]);
}

function useWindowTitle(): void {
  const project = useScreen((s) => s.opened?.name ?? null);
  // Not those that were deleted, or are of a project that was shown before.
  const wanted = useScreen(
    ({ app, rang, opened }) =>
      app?.sessions.some(
        (x) => x.needsAnswer || (x.project === opened?.path && rang.includes(x.id)),
      ) ?? false,
  );
  // Of a hook of the session that is shown.
  const given = useScreen((s) => currentTranscript(s)?.windowTitle ?? '');
  useEffect(() => {
    const names = [given, project ?? '', 'Lathe'].filter((name) => name !== '');
    document.title = `${wanted ? '● ' : ''}${names.join(' · ')}`;
  }, [given, project, wanted]);
}

/** Before the engine has said a word; after a moment it says what it waits for. */
function Starting({
  trouble,
  early,
}: {
  readonly trouble: Fault | null;
  readonly early: EarlyWords;
}) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <h1 className="sr-only">Lathe</h1>
      <span className="flex items-center gap-2 text-code text-ink-2" role="status">
        <Spinner />
        {trouble === null ? 'Connecting to Lathe' : trouble.message}
      </span>
      {trouble === null ? null : <p className="max-w-96 text-meta text-ink-3">{trouble.fix}</p>}
      <EarlyField {...early} />
    </main>
  );
}

/** Offered when a login shell takes longer than most. Milliseconds. */
const SKIP_AFTER_MS = 2_000;

/** Says that the login shell is asked for its environment, and offers to go on without when that takes long. */
function ReadingShell({
  onSkip,
  early,
}: {
  readonly onSkip: () => void;
  readonly early: EarlyWords;
}) {
  const [long, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SKIP_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <h1 className="sr-only">Lathe</h1>
      <span className="flex items-center gap-2 text-code text-ink-2" role="status">
        <Spinner />
        Reading your shell’s environment
      </span>
      {long ? (
        <>
          <p className="max-w-[52ch] text-meta text-ink-3">
            Its start-up files are taking long. Without them, Lathe and its commands miss what they
            set, such as keys, proxies and folders of PATH, until Lathe is started again.
          </p>
          <Button onClick={onSkip}>Go on without them</Button>
        </>
      ) : null}
      <EarlyField {...early} />
    </main>
  );
}

/** The host does not know this page; only a fresh link helps. */
function Refused({ fault }: { readonly fault: Fault }) {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <Unplug size={24} strokeWidth={1.5} aria-hidden className="text-ink-3" />
      <h1 className="text-display font-semibold tracking-tight">Open the link Lathe printed</h1>
      <p className="max-w-[46ch] text-body text-ink-2">
        {fault.message} {fault.fix}
      </p>
      <p className="max-w-[46ch] text-meta text-ink-3">
        Sessions, tasks and terminals are untouched; they wait on the machine Lathe runs on.
      </p>
    </main>
  );
}

/** Lathe was ended from this page. */
function Ended() {
  return (
    <main className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center">
      <Power size={24} strokeWidth={1.5} aria-hidden className="text-ink-3" />
      <h1 className="text-display font-semibold tracking-tight">Lathe has ended</h1>
      <p className="max-w-[46ch] text-body text-ink-2" role="status">
        Your sessions are kept. Start Lathe again where you started it, then reload this page, or
        close it.
      </p>
      <Button size="lg" onClick={() => window.location.reload()}>
        Reload
      </Button>
    </main>
  );
}

/** Stands in for a screen that could not be drawn: what happened, what was kept, what to do. Never a blank page. */
export class CrashScreen extends Component<
  { readonly children: ReactNode },
  { readonly message: string | null }
> {
  override state = { message: null };

  static getDerivedStateFromError(thrown: unknown) {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) };
  }

  override render() {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <main
        role="alert"
        className="flex h-full flex-col items-center justify-center gap-3 bg-canvas px-6 text-center"
      >
        <div data-title-row="unknown" className="absolute inset-x-0 top-0 h-11" />
        <h1 className="text-display font-semibold tracking-tight">This window hit a problem</h1>
        <p className="max-w-[48ch] text-body text-ink-2">
          Sessions, tasks and terminals go on without it, and drafts are kept. Reload the window to
          come back to where you were.
        </p>
        <p className="max-w-[64ch] font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">
          {message}
        </p>
        <Button variant="primary" size="lg" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </main>
    );
  }
}
