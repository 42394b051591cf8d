import { Lock, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ListedHook } from '../../shared/hooks';
import { copyPlace } from '../store/copy-place';
import { useLathe } from '../store/use-lathe';
import { OpenFileButton } from '../tool-cards/OpenFileButton';
import { Badge } from '../ui/Badge';
import { Button } from '../ui/Button';
import { IconButton } from '../ui/IconButton';
import { VisibleText } from '../ui/VisibleText';
import { type HookGroup, howItRuns, whatRuns, whenItRuns } from './hook-groups';

type OnRemove = (hook: ListedHook) => Promise<void>;

/** Every hook of one settings file. */
export function HookFile({
  group,
  onRemove,
}: {
  readonly group: HookGroup;
  readonly onRemove: OnRemove;
}) {
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
          onAction={() => void copyPlace(lathe, hook.file, hook.line)}
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
