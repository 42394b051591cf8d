import type { AgentColor } from '../../shared/agent-color';

/** A dot in the colour that somebody gave an agent or a session. Its name stands beside it, so it says nothing alone. */
export function ColourMark({ colour }: { readonly colour: AgentColor }) {
  return (
    <span
      aria-hidden
      className="mr-1 inline-block size-2 shrink-0 rounded-full"
      style={{ background: `var(${COLOURS[colour]})` }}
    />
  );
}

const COLOURS: Readonly<Record<AgentColor, string>> = {
  red: '--term-red',
  blue: '--term-blue',
  green: '--term-green',
  yellow: '--term-yellow',
  purple: '--term-magenta',
  orange: '--code-token-constant',
  pink: '--term-bright-magenta',
  cyan: '--term-cyan',
};
