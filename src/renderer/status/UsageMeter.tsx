import type { ModelChoice } from '../../shared/settings';
import { currentTranscript } from '../store/screen';
import { useLathe, useScreen } from '../store/use-lathe';
import { money } from '../ui/format';
import { Meter } from '../ui/Meter';
import { Popover } from '../ui/Popover';
import { UsagePanel } from './UsagePanel';
import { contextUse } from './usage-facts';

/** How full the context is and what the session has cost, in the status bar; a press opens the numbers. */
export function UsageMeter({ models }: { readonly models: readonly ModelChoice[] }) {
  const { store } = useLathe();
  const open = useScreen((s) => s.usageOpen);
  const context = useScreen((s) => currentTranscript(s)?.context ?? null);
  const model = useScreen((s) => currentTranscript(s)?.model ?? '');
  const costUsd = useScreen((s) => currentTranscript(s)?.costUsd ?? null);
  if (costUsd === null) return null;
  const use = contextUse({ context, model }, models);
  return (
    <Popover
      label="Usage of this session"
      open={open}
      onOpenChange={(usageOpen) => store.setState({ usageOpen })}
      trigger={
        <button
          type="button"
          className="flex h-6 shrink-0 items-center gap-1.5 whitespace-nowrap rounded-sm px-1.5 tabular-nums hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
        >
          <span className="sr-only">Usage: </span>
          {use === null ? null : (
            <>
              <span className="text-ink-3 @max-4xl:hidden">context </span>
              <span aria-hidden className="flex">
                <Meter share={use.share} label="Context used" />
              </span>
              <span className="mr-1.5">{Math.round(use.share * 100)} % </span>
            </>
          )}
          <span>{money(costUsd)}</span>
        </button>
      }
    >
      <Numbers models={models} />
    </Popover>
  );
}

/** Follows the session only while it is open. */
function Numbers({ models }: { readonly models: readonly ModelChoice[] }) {
  const transcript = useScreen(currentTranscript);
  return transcript === null ? null : <UsagePanel source={transcript} models={models} />;
}
