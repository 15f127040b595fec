/** An uploaded file, already on disk in the instance's temporary folder; removed when the request ends. */
export interface UploadedFile {
  readonly filename: string
  readonly type: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** What really came as a file. A JSON or form body can look the same, and would name any file of this machine. */
const received = new WeakSet<object>()

/** Notes that a file was received as one. */
export function receive(file: UploadedFile): UploadedFile {
  received.add(file)
  return file
}

/** True for a file that was received as one, whatever its looks. */
export function isReceived(value: unknown): value is UploadedFile {
  return typeof value === 'object' && value !== null && received.has(value)
}
