import { SquareArrowOutUpRight } from 'lucide-react';
import { createContext, type ReactNode } from 'react';
import type { RestorePoint } from '../../shared/checkpoint';
import { IconButton } from '../ui/Button';
import { cutMarks } from '../ui/combining';
import { ScrollArea } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';

/** The folder of the project, so that cards name files as the user does; '' where there is none. */
export const FolderContext = createContext('');

/** The frame of a card: a header line, a scrolling body, a footer of facts. */
export function CardFrame({
  label,
  header,
  actions,
  footer,
  children,
  path,
}: {
  /** Names the body for screen readers. */
  readonly label: string;
  readonly header?: ReactNode;
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
  /** The file the card is about, for the context menu. */
  readonly path?: string;
}) {
  return (
    <div data-path={path} className="overflow-hidden rounded-md border border-line bg-canvas">
      {header === undefined ? null : (
        <div className="flex items-start gap-2 border-b border-line bg-sunken py-1.5 pr-1.5 pl-3">
          <div className="min-w-0 flex-1 py-0.5 font-mono text-meta text-ink-2 [overflow-wrap:anywhere]">
            {header}
          </div>
          {actions}
        </div>
      )}
      {children === undefined || children === null ? null : (
        <ScrollArea label={label} className="max-h-80">
          {children}
        </ScrollArea>
      )}
      {footer === undefined ? null : (
        <div className="flex min-h-8 flex-wrap items-center gap-x-2 gap-y-1 border-t border-line px-3 py-1.5 text-meta text-ink-3">
          {footer}
        </div>
      )}
    </div>
  );
}

/** Plain output: whitespace kept, long lines wrapped. `revealing`: what hides in it is made visible. */
export function Output({
  text,
  revealing = false,
}: {
  readonly text: string;
  readonly revealing?: boolean;
}) {
  return (
    <pre
      data-block="output"
      className="px-3 py-2 text-source whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere] [unicode-bidi:plaintext]"
    >
      {revealing ? <VisibleText text={text} /> : cutMarks(text)}
    </pre>
  );
}

/** Opens a file, at a line when one is known. */
export function OpenFileButton({
  path,
  line,
  onAction,
}: {
  readonly path: string;
  readonly line: number | undefined;
  readonly onAction: OnCardAction;
}) {
  return (
    <IconButton
      icon={SquareArrowOutUpRight}
      label="Open file"
      onClick={() => onAction({ type: 'openFile', path, ...(line === undefined ? {} : { line }) })}
    />
  );
}

/** An action requested from a row of the conversation; its container carries it out. */
export type CardAction =
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'takeWheel'; readonly terminalId: string }
  | { readonly type: 'showTask'; readonly taskId: string }
  | { readonly type: 'showAgent'; readonly agentId: string }
  /** Moves a running foreground command to the background. */
  | { readonly type: 'background'; readonly callId: string }
  /** Stops one call; the others go on. */
  | { readonly type: 'cancelCall'; readonly callId: string }
  /** Ends the pause before the next try of a request. */
  | { readonly type: 'retryNow' }
  /** Goes on where a limit of turns or money, or a failure, stopped the work. */
  | { readonly type: 'continueWork'; readonly forSession: boolean }
  /** Previews taking back what a call or a restore changed in files. */
  | { readonly type: 'restore'; readonly point: RestorePoint }
  /** Opens what a rewind left behind as a session of its own. */
  | { readonly type: 'openBranch'; readonly rewindId: string }
  | { readonly type: 'undoSummary'; readonly summaryId: string }
  /** Opens the settings of the connection. */
  | { readonly type: 'connection' }
  | { readonly type: 'stop' };

export type OnCardAction = (action: CardAction) => void;
