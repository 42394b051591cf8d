import { Lock, Trash2, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { HooksStatus, ListedHook } from '../../shared/hooks';
import type { Project } from '../../shared/settings';
import { removeHook, setHooksDisabled } from '../store/settings';
import { copyFileLocation, reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { OpenFileButton } from '../tool-cards/CardFrame';
import { Button, IconButton } from '../ui/Button';
import { Switch } from '../ui/Fields';
import { plural } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';
import { groupHooks, type HookGroup, howItRuns, whatRuns, whenItRuns } from './hook-groups';
import { ProblemList } from './ProjectPanel';

const NONE: HooksStatus = { list: [], more: 0, disabled: false };

/** Every hook with its file, its event, and the reason it does not run, if any. */
export function HooksPanel({ project }: { readonly project: Project }) {
  const lathe = useLathe();
  const home = useScreen((s) => s.info?.home ?? '');
  const { list, more, disabled } = project.hooks ?? NONE;
  const problems = project.problems.filter(({ field }) => isAboutHooks(field));
  return (
    <div className="flex flex-col gap-4">
      <Switch
        label="Run no hooks"
        hint="In every folder, from now on. Hooks of this machine’s managed settings run all the same."
        checked={disabled}
        onChange={async (next) => {
          reported(lathe.store, await setHooksDisabled(lathe, project.path, next));
        }}
      />
      {disabled && list.some(({ source, off }) => source !== 'managed' && off === null) ? (
        <Notice level="info">
          Hooks run here all the same: a stronger settings file has{' '}
          <code>disableAllHooks: false</code>.
        </Notice>
      ) : null}
      {problems.length === 0 ? null : (
        <section aria-label="Hooks that cannot be used">
          <h3 className="mb-1 text-meta font-medium text-ink-3">
            {plural(problems.length, 'entry', 'entries')} could not be used as written
          </h3>
          <ProblemList problems={problems} home={home} />
        </section>
      )}
      {list.length === 0 ? (
        <NoHooks />
      ) : (
        groupHooks(list, home).map((group) => (
          <HookFile
            key={`${group.place} ${group.locked}`}
            group={group}
            onRemove={async (hook) => {
              reported(lathe.store, await removeHook(lathe, project.path, hook));
            }}
          />
        ))
      )}
      {more === 0 ? null : (
        <p className="text-meta text-ink-3">
          {plural(more, 'more hook')} not shown; the settings files have them all.
        </p>
      )}
    </div>
  );
}

const isAboutHooks = (field: string | undefined): boolean =>
  field !== undefined && /^(hooks\b|disableAllHooks|allowManagedHooksOnly)/.test(field);

const NoHooks = () => (
  <EmptyState
    icon={Webhook}
    title="No hooks yet"
    text={
      <>
        A hook is a command of yours that runs at a certain moment and can block what is about to
        happen. Write one under <code>hooks</code> in <code>~/.claude/settings.json</code> or the
        folder’s <code>.claude/settings.json</code>.
      </>
    }
  />
);

type OnRemove = (hook: ListedHook) => Promise<void>;

/** Every hook of one settings file. */
function HookFile({ group, onRemove }: { readonly group: HookGroup; readonly onRemove: OnRemove }) {
  const { place, locked, off, hooks } = group;
  return (
    <section aria-label={`Hooks in ${place}`} className="rounded-md border border-line">
      <div className="rounded-t-md border-b border-line bg-sunken px-3 py-1 text-meta text-ink-2">
        <p className="flex items-center gap-2">
          <span className="min-w-0 flex-1 truncate font-mono" title={place}>
            <VisibleText text={place} />
          </span>
          {locked === null ? null : (
            <span className="inline-flex shrink-0 items-center gap-1 text-ink-3">
              <Lock size={12} aria-hidden />
              {locked}
            </span>
          )}
        </p>
        {off === null ? null : (
          <p className="text-waits [overflow-wrap:anywhere]">
            Off: <VisibleText text={off} />
          </p>
        )}
      </div>
      <ul>
        {hooks.map((hook) => (
          <HookItem
            key={`${hook.event} ${hook.line} ${hook.run}`}
            hook={hook}
            place={place}
            onRemove={locked === null ? onRemove : null}
          />
        ))}
      </ul>
    </section>
  );
}

function HookItem({
  hook,
  place,
  onRemove,
}: {
  readonly hook: ListedHook;
  readonly place: string;
  readonly onRemove: OnRemove | null;
}) {
  const lathe = useLathe();
  const [removing, setRemoving] = useState(false);
  const how = howItRuns(hook);
  return (
    <li className="border-line px-3 py-1.5 not-first:border-t">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 text-code [overflow-wrap:anywhere]">
          <span className={hook.off === null ? '' : 'text-ink-3'}>
            <VisibleText text={whenItRuns(hook)} />
          </span>
          {how === '' ? null : <span className="text-meta text-ink-3"> · {how}</span>}
        </span>
        {hook.off === null ? null : <Badge>off</Badge>}
        <span className="shrink-0 text-meta text-ink-3 tabular-nums">line {hook.line}</span>
        <OpenFileButton
          path={hook.file}
          line={hook.line}
          onAction={() => void copyFileLocation(lathe.store, hook.file, hook.line)}
        />
        {onRemove === null ? null : (
          <IconButton
            icon={Trash2}
            label={`Remove this hook from ${place}`}
            onClick={() => setRemoving(true)}
            disabled={removing}
          />
        )}
      </div>
      <code className="mt-0.5 line-clamp-3 block whitespace-pre-wrap text-[12.5px] text-ink-2 [overflow-wrap:anywhere]">
        <VisibleText text={whatRuns(hook)} />
      </code>
      {removing && onRemove !== null ? (
        <div className="mt-2 flex items-center gap-2">
          <p className="min-w-0 flex-1 text-meta text-ink-2">
            It is taken out of the file and no longer runs.
          </p>
          <Button size="sm" autoFocus onClick={() => setRemoving(false)}>
            Keep
          </Button>
          <Button
            size="sm"
            variant="danger"
            onClick={async () => {
              await onRemove(hook);
              setRemoving(false);
            }}
          >
            Remove
          </Button>
        </div>
      ) : null}
    </li>
  );
}
