import type { Leftover } from '../../shared/terminal';
import { endLeftovers, forgetLeftovers } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural } from '../ui/format';
import { Notice } from '../ui/Notice';
import { VisibleText } from '../ui/VisibleText';

/** Rows shown; "End all" ends the others too. */
const SHOWN = 6;
const NONE: readonly Leftover[] = [];

/** The processes that an earlier Lathe left running, with what to do about them; nothing when there are none. */
export function LeftoverList() {
  const lathe = useLathe();
  const leftovers = useScreen((s) => s.app?.leftovers ?? NONE);
  if (leftovers.length === 0) return null;
  const count = leftovers.flatMap(({ processes }) => processes).length;
  const rest = leftovers.length - SHOWN;
  return (
    <section aria-label="Left running" className="shrink-0 border-b border-line p-2">
      <Notice
        level="warning"
        title={`Still running from an earlier Lathe: ${plural(count, 'process', 'processes')}.`}
        action={
          <span className="flex shrink-0 gap-1">
            <Button
              size="sm"
              onClick={() =>
                void endLeftovers(
                  lathe,
                  leftovers.map(({ id }) => id),
                )
              }
            >
              End all
            </Button>
            <Button size="sm" variant="ghost" onClick={() => void forgetLeftovers(lathe)}>
              Leave running
            </Button>
          </span>
        }
      >
        <ul>
          {leftovers.slice(0, SHOWN).map((leftover) => (
            <li key={leftover.id} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate font-mono text-meta">
                <VisibleText text={describe(leftover)} />
              </span>
              <Button
                size="sm"
                variant="ghost"
                aria-label={`End ${describe(leftover)}`}
                onClick={() => void endLeftovers(lathe, [leftover.id])}
              >
                End
              </Button>
            </li>
          ))}
        </ul>
        {rest > 0 ? <p>And {rest} more.</p> : null}
      </Notice>
    </section>
  );
}

/** Describes a leftover as "npm start · node 4711, esbuild 4712". */
function describe({ command, processes }: Leftover): string {
  const named = processes.map(({ pid, name }) => `${name || 'process'} ${pid}`).join(', ');
  const [line = ''] = (command ?? '').trim().split('\n');
  return line === '' ? named : `${line.slice(0, 200)} · ${named}`;
}
