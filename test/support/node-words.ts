/**
 * The words that every Node of a test is started with that runs the built program. Room for new objects from the start spares a
 * short run a tenth of its processor time: else it collects them six times while it loads.
 */
export const NODE_WORDS = ['--min-semi-space-size=8'];
