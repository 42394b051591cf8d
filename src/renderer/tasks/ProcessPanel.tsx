import { Cpu, OctagonX, Pin } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Result } from '../../shared/result';
import {
  hostNote,
  type ProcessFacts,
  type ProcessTree,
  type TerminalInfo,
  terminalLabel,
  whatMayLiveOn,
} from '../../shared/terminal';
import { killProcess, killTerminal, pinTerminal, showTerminal } from '../store/terminals';
import { useLathe, useScreen } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { dataSize, elapsed, plural } from '../ui/format';
import { Spinner } from '../ui/Marks';
import { EmptyState, Notice } from '../ui/Notice';
import { type Stopwatch, useElapsed } from '../ui/use-now';
import { VisibleText } from '../ui/VisibleText';
import { type ProcessRow, rowsOf, totalsOf } from './process-rows';

/** Between two looks while the panel is shown. Milliseconds. */
const LOOK_EVERY_MS = 2_000;

/** The ledger: every process of every terminal with what it uses, and the way to end it. */
export function ProcessPanel() {
  const [found, look] = useProcesses();
  const terminals = useScreen((s) => s.app?.terminals);
  if (found === null)
    return (
      <p role="status" className="flex items-center gap-2 p-3 text-meta text-ink-3">
        <Spinner size={12} /> Looking at the processes
      </p>
    );
  if (!found.ok)
    return (
      <div className="p-2">
        <Notice level="error" title={found.error.message}>
          {found.error.fix}
        </Notice>
      </div>
    );
  const trees = found.value.flatMap((tree) => {
    const terminal = terminals?.find(({ id }) => id === tree.terminalId);
    return terminal === undefined ? [] : [{ tree, terminal }];
  });
  if (trees.length === 0)
    return (
      <EmptyState
        icon={Cpu}
        title="No processes"
        text="Everything that runs in a terminal is listed here with what it uses, and can be ended."
      />
    );
  return (
    <>
      <ul aria-label="Processes" className="p-1.5">
        {trees.map(({ tree, terminal }) => (
          <TreeEntry key={terminal.id} tree={tree} terminal={terminal} onChanged={look} />
        ))}
      </ul>
      <p className="px-3.5 pb-3 text-meta text-ink-3">
        {whatMayLiveOn(trees.some(({ terminal }) => terminal.loose === true))}
      </p>
    </>
  );
}

/** Looks at the processes now and again while it is mounted and the window can be seen. */
function useProcesses(): [Result<readonly ProcessTree[]> | null, () => void] {
  const lathe = useLathe();
  const [found, setFound] = useState<Result<readonly ProcessTree[]> | null>(null);
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    let wanted = true;
    let asking = false;
    const look = async () => {
      if (asking || document.hidden) return;
      asking = true;
      const result = await lathe.ask((client) => client.terminals.processes());
      asking = false;
      if (wanted) setFound(result);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [lathe, looks]);
  return [found, () => setLooks((count) => count + 1)];
}

/** One terminal: its owner and what it uses, and below its processes. */
function TreeEntry({
  tree,
  terminal,
  onChanged,
}: {
  readonly tree: ProcessTree;
  readonly terminal: TerminalInfo;
  readonly onChanged: () => void;
}) {
  const lathe = useLathe();
  const session = useScreen((s) => s.app?.sessions.find(({ id }) => id === terminal.sessionId));
  const since = useElapsed(true);
  const { cpu, memory } = totalsOf(tree.processes);
  const label = terminalLabel(terminal);
  const owner = terminal.kind === 'shell' ? 'your shell' : session?.title || 'a session';
  const kind =
    terminal.kind === 'shell' ? '' : terminal.taskId === undefined ? 'command of ' : 'task of ';
  const left = terminal.endedAt === undefined ? '' : 'left by ';
  return (
    <li className="mb-1.5" aria-label={label}>
      <div className="group flex items-center gap-2 rounded-md px-2 py-1 hover:bg-hover">
        <button
          type="button"
          title="Show its terminal"
          className="min-w-0 flex-1 rounded-sm text-left"
          onClick={() => showTerminal(lathe, terminal.id)}
        >
          <span className="block truncate text-code text-ink" title={terminal.command}>
            <VisibleText text={label} />
          </span>
          <span className="block truncate text-meta text-ink-3">
            {[
              `${left}${kind}${owner}`,
              plural(tree.processes.length, 'process', 'processes'),
              elapsed(since(terminal.startedAt)),
              hostNote(terminal),
            ]
              .filter((part) => part !== '')
              .join(' · ')}
          </span>
        </button>
        <Usage cpu={cpu} memory={memory} />
        {terminal.endedAt === undefined ? (
          <IconButton
            icon={Pin}
            size="xs"
            label={`Keep ${label} when Lathe quits`}
            pressed={terminal.pinned === true}
            onClick={() => void pinTerminal(lathe, terminal.id, terminal.pinned !== true)}
          />
        ) : null}
        <IconButton
          icon={OctagonX}
          size="xs"
          label={`End ${label} with everything it started`}
          className="hover:text-failed"
          onClick={() => void killTerminal(lathe, terminal.id).finally(onChanged)}
        />
      </div>
      <ul>
        {rowsOf(tree.processes).map((row) => (
          <ProcessEntry
            key={`${row.process.pid}@${row.process.startTime}`}
            row={row}
            since={since}
            onEnd={() => void killProcess(lathe, terminal.id, row.process).finally(onChanged)}
          />
        ))}
      </ul>
    </li>
  );
}

/** Indentation of a process below its parent, and the depth at which it stops. */
const INDENT_PX = 12;
const MAX_INDENTS = 8;

function ProcessEntry({
  row: { process, depth },
  since,
  onEnd,
}: {
  readonly row: ProcessRow;
  readonly since: Stopwatch;
  readonly onEnd: () => void;
}) {
  const { pid, name, command, ports, startedAt, cpu, memory } = process;
  const named = name || 'process';
  return (
    <li
      className="flex items-center gap-2 rounded-md py-0.5 pr-2 hover:bg-hover"
      style={{ paddingLeft: 16 + Math.min(depth, MAX_INDENTS) * INDENT_PX }}
    >
      <span className="min-w-0 flex-1 truncate font-mono text-[11.5px] text-ink-2" title={command}>
        <VisibleText text={named} /> <span className="text-ink-3">{pid}</span>
        {ports.length === 0 ? null : <span className="text-ink">{` :${ports.join(' :')}`}</span>}
      </span>
      <span className="shrink-0 text-[11.5px] tabular-nums text-ink-3">
        {startedAt === null ? '' : elapsed(since(startedAt))}
      </span>
      <Usage cpu={cpu} memory={memory} />
      <IconButton
        icon={OctagonX}
        size="xs"
        label={`End ${named} ${pid} alone`}
        className="hover:text-failed"
        onClick={onEnd}
      />
    </li>
  );
}

function Usage({ cpu, memory }: Pick<ProcessFacts, 'cpu' | 'memory'>) {
  return (
    <>
      <span className="w-10 shrink-0 text-right text-[11.5px] tabular-nums text-ink-3">
        {cpu === null ? '–' : `${Math.round(cpu * 100)} %`}
      </span>
      <span className="w-16 shrink-0 text-right text-[11.5px] tabular-nums text-ink-3">
        {memory === null ? '–' : dataSize(memory)}
      </span>
    </>
  );
}
