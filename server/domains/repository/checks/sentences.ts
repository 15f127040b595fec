/**
 * True for a sentence that only says that a branch takes no push: the API has one short text of its own for those
 * (spec core 4.2).
 */
export function isAboutPushing(sentence: string): boolean {
  return /protected branch/.test(sentence) && !sentence.includes('CODEOWNERS')
}

/** A sentence that was written for a prompt, in one line. */
export function plain(sentence: string): string {
  return sentence.replace(/\s*\n\s*/g, ' ').trim()
}
