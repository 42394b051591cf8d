import { Webhook } from 'lucide-react';
import type { HooksStatus } from '../../shared/hooks';
import type { Project } from '../../shared/settings';
import { removeHook, setHooksDisabled } from '../store/hooks';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { EmptyState } from '../ui/EmptyState';
import { plural } from '../ui/format';
import { Notice } from '../ui/Notice';
import { Switch } from '../ui/Switch';
import { HookFile } from './HookList';
import { groupHooks } from './hook-groups';
import { Problem } from './ProjectPanel';

const NONE: HooksStatus = { list: [], more: 0, disabled: false };

/** What runs by itself here and when: every hook with its place, and why one does not run. */
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
          <ul className="flex flex-col gap-2">
            {problems.map((problem) => (
              <Problem
                key={`${problem.file} ${problem.line} ${problem.field} ${problem.message}`}
                problem={problem}
                home={home}
              />
            ))}
          </ul>
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
