/** An uploaded file, already on disk in the instance's temporary folder; removed when the request ends. */
export interface UploadedFile {
  readonly filename: string
  readonly type: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/**
 * A file that the request really brought. A JSON or form body can look the same and name any file of this machine, so its
 * class is what counts.
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
export function receive(file: UploadedFile): UploadedFile {
  return new ReceivedFile(file)
}

/** True for a file that was received as one, whatever its looks. */
export function isReceived(value: unknown): value is UploadedFile {
  return value instanceof ReceivedFile
}
