const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i

/** True where the message of a commit, or an option of its push, asks for no pipeline (spec ci 2.6). */
export function isSkipped(message: string, pushOptions: readonly string[] = []): boolean {
  return SKIP.test(message) || pushOptions.includes('ci.skip')
}
