/** Why an archive could not be written or read, in a sentence for whoever asked for it. */
export class ArchiveProblem extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'ArchiveProblem'
  }
}

const DAMAGED = 'The archive is damaged.'
const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'There is not enough room on the disk.',
  EDQUOT: 'There is not enough room on the disk.',
  EEXIST: 'The archive holds the same name twice.',
  EISDIR: 'The archive holds the same name twice.',
  ENOTDIR: 'The archive holds the same name twice.',
  ENAMETOOLONG: 'The archive holds a name that is too long.',
  Z_BUF_ERROR: 'The archive is cut off.',
  Z_DATA_ERROR: DAMAGED,
  Z_NEED_DICT: DAMAGED,
  ENOENT: 'The archive is not there.',
}

/** What the disk or the decompression said, as a sentence that names nothing of this machine; other errors as they are. */
export function asArchiveProblem(error: unknown): unknown {
  const sentence = SENTENCES[(error as NodeJS.ErrnoException).code ?? '']
  return sentence === undefined || error instanceof ArchiveProblem ? error : new ArchiveProblem(sentence)
}
