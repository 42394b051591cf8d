import { Bot, Square } from 'lucide-react';
import type { Transcript } from '../../shared/transcript';
import { IconButton } from '../ui/Button';
import { ColourMark } from '../ui/ColourMark';
import { cx } from '../ui/css';
import { elapsed, money, timeTaken } from '../ui/format';
import { StateGlyph } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { type Stopwatch, useElapsed } from '../ui/use-now';
import { type AgentRow, agentRows } from './agent-rows';

/** The agents of a session as a tree, live: state, cost, time and last line of each. */
export function AgentTree({
  transcript,
  left,
  onShow,
  onStop,
}: {
  readonly transcript: Transcript | null;
  /** The agent from whose conversation one comes back; its row takes the focus. */
  readonly left: string | null;
  /** Opens the conversation of an agent; null for the main one. */
  readonly onShow: (agentId: string | null) => void;
  readonly onStop: (agentId: string) => void;
}) {
  const agents = transcript?.agents ?? [];
  const since = useElapsed(agents.some(({ status }) => status === 'running'));
  if (transcript === null || agents.length === 0) {
    return (
      <EmptyState
        icon={Bot}
        title="No sub-agents"
        text="Agents that get a part of the work appear here, with their conversation."
      />
    );
  }
  return (
    <ul aria-label="Agents" className="p-1.5">
      {agentRows(transcript).map((row) => (
        <Row
          key={row.agent?.id ?? ''}
          row={row}
          since={since}
          isLeft={row.agent !== null && row.agent.id === left}
          onShow={() => onShow(row.agent?.id ?? null)}
          onStop={onStop}
        />
      ))}
    </ul>
  );
}

/** Deeper agents are not moved further in. */
const MAX_INDENT = 4;

function Row({
  row: { agent, depth, state, costUsd, lastLine, mayStop },
  since,
  isLeft,
  onShow,
  onStop,
}: {
  readonly row: AgentRow;
  readonly since: Stopwatch;
  readonly isLeft: boolean;
  readonly onShow: () => void;
  readonly onStop: (agentId: string) => void;
}) {
  const title = agent?.title ?? 'Main agent';
  const facts = [
    ...(costUsd > 0 ? [money(costUsd)] : []),
    ...(agent === null ? [] : [timeOf(agent, since)].filter((time) => time !== '')),
  ];
  const line = state === 'waits' ? `asks you · ${lastLine}` : lastLine;
  return (
    <li
      className="group relative rounded-md hover:bg-hover"
      style={{ marginLeft: Math.min(depth, MAX_INDENT) * 16 }}
    >
      <button
        type="button"
        // biome-ignore lint/a11y/noAutofocus: one comes back to where one was
        autoFocus={isLeft}
        onClick={onShow}
        className="flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left"
      >
        <span className="mt-0.5">
          <StateGlyph state={state} quiet={agent === null && state === 'done'} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="flex min-w-0 flex-[1_1_11rem] items-baseline gap-2">
              <span dir="auto" className="min-w-0 truncate text-code text-ink" title={title}>
                {title}
              </span>
              {/* The title of an observer begins with what it is. */}
              {agent === null || title.startsWith(`${agent.type}: `) ? null : (
                <span className="max-w-[40%] shrink-0 truncate text-meta text-ink-3">
                  {agent.color === undefined ? null : <ColourMark colour={agent.color} />}
                  {agent.type}
                </span>
              )}
            </span>
            <span
              className={cx(
                'shrink-0 text-meta tabular-nums text-ink-3',
                mayStop && 'group-focus-within:invisible group-hover:invisible',
              )}
            >
              {facts.join(' · ')}
            </span>
          </span>
          {line === '' ? null : (
            <span className="block truncate text-meta leading-4 text-ink-3" title={line}>
              {line}
            </span>
          )}
        </span>
      </button>
      {agent !== null && mayStop ? (
        <span className="absolute top-1 right-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          <IconButton icon={Square} label={`Stop ${title}`} onClick={() => onStop(agent.id)} />
        </span>
      ) : null}
    </li>
  );
}

const timeOf = (
  { status, startedAt, endedAt = startedAt }: NonNullable<AgentRow['agent']>,
  since: Stopwatch,
): string => (status === 'running' ? elapsed(since(startedAt)) : timeTaken(endedAt - startedAt));
