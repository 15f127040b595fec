/**
 * Returns true for a message that refuses every push to the branch: the API replaces it with one short message (spec
 * core 4.2).
 */
export function isAboutPushing(sentence: string): boolean {
  return /protected branch/.test(sentence) && !sentence.includes('CODEOWNERS')
}

/** Joins a message for the terminal into one line. */
export function plain(sentence: string): string {
  return sentence.replace(/\s*\n\s*/g, ' ').trim()
}
