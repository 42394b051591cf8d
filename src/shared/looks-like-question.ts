/** Returns whether a line of output looks like a program asking: "Continue? [y/N]", "Password:", "(yes/no)". */
export const looksLikeQuestion = (line: string): boolean =>
  /(\?|:|>)\s*$|\[[yn]\/[yn]\]\s*:?\s*$|\((y|yes)\/(n|no)[^)]*\)\s*[?:]?\s*$/i.test(
    line.trimEnd(),
  ) && line.trim() !== '';
