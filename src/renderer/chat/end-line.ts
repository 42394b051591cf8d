import type { Terminal } from '../../shared/turn';

/** How the end of a query is told: `meta` quietly, the others as a notice. */
export interface EndLook {
  readonly level: 'meta' | 'info' | 'warning' | 'error';
  readonly title: string;
}

/** What each ending means to a person. */
export function endLook(terminal: Terminal): EndLook {
  switch (terminal) {
    case 'completed':
      return { level: 'meta', title: 'Done' };
    case 'aborted_streaming':
    case 'aborted_tools':
      return { level: 'info', title: 'You stopped this' };
    case 'max_turns':
      return { level: 'warning', title: 'Stopped at the turn limit' };
    case 'max_budget':
      return { level: 'warning', title: 'Stopped at the budget' };
    case 'blocking_limit':
      return { level: 'warning', title: 'The context window is full' };
    case 'prompt_too_long':
      return { level: 'error', title: 'The conversation is too long for the model' };
    case 'image_error':
      return { level: 'error', title: 'An image could not be used' };
    case 'model_error':
      return { level: 'error', title: 'The model could not answer' };
    case 'stop_hook_prevented':
      return { level: 'warning', title: 'A stop hook ended this' };
    case 'hook_stopped':
      return { level: 'warning', title: 'A hook stopped this' };
    case 'tool_deferred':
      return { level: 'warning', title: 'A hook put a call off' };
    case 'tool_deferred_unavailable':
      return { level: 'error', title: 'The tool of a call that was put off is gone' };
  }
}
