import type { UploadedFile } from '../../lib/files/uploaded-file.ts'

/**
 * A received file. A JSON or form body could have the same fields and the path of any file of this machine, so only
 * instances of this class count as files.
 */
class ReceivedFile implements UploadedFile {
  readonly filename: string
  readonly type: string
  readonly path: string
  readonly size: number
  readonly sha256: string

  constructor({ filename, type, path, size, sha256 }: UploadedFile) {
    this.filename = filename
    this.type = type
    this.path = path
    this.size = size
    this.sha256 = sha256
  }
}

/** Marks a file as received. */
export function markReceived(file: UploadedFile): UploadedFile {
  return new ReceivedFile(file)
}

/** True for a file that the request really uploaded. */
export function isReceived(value: unknown): value is UploadedFile {
  return value instanceof ReceivedFile
}
