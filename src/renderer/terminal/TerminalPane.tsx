import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { TerminalInfo } from '../../shared/terminal';
import { killTerminal } from '../store/terminals';
import { useLathe } from '../store/use-lathe';
import { Notice } from '../ui/Notice';
import { Spinner } from '../ui/Spinner';
import { FindBar } from './FindBar';
import type { LiveTerminal } from './live-terminal';
import { PasteQuestion } from './PasteQuestion';
import { TerminalBar } from './TerminalBar';
import { TerminalScreen } from './TerminalScreen';
import { endText, hasEnded } from './visible-terminals';

/** One terminal with its bar. Commands of the agent are read-only until the person takes the wheel. */
export function TerminalPane({
  terminal,
  live,
}: {
  readonly terminal: TerminalInfo;
  readonly live: LiveTerminal;
}) {
  const lathe = useLathe();
  const state = useSyncExternalStore(live.state.subscribe, live.state.get);
  const [finding, setFinding] = useState(false);
  const [wheel, setWheel] = useState(false);
  const ended = hasEnded(terminal) || state.exit !== null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TerminalBar
        terminal={terminal}
        ended={ended}
        wheel={wheel}
        onWheel={(taken) => {
          setWheel(taken);
          if (taken) live.focus();
        }}
        onFind={() => setFinding(true)}
        onClear={() => live.clear()}
        text={() => live.text()}
        onKill={() => killTerminal(lathe, terminal.id)}
      />
      <div className="relative min-h-0 flex-1 bg-[var(--term-background)]">
        <TerminalScreen
          live={live}
          label={`Terminal ${terminal.title}`}
          inputAllowed={!ended && (terminal.kind === 'shell' || wheel)}
        />
        {finding ? (
          <FindBar
            live={live}
            onClose={() => {
              setFinding(false);
              live.focus();
            }}
          />
        ) : null}
        {state.refused === null ? null : (
          <div className="absolute inset-x-3 top-3">
            <Notice level="warning" title="This terminal cannot be shown">
              {state.refused}
            </Notice>
          </div>
        )}
        {state.phase === 'live' || state.refused !== null ? null : (
          <Overlay>
            <Spinner size={12} />
            {state.phase === 'lost' ? 'reconnecting… the program goes on' : 'loading'}
          </Overlay>
        )}
        {state.link === null ? null : <Overlay mono>{state.link}</Overlay>}
      </div>
      {ended ? (
        <p className="shrink-0 border-t border-line bg-side px-3 py-1 text-meta text-ink-3">
          {endText(
            state.exit?.exitCode ?? terminal.exitCode,
            state.exit?.signal ?? terminal.signal,
          )}
        </p>
      ) : null}
      {state.paste === null ? null : (
        <PasteQuestion plan={state.paste} onAnswer={(send) => live.answerPaste(send)} />
      )}
    </div>
  );
}

function Overlay({
  children,
  mono = false,
}: {
  readonly children: ReactNode;
  readonly mono?: boolean;
}) {
  return (
    <span
      role="status"
      className={`absolute bottom-1.5 left-2 flex max-w-[90%] items-center gap-1.5 truncate rounded-sm border border-line bg-raised px-2 py-0.5 text-meta text-ink-2 ${mono ? 'font-mono' : ''}`}
    >
      {children}
    </span>
  );
}
