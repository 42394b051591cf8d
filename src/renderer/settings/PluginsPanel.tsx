import { ChevronDown, ChevronRight, Puzzle } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import type { PluginPart, PluginsOverview, PluginView } from '../../shared/plugin';
import type { Project } from '../../shared/settings';
import { actOnPlugins, type DoPlugins, listPlugins } from '../store/plugins';
import { reportFault } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural, tildePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { VisibleProse, VisibleText } from '../ui/VisibleText';
import { MarketplaceList } from './MarketplaceList';
import { PluginOptions } from './PluginOptions';
import { ProblemList } from './ProjectPanel';

/** Every plugin with all it brings, and the marketplaces they come from. */
export function PluginsPanel({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const [overview, setOverview] = useState<PluginsOverview | null>(null);
  const [busy, setBusy] = useState(false);
  const look = useCallback(async () => {
    const listed = await listPlugins(lathe, project.path);
    if (listed.ok) setOverview(listed.value);
    else reportFault(lathe.store, listed.error);
  }, [lathe, project.path]);
  useEffect(() => void look(), [look]);
  const act: DoPlugins = async (wanted) => {
    setBusy(true);
    const done = await actOnPlugins(lathe, project.path, wanted);
    if (!done.ok) reportFault(lathe.store, done.error);
    await look();
    setBusy(false);
    return done.ok;
  };
  if (overview === null) return <p className="text-code text-ink-3">Looking for plugins…</p>;
  const { plugins, marketplaces, problems } = overview;
  return (
    <div className="flex flex-col gap-5" aria-busy={busy}>
      {problems.length === 0 ? null : <ProblemList problems={problems} home={home} />}
      {plugins.length === 0 ? (
        <EmptyState
          icon={Puzzle}
          title="No plugins yet"
          text="A plugin brings commands, skills, agents, hooks and tool servers. Add a marketplace: a folder or a git repository that lists plugins."
        />
      ) : (
        <ul className="flex flex-col gap-2" aria-label="Plugins">
          {plugins.map((plugin) => (
            <PluginItem key={plugin.id} plugin={plugin} busy={busy} home={home} act={act} />
          ))}
        </ul>
      )}
      <MarketplaceList marketplaces={marketplaces} home={home} busy={busy} act={act} />
    </div>
  );
}

const TELLS = {
  available: null,
  unfetched: null,
  on: { tone: 'done', text: 'on' },
  off: { tone: 'neutral', text: 'off' },
  changed: { tone: 'waits', text: 'changed, left out' },
  update: { tone: 'accent', text: 'update' },
  broken: { tone: 'failed', text: 'broken' },
} as const;

interface ItemProps {
  readonly plugin: PluginView;
  readonly busy: boolean;
  readonly home: string;
  readonly act: DoPlugins;
}

/** One plugin: what it is, and when opened what it brings and what can be done about it. */
function PluginItem({ plugin, busy, home, act }: ItemProps) {
  const { id, name, version, description, state, parts, problems } = plugin;
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  const tell = TELLS[state];
  // One that is not installed asks for nothing yet: its options are among what it brings.
  const usable = state === 'on' || state === 'off' || state === 'update';
  const show = async () => {
    if (state === 'unfetched' && !open) await act({ kind: 'fetch', id });
    setOpen(!open);
  };
  return (
    <li className="rounded-md border border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => void show()}
        className="flex w-full items-start gap-2 rounded-md px-3 py-2 text-left hover:bg-hover"
      >
        <Chevron size={14} aria-hidden className="mt-1 shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-2 text-code">
            <span className="font-medium">
              <VisibleText text={name} />
            </span>
            {version === '' ? null : (
              <span className="text-meta text-ink-3 tabular-nums">
                <VisibleText text={version} />
              </span>
            )}
            {tell === null ? null : <Badge tone={tell.tone}>{tell.text}</Badge>}
          </span>
          <span className="block text-meta text-ink-3 [overflow-wrap:anywhere]">
            <VisibleProse text={description || summary(plugin)} />
          </span>
        </span>
      </button>
      {open ? (
        <div className="flex flex-col gap-3 border-t border-line px-3 py-3">
          {problems.length === 0 ? null : <ProblemList problems={problems} home={home} />}
          {state === 'broken' ? null : (
            <PartList parts={usable ? parts.filter(({ kind }) => kind !== 'option') : parts} />
          )}
          {usable && plugin.options.length > 0 ? (
            <PluginOptions id={id} options={plugin.options} busy={busy} act={act} />
          ) : null}
          <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">
            From <VisibleText text={tildePath(plugin.from, home)} />
          </p>
          <PluginActs plugin={plugin} busy={busy} act={act} />
        </div>
      ) : null}
    </li>
  );
}

const summary = ({ id, parts }: PluginView): string =>
  parts.length === 0 ? id : `Brings ${plural(parts.length, 'thing')}`;

const KINDS = [
  ['hook', 'Hooks: run by themselves'],
  ['server', 'Tool servers: started with a session'],
  ['languageServer', 'Language servers: started with the first file that they are for'],
  ['command', 'Commands'],
  ['skill', 'Skills'],
  ['agent', 'Agents'],
  ['outputStyle', 'Output styles'],
  ['option', 'Options: values that you give it in your settings'],
  ['need', 'Other plugins that it needs'],
] as const;

/** The kinds of parts that run by themselves: their commands are shown as such. */
const RUNS: ReadonlySet<PluginPart['kind']> = new Set(['hook', 'server', 'languageServer']);

/** All that a plugin brings, what runs by itself first. */
function PartList({ parts }: { readonly parts: readonly PluginPart[] }) {
  if (parts.length === 0) return <p className="text-code text-ink-3">It brings nothing.</p>;
  return KINDS.map(([kind, title]) => {
    const own = parts.filter((part) => part.kind === kind);
    return own.length === 0 ? null : (
      <section key={kind} aria-label={title}>
        <h3 className="mb-0.5 text-meta font-medium text-ink-3">{title}</h3>
        <ul className="flex flex-col gap-1">
          {own.map(({ name, detail }) => (
            <li key={`${name} ${detail}`} className="text-code [overflow-wrap:anywhere]">
              <code className="text-[12.5px]">
                <VisibleText text={name} />
              </code>
              {detail === '' ? null : RUNS.has(kind) ? (
                <code className="block whitespace-pre-wrap rounded-sm bg-sunken px-2 py-0.5 text-[12.5px] text-ink-2">
                  <VisibleText text={detail} />
                </code>
              ) : (
                <span className="block text-meta text-ink-2">
                  <VisibleText text={detail} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </section>
    );
  });
}

/** Offers what can be done about a plugin. Saying yes names the content that is shown. */
function PluginActs({ plugin, busy, act }: Omit<ItemProps, 'home'>) {
  const { id, state, digest, approved, enabled } = plugin;
  const installed = approved !== '' || state === 'changed';
  const agree =
    state === 'available'
      ? 'Install and use'
      : state === 'update'
        ? 'Update'
        : state === 'changed'
          ? 'Use as it is now'
          : null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {agree === null ? null : (
        <Button
          size="sm"
          variant="primary"
          disabled={busy}
          onClick={() => act({ kind: state === 'changed' ? 'enable' : 'install', id, digest })}
        >
          {agree}
        </Button>
      )}
      {approved === '' ? null : enabled ? (
        <Button size="sm" disabled={busy} onClick={() => act({ kind: 'disable', id })}>
          Turn off
        </Button>
      ) : (
        <Button
          size="sm"
          disabled={busy}
          onClick={() => act({ kind: 'enable', id, digest: approved })}
        >
          Turn on
        </Button>
      )}
      {installed ? (
        <Button
          size="sm"
          variant="ghost"
          disabled={busy}
          onClick={() => act({ kind: 'remove', id })}
        >
          Remove
        </Button>
      ) : null}
      {agree === null ? null : (
        <p className="min-w-0 flex-1 text-meta text-ink-3">
          Your yes is for this content. When it changes, Lathe asks again.
        </p>
      )}
    </div>
  );
}
