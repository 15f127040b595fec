/** Something that keeps a changelog from being made; the message is for people. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError'
}
