/** The part of an xterm that is read as text. */
interface TextTerminal {
  readonly buffer: {
    readonly active: {
      readonly length: number;
      getLine(
        y: number,
      ):
        | { readonly isWrapped: boolean; translateToString(trimRight?: boolean): string }
        | undefined;
    };
  };
}

/** Returns all text a terminal holds, scrollback first, wrapped lines joined, without the empty rest of the screen. */
export function bufferText(terminal: TextTerminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y);
    if (!line) continue;
    const wrapsOn = active.getLine(y + 1)?.isWrapped ?? false;
    const text = line.translateToString(!wrapsOn);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
