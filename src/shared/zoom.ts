/** The sizes of the page a user can choose, in percent. docs/spec.md L2: 80 to 200. */
export const ZOOM_STEPS = [80, 90, 100, 110, 125, 150, 175, 200] as const;

/** Returns the step above or below a zoom factor; at the ends the end itself. Pure. */
export function nextZoom(zoom: number, by: 1 | -1): number {
  const percent = Math.round(zoom * 100);
  const step =
    by === 1
      ? ZOOM_STEPS.find((one) => one > percent)
      : ZOOM_STEPS.findLast((one) => one < percent);
  return (step ?? (by === 1 ? 200 : 80)) / 100;
}
