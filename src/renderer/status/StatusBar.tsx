import { GitBranch } from 'lucide-react';
import type { PermissionMode } from '../../shared/permission';
import type { Project } from '../../shared/settings';
import { isSettled } from '../../shared/task';
import { currentTranscript, dockAt } from '../store/screen';
import { configureSession } from '../store/sessions';
import { useLathe, useScreen } from '../store/use-lathe';
import { cx } from '../ui/css';
import { plural } from '../ui/format';
import { Badge, Spinner } from '../ui/Marks';
import { Picker } from '../ui/Menu';
import { ModelMenu } from './ModelMenu';
import { useModels } from './models';
import { modeChoices, modeLabel } from './modes';
import { SandboxItem } from './SandboxPanel';
import { UsageMeter } from './UsagePanel';

/** The bottom line: where we are, who works and how, what it has cost, and whether the line is up. */
export function StatusBar({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const { store } = lathe;
  const models = useModels();
  const mode = useScreen((s) => currentTranscript(s)?.mode ?? null);
  const demo = useScreen((s) => s.app?.connection.kind === 'demo');
  const choose = (next: PermissionMode) => {
    if (next === 'bypassPermissions') store.setState({ dialog: { kind: 'bypass' } });
    else void configureSession(lathe, { mode: next });
  };
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: outside sections a footer is the contentinfo landmark
    <footer
      aria-label="Status"
      className="@container flex h-8 shrink-0 items-center gap-1 overflow-hidden max-[30rem]:gap-0 border-t border-line bg-side px-2 text-meta text-ink-2"
    >
      {project.branch === undefined ? null : (
        <span
          className="flex min-w-0 max-w-48 items-center gap-1 px-1.5 @max-3xl:hidden"
          title={`Branch ${project.branch}`}
        >
          <GitBranch size={13} aria-hidden className="shrink-0 text-ink-3" />
          <span className="truncate">{project.branch}</span>
        </span>
      )}
      <ModelMenu models={models} />
      {mode === null ? null : (
        <Picker
          look="inline"
          side="top"
          label="Permission mode"
          value={mode}
          options={modeChoices(demo)}
          onChange={choose}
          className={mode === 'bypassPermissions' ? 'text-failed' : ''}
        >
          {modeLabel(mode)}
        </Picker>
      )}
      {project.sandbox === undefined ? null : <SandboxItem status={project.sandbox} />}
      <OwnLine />
      <UsageMeter models={models} />
      <RunningTasks onOpen={() => store.setState(dockAt('tasks'))} />
      {demo ? (
        <span className="shrink-0 px-1.5 whitespace-nowrap @max-lg:hidden">
          <Badge tone="accent">Offline demo</Badge>
        </span>
      ) : null}
      <LinkState />
    </footer>
  );
}

/** Shows the output of the user's own command (`statusLine` in settings), in the room that is left. */
function OwnLine() {
  const text = useScreen((s) => currentTranscript(s)?.statusLine ?? '');
  // Without words it leaves its room to the names of model and mode.
  if (text === '') return <span className="flex-1" />;
  return (
    <span className="min-w-0 flex-1 truncate px-1.5 text-ink-3" title={text}>
      {text}
    </span>
  );
}

function RunningTasks({ onOpen }: { readonly onOpen: () => void }) {
  const count = useScreen(
    (s) => currentTranscript(s)?.tasks.filter((task) => !isSettled(task.status)).length ?? 0,
  );
  if (count === 0) return null;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="h-6 shrink-0 rounded-sm px-1.5 whitespace-nowrap hover:bg-hover @max-2xl:hidden"
    >
      {plural(count, 'task')}
    </button>
  );
}

/** The page's connection to the host. A change is announced. */
function LinkState() {
  const kind = useScreen((s) => s.link.kind);
  const connected = kind === 'connected';
  return (
    <span
      role="status"
      className={cx(
        'flex h-6 shrink-0 items-center gap-1.5 px-1.5',
        connected ? 'text-ink-3' : 'text-waits',
      )}
    >
      {connected ? (
        <span aria-hidden data-drawn className="size-1.5 rounded-full bg-done" />
      ) : (
        <Spinner size={11} />
      )}
      <span className={cx(connected && '@max-lg:sr-only')}>
        {connected ? 'connected' : 'reconnecting…'}
      </span>
    </span>
  );
}
