/** Why a backup could not be made or read, in a sentence for whoever asked for it. */
export class BackupProblem extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'BackupProblem'
  }
}

/** What the disk said, in a sentence; other errors as they are. */
export function sentenceOf(error: unknown): string {
  if (error instanceof BackupProblem) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'There is not enough room on the disk.'
  if (code === 'EFBIG') return 'The disk takes no file as large as that.'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `A file may not be written: ${message}.`
  return `${message.split('\n')[0]?.replace(/\.$/, '')}.`
}
