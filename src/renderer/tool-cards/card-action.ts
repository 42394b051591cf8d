/** What a person asks for from a row of the conversation. The host of the conversation carries it out. */
export type CardAction =
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'showTask'; readonly taskId: string }
  /** Moves a running foreground command to the background. */
  | { readonly type: 'background'; readonly callId: string }
  /** Ends the pause before the next try of a request. */
  | { readonly type: 'retryNow' }
  | { readonly type: 'stop' };

export type OnCardAction = (action: CardAction) => void;
