import { TarProblem } from '../../../lib/archive/tar-reader.ts'

/** The reason why an archive could not be written or read, as a message for the user. */
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

/** Converts an error of the disk, decompression or tar to a message without local details. Returns other errors unchanged. */
export function asArchiveProblem(error: unknown): unknown {
  if (error instanceof TarProblem) return new ArchiveProblem(error.message)
  const sentence = SENTENCES[(error as NodeJS.ErrnoException).code ?? '']
  return sentence === undefined || error instanceof ArchiveProblem ? error : new ArchiveProblem(sentence)
}
